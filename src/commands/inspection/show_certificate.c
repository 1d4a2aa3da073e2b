/* show_certificate.c - what stands in a certificate, in words and as figures. */
#include <math.h>
#include <sys/stat.h>

#include "commands/inspection/proofs.h"
#include "commands/modelling.h"
#include "commands/plots/plots.h"
#include "shell.h"

/* ---- names of sets --------------------------------------------------------------------------- */

/* The monoid of a certificate's automaton and domain, to name maps by; NULL where it is too large,
 * which is no error. */
static ThMonoid *monoid_of(ShSession *s, const ThProofCertificate *c)
{
    enum { MOST_ELEMENTS = 20000 };
    ThError problem = {0};
    int n = c->n_states + c->n_domain;
    ThDfa *both TH_OWNED(th_dfa_free) = th_dfa_new(n, c->n_symbols, 1, &problem);
    if (!both)
        return NULL;
    memcpy(both->next, c->next, (size_t)n * (size_t)c->n_symbols * sizeof *c->next);
    return th_monoid_new(both, MOST_ELEMENTS, sh_stop(s), &problem);
}

static bool is_constant(const ThProofCertificate *c, const int *map)
{
    for (int q = 1; q < c->n_states; q++)
        if (map[q] != map[0])
            return false;
    return true;
}

/* "ab": the shortest word that a set stands for; of a recurrent network "state 1"; where neither
 * is known, the states. */
static void write_map(ThText *t, const ThProofCertificate *c, const ThMonoid *m, int i, bool cell)
{
    const int *map = c->map + i * (c->n_states + c->n_domain);
    int x = m && !cell ? th_monoid_find(m, map) : -1;
    if (cell && is_constant(c, map)) {
        th_text_printf(t, "state %d", map[0]);
        return;
    }
    for (int q = 0; x < 0 && q < c->n_states; q++)
        th_text_printf(t, q ? " %d" : "%d", map[q]);
    if (x < 0)
        return;
    int *word TH_OWNED(free) = th_alloc((size_t)m->length[x] + 1, sizeof *word, NULL);
    if (x == 0 || !word)
        th_text_add(t, "1");
    else {
        th_monoid_word(m, x, word);
        th_symbols_write(t, c->symbol, c->n_symbols, word, m->length[x]);
    }
}

/* Of what the checker numbers: nothing, a set, a symbol, the start. */
static void write_name(ThText *t, const ThProofCertificate *c, const ThMonoid *m, int i, bool cell)
{
    if (i < 0)
        th_text_add(t, "nothing");
    else if (i >= c->n_labels + c->n_symbols)
        th_text_add(t, "the start");
    else if (i >= c->n_labels)
        th_text_add(t, c->symbol[i - c->n_labels]);
    else {
        if (cell)
            th_text_printf(t, "set %d of ", i + 1);
        else
            th_text_add(t, c->complete[i] ? "complete " : "edge ");
        write_map(t, c, m, i, cell);
    }
}

/* Are the sets those of a recurrent network's states?  They are all of one kind, and constant. */
static bool of_states(const ThProofCertificate *c)
{
    for (int i = 0; i < c->n_labels; i++)
        if (c->complete[i] || !is_constant(c, c->map + i * (c->n_states + c->n_domain)))
            return false;
    return true;
}

/* ---- in words -------------------------------------------------------------------------------- */

static void say_names(ShSession *s, const char *what, char *const *name, int n)
{
    sh_say(s, "  %-12s", what);
    for (int i = 0; i < n; i++)
        sh_say(s, " %s", name[i]);
    sh_say(s, "\n");
}

/* What it is about. */
static void say_claim(ShSession *s, const ThProofCertificate *c, long long bytes)
{
    int asked = 0;
    for (int q = 0; q < c->n_states; q++)
        asked += c->answer[q] >= 0 || c->bits;
    sh_say(s, "a certificate by %s, %lld bytes\n", th_proof_method_name(c->method), bytes);
    say_names(s, "symbols", c->symbol, c->n_symbols);
    say_names(s, "classes", c->class_name, c->n_classes);
    if (c->formula)
        sh_say(s, "  formula      %s\n", c->formula);
    else
        sh_say(s, "  automaton    %d state%s, start %d; answers are asked for in %d\n", c->n_states,
               sh_plural(c->n_states), c->start, asked);
    if (c->n_domain > 0)
        sh_say(s, "  strings      those that an acceptor of %d state%s takes\n", c->n_domain,
               sh_plural(c->n_domain));
    else
        sh_say(s, "  strings      all\n");
    sh_say(s, "  vectors      of %d numbers\n", c->dim);
    sh_say(s, "  slack        %.3g a vector and logit\n", c->slack);
    if (c->method == TH_PROOF_BY_ALGEBRA)
        sh_say(s, "  balls        of radius %.3g around the vectors of a model's own elements\n",
               c->ball);
    if (c->method >= TH_PROOF_BY_TABLE)
        sh_say(s, "  the rest     is made anew from the weights\n");
    sh_results(s, "by:s bytes:i sets:i dim:i states:i domain:i asked:i slack:r",
               th_proof_method_name(c->method), bytes, (long long)c->n_labels, (long long)c->dim,
               (long long)c->n_states, (long long)c->n_domain, (long long)asked, c->slack);
}

/* Of the pairs whose product lies in set i the one that takes most of it, or NULL. */
static const ThProofPair *tightest_into(const ThProofPairs *p, int i)
{
    const ThProofPair *found = NULL;
    for (size_t k = 0; k < p->n; k++)
        if ((i < 0 || p->pair[k].into == i) && (!found || p->pair[k].share > found->share))
            found = &p->pair[k];
    return found;
}

static void write_pair(ThText *t, const ThProofCertificate *c, const ThMonoid *m,
                       const ThProofPair *p, bool cell)
{
    write_name(t, c, m, p->x, cell);
    th_text_add(t, " with ");
    write_name(t, c, m, p->y, cell);
}

/* A row a set; with pairs, what comes nearest to its edge, and what does of all. */
static void say_sets(ShSession *s, const ThProofCertificate *c, const ThProofPairs *p)
{
    ThMonoid *m TH_OWNED(th_monoid_free) = monoid_of(s, c);
    bool cell = of_states(c);
    sh_table(s, "sets",
             p ? "set:i kind:s of:s answer:s radius:r share:r tightest:s"
               : "set:i kind:s of:s answer:s radius:r");
    for (int i = 0; i < c->n_labels; i++) {
        ThText of TH_OWNED(th_text_free) = {0}, pair TH_OWNED(th_text_free) = {0};
        const char *kind = cell ? "states" : c->complete[i] ? "complete" : "edge";
        int answer = c->answer[c->map[i * (c->n_states + c->n_domain) + c->start]];
        const ThProofPair *worst = p ? tightest_into(p, i) : NULL;
        write_map(&of, c, m, i, cell);
        if (worst)
            write_pair(&pair, c, m, worst, cell);
        const char *text = th_text_string(&of), *says = answer < 0 ? "" : c->class_name[answer];
        if (p)
            sh_row(s, (long long)i + 1, kind, text, says, c->radius[i], worst ? worst->share : 0.0,
                   th_text_string(&pair));
        else
            sh_row(s, (long long)i + 1, kind, text, says, c->radius[i]);
    }
    sh_table_end(s);
    const ThProofPair *worst = p ? tightest_into(p, -1) : NULL;
    if (!worst)
        return;
    ThText pair TH_OWNED(th_text_free) = {0};
    write_pair(&pair, c, m, worst, cell);
    sh_say(s, "the tightest pair is %s: it takes %.3g of set %d\n", th_text_string(&pair),
           worst->share, worst->into + 1);
    sh_results(s, "pair:s share:r", th_text_string(&pair), worst->share);
}

static long long size_of(ShSession *s, const ShOperand *file)
{
    struct stat found;
    char *path TH_OWNED(free) = sh_beside_script(s, file->text, NULL);
    return path && stat(path, &found) == 0 ? (long long)found.st_size : 0;
}

/* Of the file alone; nothing is checked. */
static bool show_file(ShSession *s, const ShCall *call, ThError *err)
{
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        sh_read_certificate(s, &call->operand[0], err);
    if (!c)
        return false;
    say_claim(s, c, size_of(s, &call->operand[0]));
    if (c->method == TH_PROOF_BY_SETS)
        say_sets(s, c, NULL);
    sh_say(s, "it was not checked: that takes a model, see help show certificate\n");
    return true;
}

static bool show_checked(ShSession *s, const ShCall *call, ThError *err)
{
    const ShObject *o = call->operand[1].object;
    ShVerified v TH_OWNED(sh_verified_free) = {.d = {.words = NULL}};
    bool ok =
        sh_verify(s, call, o, call->operand[2].object, &v, err) && sh_need_proof(call, &v, err);
    if (ok) {
        say_claim(s, v.c, size_of(s, &call->operand[0]));
        if (v.c->method == TH_PROOF_BY_SETS)
            say_sets(s, v.c, &v.pairs);
        sh_say_checked(s, o->name, &v);
    }
    return ok;
}

#define TRAINED_CERTIFICATE                                                                        \
    "task t = parity\n"                                                                            \
    "model m = regulargpt dim=16 heads=2\n"                                                        \
    "train m on t length=1..40 steps=600 batch=32 lr=3e-3 schedule=cosine noise=0.5 ramp=0.4 "     \
    "centre_loss=0.3 auxiliary_loss=0.5 loss_threshold=0.2 seed=1 > \"train.txt\"\n"               \
    "certify m on t certificate=\"parity.cert\" > \"proof.txt\"\n"

SH_COMMAND(
    show_certificate, .group = "inspection",
    .summary = "show what a proof of certify consists of, and where it is tight",
    .detail =
        "Of the file alone: how it proves (by sets, by algebra, by a table), how large it is, the "
        "symbols and classes, the automaton with the number of states in which answers are asked "
        "for, the strings it is about, the slack; and a row for each set: the kind of subtree that "
        "its vectors are of, the shortest word of the map that they stand for, the answer that "
        "must be read off them, the radius.  Of a recurrent network a set stands for a state of "
        "the automaton in the file.  Nothing of it is checked.\n\n"
        "Behind of MODEL on TASK everything is, as check certificate does, and each row says which "
        "pair of sets comes nearest to the edge of this one, and what share of the radius it "
        "takes, slack included; the last lines say of which runs the proof holds.  One that does "
        "not hold is an error.  plot certificate draws both.\n\n"
        "scripts/checker/README.md describes the file, for whoever writes another checker.",
    .example = TRAINED_CERTIFICATE "show certificate \"parity.cert\" > \"file.txt\"\n"
                                   "assert by == \"sets\" and sets == 4 and dim == 16\n"
                                   "show certificate \"parity.cert\" of m on t > \"sets.txt\"\n"
                                   "assert holds and in_float and share < 1",
    .results = "by bytes sets dim states domain asked slack pair share holds in_float in_double "
               "checks tightest tolerance rounding why seconds",
    .args = {{A_FILE, "FILE", 0}},
    .args2 = {{A_FILE, "FILE", 0},
              {A_KEYWORD, "of", 0},
              {A_MODEL, "MODEL", 0},
              {A_KEYWORD, "on", 0},
              {A_TASK, "TASK", 0}},
    .options = sh_check_options, .flags = C_PAGED)
{
    return call->form == 2 ? show_checked(s, call, err) : show_file(s, call, err);
}

/* ---- as figures ------------------------------------------------------------------------------ */

static void free_grid(ThPlotGrid *g)
{
    TH_FREE_EACH(g->row, g->rows);
    TH_FREE_EACH(g->column, g->columns);
    free(g->share);
}
TH_RELEASES_VALUE(free_grid, ThPlotGrid)

/* Returns new: the names of what stands in pairs, of the numbers from -1 on that do. */
static char **names_of(const ThProofCertificate *c, const ThMonoid *m, const int *place, int n,
                       int total, ThError *err)
{
    char **name = th_alloc((size_t)n + 1, sizeof *name, err);
    for (int i = -1; name && i < total; i++) {
        ThText t TH_OWNED(th_text_free) = {0};
        if (place[i + 1] < 0)
            continue;
        write_name(&t, c, m, i, of_states(c));
        if (!(name[place[i + 1]] = th_text_take(&t, err)))
            break;
    }
    return name;
}

/* place (1 + total) <- from 0 on, those that are first (or second) in a pair; else -1.  Returns how
 * many there are. */
static int find_places(const ThProofPairs *p, bool second, int *place, int total)
{
    int n = 0;
    for (int i = 0; i <= total; i++)
        place[i] = -1;
    for (size_t k = 0; k < p->n; k++)
        place[1 + (second ? p->pair[k].y : p->pair[k].x)] = 0;
    for (int i = 0; i <= total; i++)
        if (place[i] == 0)
            place[i] = n++;
    return n;
}

/* Shares of all pairs: who comes first down, who comes second across. */
static bool fill_grid(ThPlotGrid *g, const ThProofCertificate *c, const ThMonoid *m,
                      const ThProofPairs *p, ThError *err)
{
    int total = c->n_labels + c->n_symbols + 1;
    int *row TH_OWNED(free) = th_alloc((size_t)total + 1, sizeof *row, err);
    int *column TH_OWNED(free) = th_alloc((size_t)total + 1, sizeof *column, err);
    if (!row || !column)
        return false;
    g->rows = find_places(p, false, row, total);
    g->columns = find_places(p, true, column, total);
    g->row = names_of(c, m, row, g->rows, total, err);
    g->column = g->row ? names_of(c, m, column, g->columns, total, err) : NULL;
    g->share = th_alloc((size_t)g->rows * (size_t)g->columns + 1, sizeof *g->share, err);
    if (!g->column || !g->share)
        return false;
    for (int i = 0; i < g->rows * g->columns; i++)
        g->share[i] = (double)NAN;
    for (size_t k = 0; k < p->n; k++)
        g->share[row[1 + p->pair[k].x] * g->columns + column[1 + p->pair[k].y]] = p->pair[k].share;
    g->compact = g->columns > 16;
    return true;
}

static bool draw_rooms(ThFigure *f, ShSession *s, const char *title, const ShVerified *v,
                       ThError *err)
{
    ThMonoid *m TH_OWNED(th_monoid_free) = monoid_of(s, v->c);
    ThPlotGrid g TH_OWNED(free_grid) = {.down = "who comes first", .over = "who comes second"};
    return fill_grid(&g, v->c, m, &v->pairs, err) && th_plot_grid(f, title, &g, err);
}

static bool draw_sets(ThFigure *f, ShSession *s, const char *title, const ShVerified *v,
                      ThError *err)
{
    const ThProofCertificate *c = v->c;
    ThMonoid *m TH_OWNED(th_monoid_free) = monoid_of(s, c);
    int *all TH_OWNED(free) = th_alloc((size_t)c->n_labels + 1, sizeof *all, err);
    if (!all)
        return false;
    all[0] = -1;
    for (int i = 0; i < c->n_labels; i++)
        all[i + 1] = i;
    char **name = names_of(c, m, all, c->n_labels, c->n_labels, err);
    const ThPlotSets sets = {c, &v->pairs, name};
    bool ok = name && th_plot_sets(f, title, &sets, err);
    TH_FREE_EACH(name, c->n_labels);
    return ok;
}

/* The plane of the sets' centres, for the checker to look along; *way is to be freed. */
static bool choose_ways(ShSession *s, const ShCall *call, ShVerified *v, double **way, ThError *err)
{
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        sh_read_certificate(s, &call->operand[0], err);
    if (!c)
        return false;
    if (c->method != TH_PROOF_BY_SETS)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                               "the certificate has no sets: it is by %s",
                               th_proof_method_name(c->method));
    *way = th_plot_sets_ways(c, err);
    v->pairs.way = *way;
    v->pairs.n_ways = TH_PLOT_WAYS;
    return *way != NULL;
}

static const ThOptionSpec plot_options[] = {
    {"view", TH_CHOICE, "room", 0, 0, "room|sets",
     "room: what share of its set each pair takes; sets: the sets in two dimensions"},
    SH_DOMAIN_OPTION,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

SH_PLOT(plot_certificate, .summary = "draw a proof of certify: the room of all pairs, or its sets",
        .detail = "The certificate is checked first, as check certificate does; one that does not "
                  "hold is an error.  view=room is a matrix: what is made of the row's set and the "
                  "column's must lie in the set of their product, and the cell says what share of "
                  "that set's radius it takes, slack included; at 1 there is no room left.  "
                  "view=sets draws each set on a scale of its own, and in it all that pairs make "
                  "that must stay within it, as shadows on the plane of the first two principal "
                  "components of the sets' centres: what lies within in all dimensions lies within "
                  "here; but who is far out in another dimension may look as if it had room.",
        .example = TRAINED_CERTIFICATE
        "plot certificate \"parity.cert\" of m on t > \"room.svg\"\n"
        "plot certificate \"parity.cert\" of m on t view=sets > \"sets.svg\"",
        .args = {{A_FILE, "FILE", 0},
                 {A_KEYWORD, "of", 0},
                 {A_MODEL, "MODEL", 0},
                 {A_KEYWORD, "on", 0},
                 {A_TASK, "TASK", 0}},
        .options = plot_options)
{
    const ShObject *o = call->operand[1].object, *t = call->operand[2].object;
    double *way TH_OWNED(free) = NULL;
    ShVerified v TH_OWNED(sh_verified_free) = {.d = {.words = NULL}};
    bool sets = strcmp(th_option_text(&call->options, "view"), "sets") == 0;
    bool ok = choose_ways(s, call, &v, &way, err);
    v.pairs.n_ways = sets ? v.pairs.n_ways : 0;
    ok = ok && sh_verify(s, call, o, t, &v, err) && sh_need_proof(call, &v, err);
    char *title TH_OWNED(free) =
        th_printed(NULL, "%s of a proof: %s on %s", sets ? "sets" : "room", o->name, t->name);
    return ok && (sets ? draw_sets : draw_rooms)(f, s, title ? title : "", &v, err);
}
