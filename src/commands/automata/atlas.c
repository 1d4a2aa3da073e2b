/* atlas.c - all minimal acceptors of a size, by the algebra of their languages. */

#include "commands/automata/monoid.h"

static const ThOptionSpec options[] = {
    {"states", TH_INT, "2", 1, TH_DFA_ATLAS_STATES, NULL, "of the complete machines, at most"},
    {"symbols", TH_INT, "2", 1, TH_DFA_ATLAS_SYMBOLS, NULL, "that they read"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

typedef struct {
    int number, languages, class, size, monoid;
    ThDfa *machine, *graph; /* the Cayley graph of its monoid, in its least form */
    char *groups;
} Entry;

typedef struct {
    ShSession *s;
    Entry *entry;
    size_t n, cap;
} Atlas;

static void free_atlas(Atlas *a)
{
    for (size_t i = 0; i < a->n; i++) {
        th_dfa_free(a->entry[i].machine);
        th_dfa_free(a->entry[i].graph);
        free(a->entry[i].groups);
    }
    free(a->entry);
}

/* ---- finding --------------------------------------------------------------------------------- */

/* Two monoids whose graphs have one form are one, generated in one way. */
static ThDfa *graph_of(const ThMonoid *m, ThError *err)
{
    int forms;
    ThDfa *d TH_OWNED(th_dfa_free) = th_dfa_new(m->size, m->n_symbols, 1, err), *least;
    for (int i = 0; d && i < m->size * m->n_symbols; i++)
        d->next[i] = m->right[i];
    least = d ? th_dfa_least_form(d, &forms, err) : NULL;
    return least;
}

static bool classify(ShSession *s, Entry *e, ThError *err)
{
    ThStop *stop = sh_stop(s);
    ThVarieties v TH_OWNED(th_varieties_free) = {0};
    ThMonoid *m TH_OWNED(th_monoid_free) =
        th_monoid_new(e->machine, (size_t)sh_setting_int(s, "limit-states"), stop, err);
    ThGreen *g TH_OWNED(th_green_free) = m ? th_green_new(m, stop, err) : NULL;
    bool ok = g && th_varieties_of(&v, m, g, stop, err);
    if (ok) {
        ThText t = {0};
        sh_write_groups(&t, g, &v);
        e->class = th_varieties_class(&v);
        e->size = m->size;
        e->groups = th_text_take(&t, err);
        e->graph = graph_of(m, err);
        ok = e->groups && e->graph;
    }
    return ok;
}

static bool add(void *context, const ThDfa *d, int languages, ThError *err)
{
    Atlas *a = context;
    if (!th_grow(&a->entry, &a->cap, a->n + 1, sizeof *a->entry, err))
        return false;
    Entry *e = &a->entry[a->n++];
    *e = (Entry){.number = (int)a->n, .languages = languages, .machine = th_dfa_copy(d, err)};
    return e->machine && classify(a->s, e, err);
}

static int by_algebra(const void *x, const void *y)
{
    const Entry *a = x, *b = y;
    if (a->class != b->class)
        return a->class - b->class;
    if (a->size != b->size)
        return a->size - b->size;
    int graphs = th_dfa_compare(a->graph, b->graph);
    return graphs ? graphs : a->number - b->number;
}

/* Sorts, and numbers the monoids; returns how many there are. */
static int sort(Atlas *a)
{
    int monoids = 0;
    if (!a->n) /* qsort takes no null */
        return 0;
    qsort(a->entry, a->n, sizeof *a->entry, by_algebra);
    for (size_t i = 0; i < a->n; i++) {
        const Entry *before = i ? &a->entry[i - 1] : NULL;
        Entry *e = &a->entry[i];
        bool same =
            before && before->size == e->size && th_dfa_compare(before->graph, e->graph) == 0;
        e->monoid = monoids += !same;
    }
    return monoids;
}

/* ---- showing --------------------------------------------------------------------------------- */

/* States are digits, 0 the start: where each goes by each symbol, and which accept. */
static bool show_entry(ShSession *s, const Entry *e, ThError *err)
{
    const ThDfa *d = e->machine;
    ThText next = {0}, accept = {0};
    for (int q = 0; q < d->n_states; q++) {
        th_text_add(&next, q ? " " : "");
        for (int a = 0; a < d->n_symbols; a++)
            th_text_printf(&next, "%d", d->next[q * d->n_symbols + a]);
        if (d->label[q])
            th_text_printf(&accept, "%d", q);
    }
    th_text_add(&accept, accept.size ? "" : "-");
    char *to TH_OWNED(free) = th_text_take(&next, err),
             *yes TH_OWNED(free) = th_text_take(&accept, err);
    if (to && yes)
        sh_row(s, th_varieties_class_name(e->class), (long long)e->size, (long long)e->monoid,
               e->groups, (long long)e->number, to, yes, (long long)e->languages);
    return to && yes;
}

static bool show_entries(const Atlas *a, ThError *err)
{
    bool ok = true;
    sh_table(a->s, "automata",
             "class:s size:i monoid:i groups:s number:i next:s accept:s languages:i");
    for (size_t i = 0; ok && i < a->n; i++)
        ok = show_entry(a->s, &a->entry[i], err);
    sh_table_end(a->s);
    return ok;
}

/* A row for every class that occurs; returns the number of languages. */
static long long show_classes(const Atlas *a)
{
    long long all = 0;
    sh_table(a->s, "classes", "class:s monoids:i automata:i languages:i");
    for (size_t i = 0; i < a->n;) {
        const Entry *first = &a->entry[i], *e = first;
        long long languages = 0;
        for (; i < a->n && a->entry[i].class == first->class; i++) {
            e = &a->entry[i];
            languages += e->languages;
        }
        long long monoids = e->monoid - first->monoid + 1, automata = e - first + 1;
        sh_row(a->s, th_varieties_class_name(first->class), monoids, automata, languages);
        all += languages;
    }
    sh_table_end(a->s);
    return all;
}

SH_COMMAND(
    enumerate_automata, .alias = "atlas", .group = "automata",
    .summary = "list all minimal acceptors of a size, by the algebra of their languages",
    .detail = "One of all those that renaming states or symbols makes equal; languages is how many "
              "that are, in all as many as there are languages (Domaratzki, Kisman and Shallit "
              "2002).  The automaton with a number is atlas(number, symbols) in expressions; "
              "numbers do not depend on states=.  next tells for each state, 0 the start, where "
              "the symbols lead; missing transitions count, so that a sink is a state.\n\n"
              "class is the first that holds of: trivial, J-trivial, definite, reverse definite, "
              "generalized definite, R-trivial, L-trivial, DA, locally testable, star-free, group, "
              "solvable, not solvable (see monoid).  Automata with the same monoid have, up to the "
              "names of symbols, the same multiplication of words.\n\n"
              "What architectures make of them is a sweep over numbers: examples/slow/atlas.th.",
    .example = "enumerate automata states=2 > \"atlas.txt\"\n"
               "assert automata == 16 and languages == 26\n"
               "compare atlas(7) parity",
    .results = "automata languages monoids", .options = options, .flags = C_PAGED)
{
    Atlas a = {.s = s};
    ThDfaAtlas walk = {.symbols = (int)th_option_int(&call->options, "symbols"),
                       .visit = add,
                       .context = &a,
                       .stop = sh_stop(s)};
    bool ok = true;
    for (walk.states = 1; ok && walk.states <= th_option_int(&call->options, "states");
         walk.states++)
        ok = th_dfa_atlas(&walk, err);
    int monoids = ok ? sort(&a) : 0;
    ok = ok && show_entries(&a, err);
    if (ok) {
        long long languages = show_classes(&a);
        sh_results(s, "automata:i languages:i monoids:i", (long long)a.n, (long long)languages,
                   (long long)monoids);
    }
    free_atlas(&a);
    return ok;
}
