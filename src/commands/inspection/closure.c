/* closure.c - the clusters of a model's vectors, level after level. */

#include "commands/modelling.h"
#include "commands/plots/plots.h"

static const ThOptionSpec options[] = {
    {"levels", TH_INT, "13", 1, 30, NULL, "of the tree: strings of up to 2^levels symbols"},
    {"keep", TH_INT, "12", 1, 1000, NULL,
     "vectors of each label that a level is made of, those at the edges of their cluster"},
    {"pairs", TH_INT, "20000", 8, 10000000, NULL,
     "products of a level at most; where there are more, random ones are taken"},
    {"elements", TH_INT, "200", 1, 10000, NULL, "of the automaton's semigroup, at most"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of random products; default: set seed"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

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
        "plot closure draws this.  closed says that none is wrong.  Else level, length and word "
        "say where that begins, and wrong whether the model's answer to the word is, too.  A model "
        "can be right on all strings that one tries and not be closed.  A closed one is not "
        "proved; certify proves.",
    .example = "task t = parity\n"
               "model m = regulargpt dim=16 heads=2\n"
               "train m on t length=1..40 steps=400 batch=32 lr=3e-3 curriculum=adaptive noise=0.3 "
               "seed=1 > \"train.txt\"\n"
               "closure m on t levels=8 > \"levels.csv\"\n"
               "assert closed and purity == 1 and gap > radius",
    .results = "closed level radius gap purity length word wrong",
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

SH_PLOT(plot_closure, .summary = "draw the clusters of a model's vectors by level",
        .detail = "The radius of the clusters against the least gap between two of them, the "
                  "number of clusters, and on the right axis the slope of the map at their middles "
                  "and between them.  closure prints the numbers and explains them.",
        .example = "compile parity as m > \"proof.txt\"\n"
                   "plot closure m on recognize(parity) levels=5 > \"closure.svg\"",
        .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
        .options = options)
{
    ThProofClosure *c TH_OWNED(th_proof_closure_free) = closure_of(s, call, err);
    char *title TH_OWNED(free) = th_printed(
        NULL, "clusters of %s on %s", call->operand[0].object->name, call->operand[1].object->name);
    if (c)
        th_plot_closure(f, title ? title : "", c);
    return c != NULL;
}
