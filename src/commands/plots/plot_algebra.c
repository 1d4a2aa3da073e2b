/* plot_algebra.c - drawing the algebra of a language. */

#include "commands/automata/monoid.h"
#include "commands/plots/plots.h"

static bool draw_eggbox(ThFigure *f, const char *title, const ShAlgebra *a, char *const *name,
                        ThError *err)
{
    char **label = sh_class_labels(a, err);
    ThEggbox e = sh_eggbox_of(a, name);
    bool ok = label && th_plot_eggbox(f, title, &e, label, err);
    TH_FREE_EACH(label, a->g->n_d);
    return ok;
}

/* The right Cayley graph is drawn as an automaton that starts at the identity; idempotents have the
 * second circle. */
static bool draw_cayley(ThFigure *f, const char *title, const ShAlgebra *a, char *const *name,
                        ThStop *stop, ThError *err)
{
    ThAutomatonBuild b = {0};
    int k = a->m->n_symbols;
    for (int i = 0; i < k; i++)
        th_automaton_build_symbol(&b, a->machine.minimal->symbol[i]);
    for (int x = 0; x < a->m->size; x++) {
        th_automaton_build_state(&b, name[x]);
        if (th_monoid_idempotent(a->m, x))
            th_automaton_build_accept(&b, x);
        for (int i = 0; i < k; i++)
            th_automaton_build_arc(
                &b, (ThAutomatonArc){x, i, a->m->right[x * k + i], TH_AUTOMATON_NO_OUTPUT});
    }
    th_automaton_build_start(&b, 0);
    ThAutomaton *graph TH_OWNED(th_automaton_free) = th_automaton_build_finish(&b, err);
    return graph && th_plot_automaton(f, title, graph, stop, err);
}

/* Returns new: WHAT of EXPRESSION. */
static char *title_of(const char *what, const ShCall *call, ThError *err)
{
    return th_printed(err, "%s of %s", what, call->operand[0].text);
}

static const ThOptionSpec plot_monoid_options[] = {
    {"view", TH_CHOICE, "eggbox", 0, 0, "eggbox|cayley",
     "the D-classes, or the graph of products with symbols from the right"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};
enum { VIEW_EGGBOX, VIEW_CAYLEY }; /* view= */

SH_PLOT(plot_monoid, .summary = "draw the transition monoid of a language",
        .detail =
            "view=eggbox: the D-classes, from the identity's downwards, joined where none lies "
            "between; rows are R-classes, columns L-classes, and cells that are groups are "
            "coloured.  Elements are named by their shortest words as long as there is room.\n\n"
            "view=cayley: an arrow a from every element x to xa; idempotents have two circles.\n\n"
            "monoid prints the numbers and explains them.",
        .example = "plot monoid tomita(3) > \"eggbox.svg\"\n"
                   "plot monoid tomita(2) view=cayley > \"cayley.svg\"",
        .results = "size idempotents aperiodic group solvable period exponent complete_states "
                   "classes star_free commutative definite reset locally_testable j_trivial "
                   "r_trivial l_trivial reset_length",
        .args = {{A_AUTOMATON_EXPRESSION, "A", 0}}, .options = plot_monoid_options)
{
    enum { MOST = 20000 };
    ShAlgebra a TH_OWNED(sh_algebra_free) = {0};
    if (!sh_algebra_of(&a, s, &call->operand[0], err))
        return false;
    bool cayley = th_option_choice(&call->options, "view") == VIEW_CAYLEY;
    char *title TH_OWNED(free) = title_of(cayley ? "Cayley graph" : "egg-boxes", call, err);
    bool ok = title && (a.m->size <= MOST ||
                        th_fail(err, TH_ELIMIT, "%d elements are too many to draw", a.m->size));
    char **name = ok ? sh_element_names(&a, err) : NULL;
    if (name)
        sh_set_algebra(s, &a);
    ok = name && (cayley ? draw_cayley(f, title, &a, name, sh_stop(s), err)
                         : draw_eggbox(f, title, &a, name, err));
    TH_FREE_EACH(name, a.m->size);
    return ok || sh_error_inside(err, &call->operand[0]);
}

/* Returns new: the representative of every family in words. */
static char **family_texts(const ThHolonomy *h, char *const *state, ThError *err)
{
    enum { LONGEST = 40 };
    char **text = th_alloc((size_t)h->n_families, sizeof *text, err);
    for (int i = 0; text && i < h->n_families; i++) {
        text[i] = sh_set_text(h, state, h->families[i].representative, LONGEST, err);
        if (!text[i]) {
            TH_FREE_EACH(text, h->n_families);
            return NULL;
        }
    }
    return text;
}

SH_PLOT(plot_decomposition, .summary = "draw the cascade that a machine decomposes into",
        .detail = "A row of boxes for every level: the components with the set of states that each "
                  "divides, its number of tiles and its group; those with groups are coloured.  "
                  "Lines lead to the components that the tiles belong to; single states are left "
                  "out.  decompose prints the table and explains it.",
        .example = "plot decomposition tomita(3) > \"cascade.svg\"",
        .args = {{A_AUTOMATON_EXPRESSION, "A", 0}})
{
    ShMachine m TH_OWNED(sh_machine_free) = {0};
    if (!sh_machine_of(&m, s, &call->operand[0], err))
        return false;
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    ThHolonomy *h TH_OWNED(th_holonomy_free) = th_holonomy_new(m.d, limit, sh_stop(s), err);
    char *title TH_OWNED(free) = h ? title_of("decomposition", call, err) : NULL;
    char **text = title ? family_texts(h, m.state, err) : NULL;
    bool ok = text && th_plot_decomposition(f, title, h, text, err);
    TH_FREE_EACH(text, h ? h->n_families : 0);
    return ok || sh_error_inside(err, &call->operand[0]);
}
