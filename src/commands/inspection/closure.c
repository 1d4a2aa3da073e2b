/* closure.c - the clusters of a model's vectors, level after level. */

#include <math.h>

#include "commands/inspection/proofs.h"
#include "commands/modelling.h"
#include "commands/plots/plots.h"

#define CLOSURE_OPTIONS                                                                            \
    {"levels", TH_INT, "13", 1, 30, NULL, "of the tree: strings of up to 2^levels symbols"},       \
        {"keep",                                                                                   \
         TH_INT,                                                                                   \
         "12",                                                                                     \
         1,                                                                                        \
         1000,                                                                                     \
         NULL,                                                                                     \
         "vectors of each label that a level is made of, those at the edges of their cluster"},    \
        {"pairs",                                                                                  \
         TH_INT,                                                                                   \
         "20000",                                                                                  \
         8,                                                                                        \
         10000000,                                                                                 \
         NULL,                                                                                     \
         "products of a level at most; where there are more, random ones are taken"},              \
        {"elements", TH_INT, "200", 1, 10000, NULL, "of the automaton's semigroup, at most"},      \
    {                                                                                              \
        "seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of random products; default: set seed" \
    }

static const ThOptionSpec options[] = {CLOSURE_OPTIONS, {NULL, 0, NULL, 0, 0, NULL, NULL}};

static void show_levels(ShSession *s, const ThProofClosure *c)
{
    sh_table(s, "levels",
             "level:i visited:i all:b kept:i clusters:i purity:r radius:r gap:r slope:r between:r "
             "wrong:i");
    for (int i = 0; i < c->levels; i++) {
        const ThProofClosureLevel *v = &c->level[i];
        sh_row(s, (long long)i + 1, v->visited, (int)v->all, (long long)v->kept,
               (long long)v->clusters, v->purity, v->radius, v->gap, v->at, v->between, v->wrong);
    }
    sh_table_end(s);
}

/* Where it is not closed: from what length on, and the string that shows it. */
static void say_word(ShSession *s, const char *name, const ThProofClosure *c, const ThSignature *g)
{
    enum { SHOWN = 60 };
    ThText t TH_OWNED(th_text_free) = {0};
    bool wrong = c->word && c->right >= 0 && c->said != c->right;
    if (c->word)
        th_symbols_write(&t, g->symbol, g->n_symbols, c->word, c->length);
    sh_say(s, "%s is not closed: at level %d products leave their clusters\n", name, c->first + 1);
    if (c->word)
        sh_say(s, "  a string of %d symbol%s ends in a wrong cluster: %.*s%s\n", c->length,
               sh_plural(c->length), SHOWN, t.data, t.size > SHOWN ? "…" : "");
    if (c->word && c->right >= 0)
        sh_say(s,
               wrong ? "  %s answers it WRONG: %s, not %s\n" : "  %s still answers it right: %s\n",
               name, g->label[c->said], g->label[c->right]);
    sh_results(s, "length:i word:s wrong:b", (long long)c->length, t.data, wrong);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

enum { WIDEST, STEEPEST, MEASURES };

/* How far a pair is from what a proof wants; -1: nothing is known of it. */
static double measure(const ThProofClosurePair *p, int which)
{
    double x = which == WIDEST ? th_proof_closure_share(p) : p->between;
    return isnan(th_proof_closure_share(p)) ? -1 : x;
}

/* The pair that is worst but for those that are named; NULL: none is left. */
static const ThProofClosurePair *worst_pair(const ThProofClosure *c, int which, char *const *name)
{
    const ThProofClosurePair *worst = NULL;
    for (int i = 0; i < c->n_pairs; i++)
        if (!(name && name[i]) && measure(&c->pair[i], which) >= 0 &&
            (!worst || measure(&c->pair[i], which) > measure(worst, which)))
            worst = &c->pair[i];
    return worst;
}

static void write_pair(ThText *t, const ThProofClosure *c, const ThProofClosurePair *p,
                       const ThSignature *g)
{
    if (p->x >= 0)
        sh_write_label(t, c->labels, p->x, g->symbol);
    th_text_add(t, p->x >= 0 ? " with " : "nothing with ");
    sh_write_label(t, c->labels, p->y, g->symbol);
}

/* What stands in the way of a proof, or would first. */
static void say_pairs(ShSession *s, const ThProofClosure *c, const ThSignature *g)
{
    for (int which = 0; which < MEASURES; which++) {
        const ThProofClosurePair *p = worst_pair(c, which, NULL);
        ThText t TH_OWNED(th_text_free) = {0};
        if (!p)
            return;
        write_pair(&t, c, p, g);
        if (which == WIDEST)
            sh_say(s, "  widest       %s: products come to %.3g of half the gap%s\n", t.data,
                   measure(p, which), isfinite(p->gap) ? "" : ", for there is no other cluster");
        else
            sh_say(s, "  steepest     %s: slope %.3g between clusters, %.3g at the middles\n",
                   t.data, p->between, p->at);
        sh_results(s, which == WIDEST ? "widest:s share:r" : "steepest:s slope:r", t.data,
                   measure(p, which));
    }
}

/* Returns new (n_pairs): the names of the few worst pairs, NULL at all others. */
static char **worst_names(const ThProofClosure *c, const ThSignature *g, ThError *err)
{
    static const int named[] = {WIDEST, STEEPEST, STEEPEST, STEEPEST};
    char **name = th_alloc((size_t)c->n_pairs + 1, sizeof *name, err);
    for (size_t i = 0; name && i < sizeof named / sizeof *named; i++) {
        const ThProofClosurePair *p = worst_pair(c, named[i], name);
        ThText t TH_OWNED(th_text_free) = {0};
        if (!p)
            break;
        write_pair(&t, c, p, g);
        if (!(name[p - c->pair] = th_text_take(&t, err)))
            break;
    }
    return name;
}

/* ---- in words -------------------------------------------------------------------------------- */

static void say_closure(ShSession *s, const char *name, const ThProofClosure *c,
                        const ThSignature *g)
{
    const ThProofClosureLevel *last = &c->level[c->levels - 1];
    sh_results(s, "closed:b level:i radius:r gap:r purity:r", c->first < 0, (long long)c->first + 1,
               last->radius, last->gap, last->purity);
    if (c->first >= 0)
        say_word(s, name, c, g);
    else
        sh_say(s, "%s: every product that was tried stays in its cluster, up to level %d\n", name,
               c->levels);
    say_pairs(s, c, g);
}

/* Returns new: what the options of a call ask for. */
static ThProofClosure *closure_of(ShSession *s, const ShCall *call, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    const ThDfa *machine = sh_need_answers(m, &call->operand[1], err);
    if (!machine)
        return NULL;
    ThProofClosureHow how = {.levels = (int)th_option_int(&call->options, "levels"),
                             .keep = (int)th_option_int(&call->options, "keep"),
                             .pairs = th_option_int(&call->options, "pairs"),
                             .limit = (size_t)th_option_int(&call->options, "elements"),
                             .seed = (uint64_t)sh_seed(s, &call->options)};
    ThProofClosure *c = th_proof_closure(m, machine, &how, sh_stop(s), err);
    if (!c)
        sh_error_inside(err, &call->operand[0]);
    return c;
}

SH_COMMAND(
    closure, .group = "inspection",
    .summary = "follow the clusters of a model's vectors level by level, and see whether they hold",
    .detail =
        "With C = 2 and K = 1 the vectors of a level are F(x, y) of those of the level below.  "
        "Each has a label, as certify says: the function that its symbols induce, and whether its "
        "subtree is complete.  From the vectors of one and two symbols on, all products of a "
        "level's vectors are computed; of each label keep= of them make the next level: the "
        "farthest from the middle, then always the farthest from all that were chosen.  So the "
        "edges of clusters are followed, and what is visited are vectors of real strings.\n\n"
        "A row a level: products that were visited, and whether those are all of the vectors that "
        "were kept; clusters (middles that a vector is nearest to) and their purity, the share of "
        "vectors with their cluster's most frequent function; radius, the greatest distance from "
        "the middle of one's label; gap, the least distance between two middles; slope, the "
        "greatest |Jx| + |Jy| of F at the middles, and between them, half way to the nearest; and "
        "wrong, the products that are nearer to another middle, which are not followed further.\n\n"
        "closed says that none is wrong.  Else level, length and word "
        "say where that begins, and wrong whether the model's answer to the word is, too.  A model "
        "can be right on all strings that one tries and not be closed.  A closed one is not "
        "proved; certify proves.  Where that is open, widest and steepest say why: the two labels "
        "of the last level whose products come farthest from the middle of their label, as a share "
        "of half the way to the nearest other one, and the two between whose clusters the map "
        "is steepest.  plot closure draws levels or pairs.",
    .example = "task t = parity\n"
               "model m = regulargpt dim=16 heads=2\n"
               "train m on t length=1..40 steps=800 batch=32 lr=3e-3 curriculum=adaptive noise=0.3 "
               "seed=1 > \"train.txt\"\n"
               "closure m on t levels=8 > \"levels.csv\"\n"
               "assert closed and purity == 1 and gap > radius and share < 1",
    .results = "closed level radius gap purity length word wrong widest share steepest slope",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}}, .options = options,
    .flags = C_PAGED)
{
    const ShObject *o = call->operand[0].object;
    ThProofClosure *c TH_OWNED(th_proof_closure_free) = closure_of(s, call, err);
    if (!c)
        return false;
    show_levels(s, c);
    say_closure(s, o->name, c, &o->as.model->signature);
    return true;
}

static bool draw_pairs(ThFigure *f, const char *title, const ThProofClosure *c,
                       const ThSignature *g, ThError *err)
{
    const ThProofClosurePair *widest = worst_pair(c, WIDEST, NULL);
    if (!widest)
        return th_fail(err, TH_EVALUE, "no products of two labels were computed") ||
               th_hint(err, "pairs are of the vectors below the last level: levels=2 or more");
    if (!isfinite(th_proof_closure_share(widest)) || !(worst_pair(c, STEEPEST, NULL)->between > 0))
        return th_fail(err, TH_EVALUE, "the model has one cluster for two labels, or no slope");
    char **name = worst_names(c, g, err);
    if (name)
        th_plot_closure_pairs(f, title, c, name);
    TH_FREE_EACH(name, c->n_pairs);
    return name != NULL;
}

static const ThOptionSpec plot_options[] = {
    {"view", TH_CHOICE, "levels", 0, 0, "levels|pairs", "levels, or the pairs of the last one"},
    CLOSURE_OPTIONS,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

SH_PLOT(plot_closure, .summary = "draw the clusters of a model's vectors by level, or by pairs",
        .detail = "view=levels: the radius of the clusters against the least gap between two of "
                  "them, the number of clusters, and on the right axis the slope of the map at "
                  "their middles and between them.  view=pairs: a point for every two labels that "
                  "meet at the last level.  Across is how far their products come from the middle "
                  "of their label, as a share of half the way to the nearest other one; upwards "
                  "the slope at the middles, which should be below 1, and between clusters.  The "
                  "widest pair and the three steepest are named.  closure prints the numbers "
                  "and explains them.",
        .example = "compile parity as m > \"proof.txt\"\n"
                   "plot closure m on recognize(parity) levels=5 > \"closure.svg\"\n"
                   "plot closure m on recognize(parity) levels=5 view=pairs > \"pairs.svg\"",
        .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
        .options = plot_options)
{
    ThProofClosure *c TH_OWNED(th_proof_closure_free) = closure_of(s, call, err);
    const ShObject *o = call->operand[0].object;
    bool pairs = strcmp(th_option_text(&call->options, "view"), "pairs") == 0;
    char *title TH_OWNED(free) =
        th_printed(NULL, "%s of %s on %s", pairs ? "pairs of labels" : "clusters", o->name,
                   call->operand[1].object->name);
    if (c && !pairs)
        th_plot_closure(f, title ? title : "", c);
    return c && (!pairs || draw_pairs(f, title ? title : "", c, &o->as.model->signature, err));
}
