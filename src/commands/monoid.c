/* monoid.c - the algebra of a language: its transition monoid, and the cascade that its machine
 * decomposes into. */
#include "commands/monoid.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/symbols.h"

/* ---- the minimal machine --------------------------------------------------------------------- */

static int follow_arc(const ThAutomaton *a, int q, int symbol)
{
    for (size_t i = q < 0 ? 0 : a->first[q]; q >= 0 && i < a->first[q + 1]; i++)
        if (a->arc[i].symbol == symbol)
            return a->arc[i].to;
    return -1;
}

static bool is_state(const ThAutomaton *a, const char *name)
{
    for (int q = 0; q < a->n_states; q++)
        if (strcmp(a->state[q], name) == 0)
            return true;
    return false;
}

/* For every state of d the first state of `a` that words lead to, both followed breadth first; -1:
 * nowhere.  False if memory runs out. */
static bool pair_states(const ThDfa *d, const ThAutomaton *a, int *pair, ThError *err)
{
    int n = 0, *queue = th_alloc((size_t)d->n_states, sizeof *queue, err);
    bool *met = th_alloc((size_t)d->n_states, sizeof *met, err);
    if (queue && met) {
        pair[d->start] = -1;
        for (int q = a->n_states - 1; q >= 0; q--)
            pair[d->start] = a->start[q] ? q : pair[d->start];
        met[d->start] = true;
        queue[n++] = d->start;
    }
    for (int i = 0; i < n; i++)
        for (int b = 0; b < d->n_symbols; b++) {
            int to = d->next[queue[i] * d->n_symbols + b];
            if (met[to])
                continue;
            met[to] = true;
            pair[to] = follow_arc(a, pair[queue[i]], b);
            queue[n++] = to;
        }
    bool ok = queue && met;
    free(queue);
    free(met);
    return ok;
}

/* States of a nondeterministic automaton's machine are those of the minimal automaton. */
static bool name_states(ThMachine *m, const ThAutomaton *original, ThError *err)
{
    int n = m->d->n_states;
    const ThAutomaton *a = th_automaton_deterministic(original) ? original : m->minimal;
    const char *sink = is_state(a, "sink") ? "sink'" : "sink";
    int *pair = th_alloc((size_t)n, sizeof *pair, err);
    m->state = th_alloc((size_t)n, sizeof *m->state, err);
    bool ok = pair && m->state && pair_states(m->d, a, pair, err);
    for (int q = 0; ok && q < n; q++) {
        m->state[q] = th_strdup(pair[q] < 0 ? sink : a->state[pair[q]], err);
        ok = m->state[q] != NULL;
    }
    free(pair);
    return ok;
}

/* A transducer with outputs on its transitions is minimal with these; d knows acceptance only. */
static ThDfa *complete(const ThAutomaton *minimal, ThSession *s, ThError *err)
{
    ThDfa *d = th_automaton_dfa(minimal, 0, th_stop(s), err);
    if (!d || th_automaton_mealy(minimal))
        return d;
    ThDfa *smallest = th_dfa_minimize(d, th_stop(s), err);
    th_dfa_free(d);
    return smallest;
}

bool th_machine_of(ThMachine *m, ThSession *s, const ThOperand *o, ThError *err)
{
    *m = (ThMachine){0};
    ThAutomaton *a = th_automaton_value(s, o, err);
    if (!a)
        return false;
    size_t limit = (size_t)th_setting_int(s, "limit-states");
    m->minimal = th_automaton_minimize(a, limit, th_stop(s), err);
    m->d = m->minimal ? complete(m->minimal, s, err) : NULL;
    bool ok = m->d && name_states(m, a, err);
    th_automaton_free(a);
    if (ok)
        return true;
    th_machine_free(m);
    th_error_inside(err, o);
    return false;
}

void th_machine_free(ThMachine *m)
{
    if (m->d)
        th_names_free(m->state, m->d->n_states);
    th_automaton_free(m->minimal);
    th_dfa_free(m->d);
    *m = (ThMachine){0};
}

/* ---- the algebra of it ----------------------------------------------------------------------- */

bool th_algebra_of(ThAlgebra *a, ThSession *s, const ThOperand *o, ThError *err)
{
    *a = (ThAlgebra){0};
    if (!th_machine_of(&a->machine, s, o, err))
        return false;
    size_t limit = (size_t)th_setting_int(s, "limit-states");
    a->m = th_monoid_new(a->machine.d, limit, th_stop(s), err);
    a->g = a->m ? th_green_new(a->m, th_stop(s), err) : NULL;
    if (a->g && th_varieties_of(&a->v, a->m, a->g, th_stop(s), err))
        return true;
    th_algebra_free(a);
    if (err->code == TH_ELIMIT)
        th_hint(err, "set limit-states sets this limit");
    th_error_inside(err, o);
    return false;
}

void th_algebra_free(ThAlgebra *a)
{
    th_varieties_free(&a->v);
    th_green_free(a->g);
    th_monoid_free(a->m);
    th_machine_free(&a->machine);
    *a = (ThAlgebra){0};
}

char *th_element_name(const ThAlgebra *a, int x, ThError *err)
{
    enum { LONGEST = 200 };
    ThText t = {0};
    int word[LONGEST], length = a->m->length[x];
    if (length <= LONGEST) {
        th_monoid_word(a->m, x, word);
        th_symbols_write(&t, a->machine.minimal->symbol, a->m->n_symbols, word, length);
    } else {
        th_text_printf(&t, "#%d", x);
    }
    th_text_add(&t, x == 0 ? "ε" : "");
    return th_text_take(&t, err);
}

char **th_element_names(const ThAlgebra *a, ThError *err)
{
    int n = a->m->size;
    char **name = th_alloc((size_t)n, sizeof *name, err);
    for (int x = 0; name && x < n; x++) {
        name[x] = th_element_name(a, x, err);
        if (!name[x]) {
            th_names_free(name, n);
            return NULL;
        }
    }
    return name;
}

void th_names_free(char **names, int n)
{
    for (int i = 0; names && i < n; i++)
        free(names[i]);
    free(names);
}

/* The shortest word that takes all states to one, or -1. */
static int reset_element(const ThMonoid *m)
{
    for (int x = 0; x < m->size; x++) {
        int q = 1;
        while (q < m->n_states && th_monoid_image(m, x, q) == th_monoid_image(m, x, 0))
            q++;
        if (q >= m->n_states)
            return x;
    }
    return -1;
}

void th_set_algebra(ThSession *s, const ThAlgebra *a)
{
    const ThVarieties *v = &a->v;
    int reset = reset_element(a->m);
    th_result_int(s, "size", a->m->size);
    th_result_int(s, "idempotents", a->g->n_idempotents);
    th_result_flag(s, "aperiodic", v->aperiodic);
    th_result_flag(s, "group", v->group);
    th_result_flag(s, "solvable", v->solvable);
    th_result_int(s, "period", (long long)v->period);
    th_result_int(s, "exponent", (long long)v->exponent);
    th_result_int(s, "complete_states", a->m->n_states);
    th_result_int(s, "classes", a->g->n_d);
    th_result_flag(s, "star_free", v->aperiodic);
    th_result_flag(s, "commutative", v->commutative);
    th_result_flag(s, "definite", v->definite);
    th_result_flag(s, "reset", v->reset);
    th_result_flag(s, "locally_testable", v->locally_testable);
    th_result_flag(s, "j_trivial", v->j_trivial);
    th_result_flag(s, "r_trivial", v->r_trivial);
    th_result_flag(s, "l_trivial", v->l_trivial);
    th_result_int(s, "reset_length", reset < 0 ? -1 : a->m->length[reset]);
}

/* ---- in words -------------------------------------------------------------------------------- */

/* The groups by name, each once, in the order of their D-classes. */
static void write_groups(ThText *t, const ThAlgebra *a)
{
    for (int d = 0; d < a->g->n_d; d++) {
        const ThGroupFacts *f = &a->v.groups[d];
        bool met = f->order <= 1;
        for (int e = 0; e < d && !met; e++)
            met = a->v.groups[e].order > 1 && strcmp(a->v.groups[e].name, f->name) == 0;
        if (!met)
            th_text_printf(t, "%s%s%s", t->size ? ", " : "",
                           strncmp(f->name, "order", 5) == 0 ? "of " : "", f->name);
    }
    th_text_add(t, t->size ? "" : "all trivial");
}

static void write_properties(ThText *t, const ThVarieties *v)
{
    const struct {
        bool holds;
        const char *name;
    } property[] = {
        {v->aperiodic, "star-free (aperiodic)"},
        {v->group, "a group language"},
        {v->commutative, "commutative"},
        {v->idempotent, "idempotent"},
        {v->definite, "definite (the last symbols decide)"},
        {v->reverse_definite, "reverse definite (the first symbols decide)"},
        {v->generalized_definite && !v->definite && !v->reverse_definite,
         "generalized definite (the first and last symbols decide)"},
        {v->locally_testable, "locally testable"},
        {v->j_trivial, "J-trivial (piecewise testable)"},
        {v->r_trivial && !v->j_trivial, "R-trivial"},
        {v->l_trivial && !v->j_trivial, "L-trivial"},
        {v->da && !v->r_trivial && !v->l_trivial, "DA (first-order with two variables)"},
        {v->reset, "a reset machine (symbols keep the state or forget it)"},
    };
    for (size_t i = 0; i < sizeof property / sizeof *property; i++)
        if (property[i].holds)
            th_text_printf(t, "%s%s", t->size ? ", " : "", property[i].name);
    th_text_add(t, t->size ? "" : "none of the classes that are tested");
}

/* Prints a text in lines of at most 79 columns, continued under an indent. */
static void say_wrapped(ThSession *s, const char *label, const char *text)
{
    enum { WIDTH = 79, INDENT = 2 };
    int column = th_utf8_width(label);
    th_say(s, "%s", label);
    for (const char *word = text; *word;) {
        size_t n = strcspn(word, " ");
        char piece[256];
        size_t kept = n < sizeof piece - 1 ? n : sizeof piece - 1;
        memcpy(piece, word, kept);
        piece[kept] = '\0';
        int width = th_utf8_width(piece);
        if (column + 1 + width > WIDTH) {
            th_say(s, "\n%*s%s", INDENT, "", piece);
            column = INDENT + width;
        } else {
            th_say(s, " %s", piece);
            column += 1 + width;
        }
        word += n + strspn(word + n, " ");
    }
    th_say(s, "\n");
}

static void say_text(ThSession *s, const char *label, ThText *t)
{
    say_wrapped(s, label, t->data ? t->data : "");
    th_text_free(t);
}

static void write_periodic_meaning(ThText *t, const ThVarieties *v)
{
    bool power_of_two = (v->exponent & (v->exponent - 1)) == 0;
    th_text_printf(t,
                   "The repetitions of some word have to be counted modulo %zu, however long the "
                   "input. In the "
                   "RegularGPT paper (table 1) the best plain Transformer reaches 22 to 75 %% on "
                   "the tasks of this kind (Parity, Cycle Navigation, Modular Arithmetic, Tomita 5 "
                   "and 6), and 100 %% on Tomita 3 only; RegularGPT with chunk 2 reaches 96 to "
                   "100 %% on all of them. A linear recurrence of bounded precision with diagonal "
                   "matrices needs %s entries for it (Grazzi et al. 2025). ",
                   v->period, power_of_two ? "negative" : "complex");
    if (!v->solvable)
        th_text_add(t, "A group in it is not solvable, so that recognizing it is complete for NC1 "
                       "(Barrington 1989): no model of constant depth and logarithmic precision "
                       "does it at all lengths unless TC0 = NC1. Depth that grows with the "
                       "logarithm of the length, as RegularGPT's does, suffices. ");
    else
        th_text_add(t, "Its groups are solvable: circuits of constant depth that count suffice "
                       "(ACC0; Barrington and Thérien 1988). ");
}

/* What is known and what was measured; no promise about a training. */
static void say_meaning(ThSession *s, const ThAlgebra *a)
{
    ThText t = {0};
    long long n = a->m->n_states;
    if (a->v.aperiodic)
        th_text_add(&t, "Nothing has to be counted modulo a number. Transformers with masked hard "
                        "attention recognize exactly the star-free languages (Yang, Chiang and "
                        "Angluin 2024); in the RegularGPT paper (table 1) the best plain "
                        "Transformer reaches 99.7 to 100 % on every task of this kind, though the "
                        "average one 70 to 83 % only. ");
    else
        write_periodic_meaning(&t, &a->v);
    if (n > 1 && n < 1000000)
        th_text_printf(&t,
                       "RegularGPT's exact construction (lemma 1) multiplies maps of %lld states "
                       "with %lld hidden units.",
                       n, n * n * n);
    say_text(s, "for models:", &t);
}

static void say_summary(ThSession *s, const ThAlgebra *a)
{
    const ThVarieties *v = &a->v;
    ThText t = {0};
    int reset = reset_element(a->m);
    th_say(s, "%d element%s, %d idempotent%s, %d D-class%s; minimal complete machine: %d state%s\n",
           a->m->size, a->m->size == 1 ? "" : "s", a->g->n_idempotents,
           a->g->n_idempotents == 1 ? "" : "s", a->g->n_d, a->g->n_d == 1 ? "" : "es",
           a->m->n_states, a->m->n_states == 1 ? "" : "s");
    write_groups(&t, a);
    th_text_printf(&t, "; %s, period %zu", v->solvable ? "solvable" : "not solvable", v->period);
    if (v->exponent != v->period)
        th_text_printf(&t, ", exponent %zu", v->exponent);
    say_text(s, "groups:", &t);
    write_properties(&t, v);
    say_text(s, "language:", &t);
    if (reset > 0)
        th_say(s, "reset: the shortest words that take all states to one have %d symbol%s\n",
               a->m->length[reset], a->m->length[reset] == 1 ? "" : "s");
    say_meaning(s, a);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool table_classes(ThSession *s, const ThAlgebra *a, ThError *err)
{
    bool ok = true;
    th_table(s, "classes",
             "class:i depth:i rows:i columns:i cell:i elements:i groups:i group:s first:s");
    for (int d = 0; ok && d < a->g->n_d; d++) {
        const ThDClass *c = &a->g->class[d];
        char *first = th_element_name(a, c->first, err);
        ok = first != NULL;
        if (ok)
            th_row(s, (long long)d + 1, (long long)c->depth, (long long)c->n_r, (long long)c->n_l,
                   (long long)c->h_size, (long long)(a->g->start[d + 1] - a->g->start[d]),
                   (long long)c->n_groups, c->n_groups ? a->v.groups[d].name : "none", first);
        free(first);
    }
    th_table_end(s);
    return ok;
}

/* Returns new: the words of x·a for all symbols a, or of a·x. */
static char *products(const ThAlgebra *a, char *const *name, const int *table, int x, ThError *err)
{
    ThText t = {0};
    for (int b = 0; b < a->m->n_symbols; b++)
        th_text_printf(&t, "%s%s", b ? ", " : "", name[table[x * a->m->n_symbols + b]]);
    return th_text_take(&t, err);
}

static bool table_elements(ThSession *s, const ThAlgebra *a, char *const *name, ThError *err)
{
    bool ok = true;
    th_table(s, "elements", "element:i word:s idempotent:b class:i row:i column:i right:s left:s");
    for (int x = 0; ok && x < a->m->size; x++) {
        char *right = products(a, name, a->m->right, x, err);
        char *left = right ? products(a, name, a->m->left, x, err) : NULL;
        ok = left != NULL;
        if (ok)
            th_row(s, (long long)x, name[x], (int)th_monoid_idempotent(a->m, x),
                   (long long)a->g->d[x] + 1, (long long)a->g->row[x] + 1,
                   (long long)a->g->column[x] + 1, right, left);
        free(right);
        free(left);
    }
    th_table_end(s);
    return ok;
}

/* ---- egg-boxes ------------------------------------------------------------------------------- */

enum { PAGE = 78, WIDEST_CELL = 40 };

ThEggbox th_eggbox_of(const ThAlgebra *a, char *const *name)
{
    ThEggbox e = {.m = a->m, .g = a->g, .name = name, .mark = "*", .widest = WIDEST_CELL};
    for (int b = 0; b < a->m->n_symbols; b++)
        if (strchr(a->machine.minimal->symbol[b], '*'))
            e.mark = "°";
    return e;
}

/* Returns new: the texts of a class's cells, by rows, and *width of the widest. */
static char **cell_texts(const ThEggbox *e, int d, int *width, ThError *err)
{
    const ThDClass *c = &e->g->class[d];
    int n = c->n_r * c->n_l;
    char **text = th_alloc((size_t)n, sizeof *text, err);
    *width = 0;
    for (int i = 0; text && i < n; i++) {
        text[i] = th_eggbox_cell(e, d, i / c->n_l, i % c->n_l, err);
        if (!text[i]) {
            th_names_free(text, n);
            return NULL;
        }
        int w = th_utf8_width(text[i]);
        *width = w > *width ? w : *width;
    }
    return text;
}

static void say_rule(ThSession *s, int columns, int width)
{
    th_say(s, "  +");
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < width + 2; i++)
            th_say(s, "-");
        th_say(s, "+");
    }
    th_say(s, "\n");
}

/* One character a cell where the words have no room: a star for a group. */
static void say_small_box(ThSession *s, const ThEggbox *e, int d)
{
    const ThDClass *c = &e->g->class[d];
    for (int row = 0; row < c->n_r; row++) {
        th_say(s, "  ");
        for (int column = 0; column < c->n_l; column++)
            th_say(s, "%s", th_eggbox_group(e, d, row, column) ? "*" : ".");
        th_say(s, "\n");
    }
}

static void say_large_box(ThSession *s, const ThDClass *c, char *const *text, int width)
{
    for (int row = 0; row < c->n_r; row++) {
        say_rule(s, c->n_l, width);
        th_say(s, "  |");
        for (int column = 0; column < c->n_l; column++) {
            const char *cell = text[row * c->n_l + column];
            th_say(s, " %s%*s |", cell, width - th_utf8_width(cell), "");
        }
        th_say(s, "\n");
    }
    say_rule(s, c->n_l, width);
}

static bool say_box(ThSession *s, const ThEggbox *e, const char *label, int d, ThError *err)
{
    const ThDClass *c = &e->g->class[d];
    int width;
    char **text = cell_texts(e, d, &width, err);
    if (!text)
        return false;
    th_say(s, "D-class %s\n", label);
    if (3 + c->n_l * (width + 3) <= PAGE)
        say_large_box(s, c, text, width);
    else if (c->n_l <= PAGE)
        say_small_box(s, e, d);
    else
        th_say(s, "  too wide to be shown\n");
    th_names_free(text, c->n_r * c->n_l);
    return true;
}

char **th_class_labels(const ThAlgebra *a, ThError *err)
{
    char **label = th_alloc((size_t)a->g->n_d, sizeof *label, err);
    for (int d = 0; label && d < a->g->n_d; d++) {
        const ThDClass *c = &a->g->class[d];
        ThText t = {0};
        th_text_printf(&t, "%d: %d x %d", d + 1, c->n_r, c->n_l);
        if (c->h_size > 1)
            th_text_printf(&t, ", cells of %d", c->h_size);
        if (c->n_groups == 0)
            th_text_add(&t, ", not regular");
        else if (c->h_size > 1)
            th_text_printf(&t, ", group %s", a->v.groups[d].name);
        label[d] = th_text_take(&t, err);
        if (!label[d]) {
            th_names_free(label, a->g->n_d);
            return NULL;
        }
    }
    return label;
}

static bool say_eggbox(ThSession *s, const ThAlgebra *a, char *const *name, ThError *err)
{
    ThEggbox e = th_eggbox_of(a, name);
    char **label = th_class_labels(a, err);
    bool ok = label != NULL;
    for (int d = 0; ok && d < a->g->n_d; d++)
        ok = !th_stopped(th_stop(s), err) && say_box(s, &e, label[d], d, err);
    th_names_free(label, a->g->n_d);
    return ok;
}

static const ThOptionSpec monoid_options[] = {
    {"show", TH_CHOICE, "auto", 0, 0, "auto|summary|classes|eggbox|elements",
     "what follows the summary; auto: the egg-boxes of up to 120 elements, else up to 60 classes"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static bool show_details(ThSession *s, const ThAlgebra *a, const char *show, ThError *err)
{
    enum { SMALL = 120, FEW = 60 };
    if (strcmp(show, "auto") == 0) {
        bool small = a->m->size <= SMALL && th_out(s);
        show = small ? "eggbox" : a->g->n_d <= FEW || !th_out(s) ? "classes" : "summary";
    }
    if (strcmp(show, "summary") == 0)
        return true;
    if (strcmp(show, "classes") == 0)
        return table_classes(s, a, err);
    char **name = th_element_names(a, err);
    bool ok = name != NULL;
    if (ok && strcmp(show, "elements") == 0)
        ok = table_elements(s, a, name, err);
    else if (ok)
        ok = say_eggbox(s, a, name, err);
    th_names_free(name, a->m->size);
    return ok;
}

TH_COMMAND(
    monoid, .group = "automata",
    .summary = "the transition monoid of a language, and what it says about the language",
    .detail =
        "The elements are the maps of states that words induce in the complete minimal machine; an "
        "element is named by its shortest word, the identity by ε.  A may be an expression.  "
        "Froidure and Pin's algorithm; limit-states bounds the number of elements.\n\n"
        "Printed are the groups in it by name (Z_n cyclic, D_n dihedral of 2n elements, S_n, A_n, "
        "Q_n, products of cyclic ones, else the order), the period (the greatest p such that some "
        "word acts in a cycle of p) and the exponent (their least common multiple), to which of "
        "the tested classes the language belongs, how many symbols bring all states to one where "
        "some word does, and what this lets expect of models.  Those are results of the "
        "literature, not predictions of a training.\n\n"
        "Then follow Green's relations.  An egg-box is a D-class: its rows are R-classes, its "
        "columns L-classes, its cells H-classes; idempotents have a star (° where the "
        "alphabet has one), and their cells are groups.  Where words have no room a cell is a star "
        "or a dot.  show=elements prints the "
        "Cayley table: right are the products with every symbol in the order of the alphabet, left "
        "those from the left.\n\n"
        "For a transducer the machine is minimal with respect to its outputs.",
    .example =
        "monoid flip_flop\n"
        "#> 3 elements, 3 idempotents, 2 D-classes; minimal complete machine: 3 states\n"
        "#> groups: all trivial; solvable, period 1\n"
        "#> language: star-free (aperiodic), idempotent, L-trivial, a reset machine\n"
        "#>   (symbols keep the state or forget it)\n"
        "#> reset: the shortest words that take all states to one have 1 symbol\n"
        "#> for models: Nothing has to be counted modulo a number. Transformers with masked\n"
        "#>   hard attention recognize exactly the star-free languages (Yang, Chiang and\n"
        "#>   Angluin 2024); in the RegularGPT paper (table 1) the best plain Transformer\n"
        "#>   reaches 99.7 to 100 % on every task of this kind, though the average one 70\n"
        "#>   to 83 % only. RegularGPT's exact construction (lemma 1) multiplies maps of 3\n"
        "#>   states with 27 hidden units.\n"
        "#> D-class 1: 1 x 1\n"
        "#>   +----+\n"
        "#>   | ε* |\n"
        "#>   +----+\n"
        "#> D-class 2: 1 x 2\n"
        "#>   +-----+-----+\n"
        "#>   | w0* | w1* |\n"
        "#>   +-----+-----+",
    .results = "size idempotents aperiodic group solvable period exponent complete_states classes "
               "star_free "
               "commutative definite reset locally_testable j_trivial r_trivial l_trivial "
               "reset_length",
    .args = {{A_AUTOMATON_EXPRESSION, "A", 0}}, .options = monoid_options, .flags = C_PAGED)
{
    ThAlgebra a;
    if (!th_algebra_of(&a, s, &call->operand[0], err))
        return false;
    th_set_algebra(s, &a);
    say_summary(s, &a);
    bool ok = show_details(s, &a, th_option_text(&call->options, "show"), err);
    th_algebra_free(&a);
    return ok;
}

/* ---- decompose ------------------------------------------------------------------------------- */

char *th_set_text(const ThHolonomy *h, char *const *state, int set, size_t most, ThError *err)
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
static char *tiles_text(const ThHolonomy *h, char *const *state, const ThFamily *f, size_t most,
                        ThError *err)
{
    ThText t = {0};
    for (int i = 0; i < f->n_tiles; i++) {
        char *one = th_set_text(h, state, f->tile[i], most / 2, err);
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

static bool table_families(ThSession *s, const ThHolonomy *h, char *const *state, ThError *err)
{
    bool ok = true;
    size_t most = th_out(s) ? 32 : SIZE_MAX / 4;
    th_table(s, "components", "level:i group:s tiles:i sets:i set:s into:s");
    for (int i = 0; ok && i < h->n_families; i++) {
        const ThFamily *f = &h->families[i];
        if (f->n_points == 1)
            continue;
        char *set = th_set_text(h, state, f->representative, most, err);
        char *tiles = set ? tiles_text(h, state, f, most, err) : NULL;
        ok = tiles != NULL;
        if (ok)
            th_row(s, (long long)f->level + 1, f->facts.name, (long long)f->n_tiles,
                   (long long)f->n_sets, set, tiles);
        free(set);
        free(tiles);
    }
    th_table_end(s);
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
static bool list_states(ThSession *s, const ThHolonomy *h, char *const *state, ThError *err)
{
    enum { FEW = 40 };
    if (h->n_states > FEW)
        return true;
    int *c = th_alloc((size_t)h->n_levels, sizeof *c, err);
    bool ok = c != NULL;
    th_table(s, "coordinates", "state:s coordinates:s");
    for (int q = 0; ok && q < h->n_states; q++) {
        ThText t = {0};
        th_holonomy_lift(h, q, c);
        write_coordinates(&t, h, c);
        char *text = th_text_take(&t, err);
        ok = text != NULL;
        if (ok)
            th_row(s, state[q], text);
        free(text);
    }
    th_table_end(s);
    free(c);
    return ok;
}

/* The run of the cascade on a word beside that of the machine. */
static bool table_run(ThSession *s, const ThHolonomy *h, const ThMachine *m, const int *word,
                      int length, ThError *err)
{
    const ThAutomaton *a = m->minimal;
    size_t levels = (size_t)h->n_levels;
    int *c = th_alloc(2 * levels, sizeof *c, err), q = h->d->start;
    bool ok = c != NULL;
    if (ok)
        th_holonomy_lift(h, q, c);
    th_table(s, "run", "step:i symbol:s coordinates:s state:s machine:s");
    for (int i = 0; ok && i <= length; i++) {
        ThText t = {0};
        if (i > 0) {
            ok = th_holonomy_step(h, c, word[i - 1], c + levels, err);
            memcpy(c, c + levels, levels * sizeof *c);
            q = h->d->next[q * h->n_symbols + word[i - 1]];
        }
        write_coordinates(&t, h, c);
        char *text = th_text_take(&t, err);
        ok = ok && text;
        if (ok)
            th_row(s, (long long)i, i ? a->symbol[word[i - 1]] : "", text,
                   m->state[th_holonomy_state(h, c)], m->state[q]);
        free(text);
    }
    th_table_end(s);
    free(c);
    return ok;
}

static void write_count(ThText *t, size_t n, const char *what)
{
    th_text_printf(t, "%zu %s%s", n, what, n == 1 ? "" : "s");
}

static void say_check(ThSession *s, const ThHolonomy *h, const ThCascadeCheck *check)
{
    ThText t = {0};
    write_count(&t, (size_t)h->n_levels, "level");
    th_text_add(&t, "; the cascade follows the machine from every state by every symbol: ");
    write_count(&t, check->tuples, "tuple");
    th_text_printf(&t,
                   " of coordinates%s, each with every symbol, and what happens on a level "
                   "depends on those above only",
                   check->closed ? ", all that the states' own lead to" : "");
    say_text(s, "verified:", &t);
}

static const ThOptionSpec decompose_options[] = {
    {"word", TH_STRING, NULL, 0, 0, NULL, "an input to follow in coordinates"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* Levels with a group, each once, for the figures. */
static void set_decomposition(ThSession *s, const ThHolonomy *h, const ThCascadeCheck *check)
{
    long long components = 0, groups = 0;
    for (int i = 0; i < h->n_families; i++) {
        components += h->families[i].n_points > 1;
        groups += h->families[i].facts.order > 1;
    }
    th_result_int(s, "levels", h->n_levels);
    th_result_int(s, "components", components);
    th_result_int(s, "groups", groups);
    th_result_flag(s, "verified", true);
    th_result_int(s, "tuples", (long long)check->tuples);
    th_result_int(s, "complete_states", h->n_states);
}

TH_COMMAND(
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
    .results = "levels components groups verified "
               "tuples complete_states",
    .args = {{A_AUTOMATON_EXPRESSION, "A", 0}}, .options = decompose_options, .flags = C_PAGED)
{
    ThMachine m;
    ThCascadeCheck check;
    if (!th_machine_of(&m, s, &call->operand[0], err))
        return false;
    const char *input = th_option_text(&call->options, "word");
    int length = -1, *word = th_symbols_read(m.minimal->symbol, m.minimal->n_symbols,
                                             input ? input : "", &length, err);
    size_t limit = (size_t)th_setting_int(s, "limit-states");
    ThHolonomy *h = word ? th_holonomy_new(m.d, limit, th_stop(s), err) : NULL;
    bool ok = h && th_holonomy_verify(h, limit, &check, th_stop(s), err);
    if (ok) {
        set_decomposition(s, h, &check);
        ok = table_families(s, h, m.state, err) && list_states(s, h, m.state, err);
    }
    if (ok && input)
        ok = table_run(s, h, &m, word, length, err);
    if (ok)
        say_check(s, h, &check);
    free(word);
    th_holonomy_free(h);
    th_machine_free(&m);
    if (!ok && err->code == TH_ELIMIT)
        th_hint(err, "set limit-states sets this limit");
    return ok || th_error_inside(err, &call->operand[0]);
}
