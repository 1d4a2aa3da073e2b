/* monoid.c - the transition monoid of a language in words, as tables and as egg-boxes. */
#include "commands/automata/monoid.h"

/* ---- in words -------------------------------------------------------------------------------- */

void sh_write_groups(ThText *t, const ThGreen *g, const ThVarieties *v)
{
    size_t before = t->size;
    for (int d = 0; d < g->n_d; d++) {
        const ThGroupFacts *f = &v->groups[d];
        bool met = f->order <= 1;
        for (int e = 0; e < d && !met; e++)
            met = v->groups[e].order > 1 && strcmp(v->groups[e].name, f->name) == 0;
        if (!met)
            th_text_printf(t, "%s%s%s%s%s%s", t->size > before ? ", " : "",
                           strncmp(f->name, "order", 5) == 0 ? "of " : "", f->name,
                           f->invariants[0] ? " (" : "", f->invariants,
                           f->invariants[0] ? ")" : "");
    }
    th_text_add(t, t->size > before ? "" : "all trivial");
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

/* What is known and what was measured; no promise about a training. */
static void say_meaning(ShSession *s, const ShAlgebra *a)
{
    ThText t = {0};
    th_inspect_meaning(&t, &a->v, a->m->n_states);
    sh_say_wrapped(s, "for models:", &t);
}

static void say_summary(ShSession *s, const ShAlgebra *a)
{
    const ThVarieties *v = &a->v;
    ThText t = {0};
    int reset = sh_reset_element(a->m);
    sh_say(s, "%d element%s, %d idempotent%s, %d D-class%s; minimal complete machine: %d state%s\n",
           a->m->size, sh_plural(a->m->size), a->g->n_idempotents, sh_plural(a->g->n_idempotents),
           a->g->n_d, a->g->n_d == 1 ? "" : "es", a->m->n_states, sh_plural(a->m->n_states));
    sh_write_groups(&t, a->g, &a->v);
    th_text_printf(&t, "; %s, period %zu", v->solvable ? "solvable" : "not solvable", v->period);
    if (v->exponent != v->period)
        th_text_printf(&t, ", exponent %zu", v->exponent);
    sh_say_wrapped(s, "groups:", &t);
    write_properties(&t, v);
    sh_say_wrapped(s, "language:", &t);
    if (reset > 0)
        sh_say(s, "reset: the shortest words that take all states to one have %d symbol%s\n",
               a->m->length[reset], sh_plural(a->m->length[reset]));
    say_meaning(s, a);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static bool table_classes(ShSession *s, const ShAlgebra *a, ThError *err)
{
    bool ok = true;
    sh_table(s, "classes",
             "class:i depth:i rows:i columns:i cell:i elements:i groups:i group:s first:s");
    for (int d = 0; ok && d < a->g->n_d; d++) {
        const ThGreenDClass *c = &a->g->d_class[d];
        char *first TH_OWNED(free) = sh_element_name(a, c->first, err);
        ok = first != NULL;
        if (ok)
            sh_row(s, (long long)d + 1, (long long)c->depth, (long long)c->n_r, (long long)c->n_l,
                   (long long)c->h_size, (long long)(a->g->start[d + 1] - a->g->start[d]),
                   (long long)c->n_groups, c->n_groups ? a->v.groups[d].name : "none", first);
    }
    sh_table_end(s);
    return ok;
}

/* Returns new: the words of x·a for all symbols a, or of a·x. */
static char *products(const ShAlgebra *a, char *const *name, const int *table, int x, ThError *err)
{
    ThText t = {0};
    for (int b = 0; b < a->m->n_symbols; b++)
        th_text_printf(&t, "%s%s", b ? ", " : "", name[table[x * a->m->n_symbols + b]]);
    return th_text_take(&t, err);
}

static bool table_elements(ShSession *s, const ShAlgebra *a, char *const *name, ThError *err)
{
    bool ok = true;
    sh_table(s, "elements", "element:i word:s idempotent:b class:i row:i column:i right:s left:s");
    for (int x = 0; ok && x < a->m->size; x++) {
        char *right TH_OWNED(free) = products(a, name, a->m->right, x, err);
        char *left TH_OWNED(free) = right ? products(a, name, a->m->left, x, err) : NULL;
        ok = left != NULL;
        if (ok)
            sh_row(s, (long long)x, name[x], (int)th_monoid_idempotent(a->m, x),
                   (long long)a->g->d[x] + 1, (long long)a->g->row[x] + 1,
                   (long long)a->g->column[x] + 1, right, left);
    }
    sh_table_end(s);
    return ok;
}

/* ---- egg-boxes ------------------------------------------------------------------------------- */

enum { PAGE = 78, WIDEST_CELL = 40 };

ThEggbox sh_eggbox_of(const ShAlgebra *a, char *const *name)
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
    const ThGreenDClass *c = &e->g->d_class[d];
    int n = c->n_r * c->n_l;
    char **text = th_alloc((size_t)n, sizeof *text, err);
    *width = 0;
    for (int i = 0; text && i < n; i++) {
        text[i] = th_eggbox_cell(e, d, i / c->n_l, i % c->n_l, err);
        if (!text[i]) {
            TH_FREE_EACH(text, n);
            return NULL;
        }
        int w = th_utf8_width(text[i]);
        *width = w > *width ? w : *width;
    }
    return text;
}

static void say_rule(ShSession *s, int columns, int width)
{
    sh_say(s, "  +");
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < width + 2; i++)
            sh_say(s, "-");
        sh_say(s, "+");
    }
    sh_say(s, "\n");
}

/* One character a cell where the words have no room: a star for a group. */
static void say_small_box(ShSession *s, const ThEggbox *e, int d)
{
    const ThGreenDClass *c = &e->g->d_class[d];
    for (int row = 0; row < c->n_r; row++) {
        sh_say(s, "  ");
        for (int column = 0; column < c->n_l; column++)
            sh_say(s, "%s", th_eggbox_group(e, d, row, column) ? "*" : ".");
        sh_say(s, "\n");
    }
}

static void say_large_box(ShSession *s, const ThGreenDClass *c, char *const *text, int width)
{
    for (int row = 0; row < c->n_r; row++) {
        say_rule(s, c->n_l, width);
        sh_say(s, "  |");
        for (int column = 0; column < c->n_l; column++) {
            const char *cell = text[row * c->n_l + column];
            sh_say(s, " %s%*s |", cell, width - th_utf8_width(cell), "");
        }
        sh_say(s, "\n");
    }
    say_rule(s, c->n_l, width);
}

static bool say_box(ShSession *s, const ThEggbox *e, const char *label, int d, ThError *err)
{
    const ThGreenDClass *c = &e->g->d_class[d];
    int width;
    char **text = cell_texts(e, d, &width, err);
    if (!text)
        return false;
    sh_say(s, "D-class %s\n", label);
    if (3 + c->n_l * (width + 3) <= PAGE)
        say_large_box(s, c, text, width);
    else if (c->n_l <= PAGE)
        say_small_box(s, e, d);
    else
        sh_say(s, "  too wide to be shown\n");
    TH_FREE_EACH(text, c->n_r * c->n_l);
    return true;
}

char **sh_class_labels(const ShAlgebra *a, ThError *err)
{
    char **label = th_alloc((size_t)a->g->n_d, sizeof *label, err);
    for (int d = 0; label && d < a->g->n_d; d++) {
        const ThGreenDClass *c = &a->g->d_class[d];
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
            TH_FREE_EACH(label, a->g->n_d);
            return NULL;
        }
    }
    return label;
}

static bool say_eggbox(ShSession *s, const ShAlgebra *a, char *const *name, ThError *err)
{
    ThEggbox e = sh_eggbox_of(a, name);
    char **label = sh_class_labels(a, err);
    bool ok = label != NULL;
    for (int d = 0; ok && d < a->g->n_d; d++)
        ok = !th_stopped(sh_stop(s), err) && say_box(s, &e, label[d], d, err);
    TH_FREE_EACH(label, a->g->n_d);
    return ok;
}

static const ThOptionSpec monoid_options[] = {
    {"show", TH_CHOICE, "auto", 0, 0, "auto|summary|classes|eggbox|elements",
     "what follows the summary; auto: the egg-boxes of up to 120 elements, else up to 60 classes"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};
typedef enum { SHOW_AUTO, SHOW_SUMMARY, SHOW_CLASSES, SHOW_EGGBOX, SHOW_ELEMENTS } Show; /* show= */

static bool show_details(ShSession *s, const ShAlgebra *a, Show show, ThError *err)
{
    enum { SMALL = 120, FEW = 60 };
    if (show == SHOW_AUTO) {
        bool small = a->m->size <= SMALL && sh_out(s);
        show = small ? SHOW_EGGBOX : a->g->n_d <= FEW || !sh_out(s) ? SHOW_CLASSES : SHOW_SUMMARY;
    }
    if (show == SHOW_SUMMARY)
        return true;
    if (show == SHOW_CLASSES)
        return table_classes(s, a, err);
    char **name = sh_element_names(a, err);
    bool ok = name != NULL;
    if (ok && show == SHOW_ELEMENTS)
        ok = table_elements(s, a, name, err);
    else if (ok)
        ok = say_eggbox(s, a, name, err);
    TH_FREE_EACH(name, a->m->size);
    return ok;
}

SH_COMMAND(
    monoid, .group = "automata",
    .summary = "the transition monoid of a language, and what it says about the language",
    .detail =
        "The elements are the maps of states that words induce in the complete minimal machine; an "
        "element is named by its shortest word, the identity by ε.  A may be an expression.  "
        "Froidure and Pin's algorithm; limit-states bounds the number of elements.\n\n"
        "Printed are the groups in it by name, as group \"...\" reads it (help automaton), one "
        "name for all that are isomorphic: Z_n, D_n of 2n elements, S_n, A_n, Q_n; to order 2,000 "
        "also linear groups, products, wreath products, and (N : H, r = ...), an abelian normal "
        "subgroup with a complement and how that acts.  All groups of less than 32 elements have "
        "names, and all but 137 of the 1,048 to order 100; of these there are order and "
        "invariants.  Then the period (the greatest p such that some word acts in a cycle of p) "
        "and the exponent (their least common multiple), to which of the tested classes the "
        "language belongs, how many symbols bring all states to one where some word does, and what "
        "this lets expect of models.  Those are results of the literature, not predictions of a "
        "training.\n\n"
        "Then follow Green's relations.  An egg-box is a D-class: its rows are R-classes, its "
        "columns L-classes, its cells H-classes; idempotents have a star (° where the alphabet has "
        "one), and their cells are groups.  Where words have no room a cell is a star or a dot.  "
        "show=elements prints the Cayley table: right are the products with every symbol in the "
        "order of the alphabet, left those from the left.\n\n"
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
               "star_free commutative definite reset locally_testable j_trivial r_trivial "
               "l_trivial reset_length",
    .args = {{A_AUTOMATON_EXPRESSION, "A", 0}}, .options = monoid_options, .flags = C_PAGED)
{
    ShAlgebra a TH_OWNED(sh_algebra_free) = {0};
    if (!sh_algebra_of(&a, s, &call->operand[0], err))
        return false;
    sh_set_algebra(s, &a);
    say_summary(s, &a);
    return show_details(s, &a, (Show)th_option_choice(&call->options, "show"), err);
}
