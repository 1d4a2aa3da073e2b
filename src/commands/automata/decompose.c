/* decompose.c - the cascade of simple machines that a machine decomposes into. */
#include "commands/automata/monoid.h"

char *sh_set_text(const ThHolonomy *h, char *const *state, int set, size_t most, ThError *err)
{
    ThText t = {0};
    int left = h->points[set];
    th_text_add(&t, "{");
    for (int q = 0; q < h->n_states; q++) {
        if (!th_holonomy_contains(h, set, q))
            continue;
        if (t.size > 1 && t.size + strlen(state[q]) > most) {
            th_text_printf(&t, " and %d more", left);
            break;
        }
        th_text_printf(&t, "%s%s", t.size > 1 ? " " : "", state[q]);
        left--;
    }
    th_text_add(&t, "}");
    return th_text_take(&t, err);
}

/* Returns new: the tiles of a family one after the other. */
static char *tiles_text(const ThHolonomy *h, char *const *state, const ThAutomatonFamily *f,
                        size_t most, ThError *err)
{
    ThText t = {0};
    for (int i = 0; i < f->n_tiles; i++) {
        char *one = sh_set_text(h, state, f->tile[i], most / 2, err);
        if (!one) {
            th_text_free(&t);
            return NULL;
        }
        if (i > 0 && t.size + strlen(one) > most) {
            th_text_printf(&t, " and %d more", f->n_tiles - i);
            free(one);
            break;
        }
        th_text_printf(&t, "%s%s", i ? " " : "", one);
        free(one);
    }
    return th_text_take(&t, err);
}

static bool table_families(ShSession *s, const ThHolonomy *h, char *const *state, ThError *err)
{
    bool ok = true;
    size_t most = sh_out(s) ? 32 : SIZE_MAX / 4;
    sh_table(s, "components", "level:i group:s tiles:i sets:i set:s into:s");
    for (int i = 0; ok && i < h->n_families; i++) {
        const ThAutomatonFamily *f = &h->families[i];
        if (f->n_points == 1)
            continue;
        char *set TH_OWNED(free) = sh_set_text(h, state, f->representative, most, err);
        char *tiles TH_OWNED(free) = set ? tiles_text(h, state, f, most, err) : NULL;
        ok = tiles != NULL;
        if (ok)
            sh_row(s, (long long)f->level + 1, f->facts.name, (long long)f->n_tiles,
                   (long long)f->n_sets, set, tiles);
    }
    sh_table_end(s);
    return ok;
}

/* Appends coordinates, tiles counted from 1, and . for a level that is skipped. */
static void write_coordinates(ThText *t, const ThHolonomy *h, const int *coordinate)
{
    for (int level = 0; level < h->n_levels; level++) {
        th_text_add(t, level ? " " : "");
        if (coordinate[level] < 0)
            th_text_add(t, ".");
        else
            th_text_printf(t, "%d", coordinate[level] + 1);
    }
}

/* The first coordinates of every state, if they are few. */
static bool list_states(ShSession *s, const ThHolonomy *h, char *const *state, ThError *err)
{
    enum { FEW = 40 };
    if (h->n_states > FEW)
        return true;
    int *c TH_OWNED(free) = th_alloc((size_t)h->n_levels, sizeof *c, err);
    bool ok = c != NULL;
    sh_table(s, "coordinates", "state:s coordinates:l");
    for (int q = 0; ok && q < h->n_states; q++) {
        ThText t = {0};
        th_holonomy_lift(h, q, c);
        write_coordinates(&t, h, c);
        char *text TH_OWNED(free) = th_text_take(&t, err);
        ok = text != NULL;
        if (ok)
            sh_row(s, state[q], text);
    }
    sh_table_end(s);
    return ok;
}

/* The run of the cascade on a word beside that of the machine. */
static bool table_run(ShSession *s, const ThHolonomy *h, const ShMachine *m, const int *word,
                      int length, ThError *err)
{
    const ThAutomaton *a = m->minimal;
    size_t levels = (size_t)h->n_levels;
    int *c TH_OWNED(free) = th_alloc(2 * levels, sizeof *c, err), q = h->d->start;
    bool ok = c != NULL;
    if (ok)
        th_holonomy_lift(h, q, c);
    sh_table(s, "run", "step:i symbol:s coordinates:l state:s machine:s");
    for (int i = 0; ok && i <= length; i++) {
        ThText t = {0};
        if (i > 0) {
            ok = th_holonomy_step(h, c, word[i - 1], c + levels, err);
            memcpy(c, c + levels, levels * sizeof *c);
            q = h->d->next[q * h->n_symbols + word[i - 1]];
        }
        write_coordinates(&t, h, c);
        char *text TH_OWNED(free) = th_text_take(&t, err);
        ok = ok && text;
        if (ok)
            sh_row(s, (long long)i, i ? a->symbol[word[i - 1]] : "", text,
                   m->state[th_holonomy_state(h, c)], m->state[q]);
    }
    sh_table_end(s);
    return ok;
}

static void write_count(ThText *t, size_t n, const char *what)
{
    th_text_printf(t, "%zu %s%s", n, what, sh_plural(n));
}

static void say_check(ShSession *s, const ThHolonomy *h, const ThHolonomyCheck *check)
{
    ThText t = {0};
    write_count(&t, (size_t)h->n_levels, "level");
    th_text_add(&t, "; the cascade follows the machine from every state by every symbol: ");
    write_count(&t, check->tuples, "tuple");
    th_text_printf(&t,
                   " of coordinates%s, each with every symbol, and what happens on a level depends "
                   "on those above only",
                   check->closed ? ", all that the states' own lead to" : "");
    sh_say_wrapped(s, "verified:", &t);
}

static const ThOptionSpec decompose_options[] = {
    {"word", TH_STRING, NULL, 0, 0, NULL, "an input to follow in coordinates"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* Levels with a group, each once, for the figures. */
static void set_decomposition(ShSession *s, const ThHolonomy *h, const ThHolonomyCheck *check)
{
    long long components = 0, groups = 0;
    for (int i = 0; i < h->n_families; i++) {
        components += h->families[i].n_points > 1;
        groups += h->families[i].facts.order > 1;
    }
    sh_results(s, "levels:i components:i groups:i verified:b tuples:i complete_states:i",
               (long long)h->n_levels, (long long)components, (long long)groups, true,
               (long long)check->tuples, (long long)h->n_states);
}

SH_COMMAND(
    decompose, .group = "automata", .summary = "decompose a machine into a cascade of simple ones",
    .detail =
        "The holonomy form of the decomposition of Krohn and Rhodes, of the complete minimal "
        "machine; A may be an expression.  Image sets are the sets of states that words take all "
        "states to, and single states; the tiles of one are the greatest image sets inside it.  A "
        "component is a family of image sets that words take to each other and back: its states "
        "are the tiles of one of them, its inputs permute these by the group, or choose one of "
        "them whatever was there before.  sets is the size of the family.\n\n"
        "A state has one coordinate a level: the tile in which it lies, in that chosen one level "
        "above (. where a level is skipped).  What a symbol does to a coordinate depends on those "
        "above only.  The cascade is tried on every state and symbol and all coordinates that "
        "follow from these, as far as limit-states reaches, before it is printed.  Coordinates are "
        "listed for up to 40 states.\n\n"
        "word=\"…\" follows an input in coordinates beside the machine.",
    .example = "decompose tomita(2) word=\"1011\"\n"
               "#> level  group    tiles  sets  set           into\n"
               "#>     1  trivial      2     1  {q0 sink q1}  {q0 sink} {sink q1}\n"
               "#>     2  trivial      2     2  {q0 sink}     {q0} {sink}\n"
               "#> state  coordinates\n"
               "#> q0     1 1\n"
               "#> sink   1 2\n"
               "#> q1     2 1\n"
               "#> step  symbol  coordinates  state  machine\n"
               "#>    0          1 1          q0     q0\n"
               "#>    1  1       2 1          q1     q1\n"
               "#>    2  0       1 1          q0     q0\n"
               "#>    3  1       2 1          q1     q1\n"
               "#>    4  1       2 2          sink   sink\n"
               "#> verified: 2 levels; the cascade follows the machine from every state by every\n"
               "#>   symbol: 4 tuples of coordinates, all that the states' own lead to, each with\n"
               "#>   every symbol, and what happens on a level depends on those above only",
    .results = "levels components groups verified tuples complete_states",
    .args = {{A_AUTOMATON_EXPRESSION, "A", 0}}, .options = decompose_options, .flags = C_PAGED)
{
    ShMachine m TH_OWNED(sh_machine_free) = {0};
    ThHolonomyCheck check;
    if (!sh_machine_of(&m, s, &call->operand[0], err))
        return false;
    const char *input = th_option_text(&call->options, "word");
    int length = -1, *word TH_OWNED(free) = th_symbols_read(m.minimal->symbol, m.minimal->n_symbols,
                                                            input ? input : "", &length, err);
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    ThHolonomy *h TH_OWNED(th_holonomy_free) =
        word ? th_holonomy_new(m.d, limit, sh_stop(s), err) : NULL;
    bool ok = h && th_holonomy_verify(h, limit, &check, sh_stop(s), err);
    if (ok) {
        set_decomposition(s, h, &check);
        ok = table_families(s, h, m.state, err) && list_states(s, h, m.state, err);
    }
    if (ok && input)
        ok = table_run(s, h, &m, word, length, err);
    if (ok)
        say_check(s, h, &check);
    if (!ok && err->code == TH_ELIMIT)
        th_hint(err, "set limit-states sets this limit");
    return ok || sh_error_inside(err, &call->operand[0]);
}
