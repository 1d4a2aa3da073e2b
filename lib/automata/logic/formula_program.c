/* Formulas of the past as programs of RASP. */

#include "automata/logic/cascade.h"
#include "automata/logic/counts.h"
#include "automata/logic/star_free.h"

typedef struct {
    const ThAutomatonFormula *f;
    int *line; /* (f->n): of a part that has one, from 1 */
    int *uses; /* (f->n) */
    int lines;
    ThText text;
} Writer;

/* _s2, tokens == "a", or with `not`, `and` and `or`. */
static void write_value(Writer *w, int i, bool negated, bool inside)
{
    ThAutomatonPart p = w->f->part[i];
    if (p.is == TH_AUTOMATON_NOT) {
        write_value(w, p.x, !negated, inside);
        return;
    }
    inside = inside && (negated || !w->line[i]);
    th_text_add(&w->text, inside ? "(" : "");
    if (w->line[i]) {
        th_text_printf(&w->text, "%s_s%d", negated ? "not " : "", w->line[i]);
    } else if (p.is == TH_AUTOMATON_TRUE) {
        th_text_printf(&w->text, "full(indices, %s)", negated ? "False" : "True");
    } else if (p.is == TH_AUTOMATON_LETTER) {
        th_text_printf(&w->text, "tokens %s ", negated ? "!=" : "==");
        th_text_quoted(&w->text, w->f->letter[p.x]);
    } else {
        write_value(w, p.x, negated, true);
        th_text_add(&w->text, negated ? " or " : " and ");
        write_value(w, p.y, negated, true);
    }
    th_text_add(&w->text, inside ? ")" : "");
}

/* What is selected where a part is true. */
static void write_select(Writer *w, int i)
{
    th_text_add(&w->text, "select(");
    write_value(w, i, false, false);
}

/* x S y is y, or x and so before: which the last position tells where x is false or y true. */
static void write_since(Writer *w, ThAutomatonPart p)
{
    bool ever = w->f->part[p.x].is == TH_AUTOMATON_TRUE;
    write_value(w, p.y, false, true);
    th_text_add(&w->text, " or ");
    if (!ever) {
        th_text_add(&w->text, "(");
        write_value(w, p.x, false, true);
        th_text_add(&w->text, " and ");
    }
    th_text_add(&w->text, "aggregate(");
    write_select(w, p.y);
    if (!ever) {
        th_text_add(&w->text, " or ");
        write_value(w, p.x, true, true);
    }
    th_text_add(&w->text, ", True, ==) and _before, ");
    if (ever)
        th_text_add(&w->text, "True");
    else
        write_value(w, p.y, false, false);
    th_text_add(&w->text, ever ? ", False, rightmost)" : ", False, rightmost))");
}

static void write_sum(Writer *w, ThAutomatonPart p)
{
    bool first = true;
    for (int k = p.x; k < p.x + 2 * p.y; k++) { /* what is added stands before what is taken off */
        ThAutomatonTerm t = w->f->term[k < p.x + p.y ? k : k - p.y];
        if ((t.by > 0) != (k < p.x + p.y))
            continue;
        th_text_add(&w->text, t.by < 0 ? first ? "0 - " : " - " : first ? "" : " + ");
        if (t.by > 1 || t.by < -1)
            th_text_printf(&w->text, "%d * ", t.by < 0 ? -t.by : t.by);
        th_text_add(&w->text, "sel_width(");
        write_select(w, t.part);
        th_text_add(&w->text, ", True, ==, causal))");
        first = false;
    }
    th_text_printf(&w->text, " <= %d", p.by);
}

static void write_line(Writer *w, int i)
{
    ThAutomatonPart p = w->f->part[i];
    bool reads =
        p.is == TH_AUTOMATON_SINCE || p.is == TH_AUTOMATON_PREVIOUS || p.is == TH_AUTOMATON_COUNTS;
    if (!reads && (p.is != TH_AUTOMATON_AND || w->uses[i] < 2))
        return;
    th_text_printf(&w->text, "_s%d = ", w->lines + 1);
    if (p.is == TH_AUTOMATON_PREVIOUS) {
        th_text_add(&w->text, "aggregate(_before, ");
        write_value(w, p.x, false, false);
        th_text_add(&w->text, ", False, rightmost)");
    } else if (p.is == TH_AUTOMATON_COUNTS) {
        write_sum(w, p);
    } else if (p.is == TH_AUTOMATON_AND) {
        write_value(w, i, false, false);
    } else {
        write_since(w, p);
    }
    th_text_add(&w->text, ";\n");
    w->line[i] = ++w->lines;
}

/* How often the whole needs each part. */
static void count_uses(const ThAutomatonFormula *f, int *uses)
{
    uses[f->whole]++;
    for (size_t i = f->n; i-- > 0;) {
        ThAutomatonPart p = f->part[i];
        bool leaf = p.is == TH_AUTOMATON_TRUE || p.is == TH_AUTOMATON_LETTER;
        for (int k = p.x; uses[i] && p.is == TH_AUTOMATON_COUNTS && k < p.x + p.y; k++)
            uses[f->term[k].part]++;
        if (!uses[i] || leaf || p.is == TH_AUTOMATON_COUNTS)
            continue;
        uses[p.x]++;
        if (p.is == TH_AUTOMATON_AND || p.is == TH_AUTOMATON_SINCE)
            uses[p.y]++;
    }
}

/* Returns new. */
static char *write_program(const ThAutomatonFormula *f, const char *name, bool empty, ThError *err)
{
    int *line TH_OWNED(free) = th_alloc(f->n + 1, sizeof *line, err);
    int *uses TH_OWNED(free) = th_alloc(f->n + 1, sizeof *uses, err);
    Writer w = {.f = f, .line = line, .uses = uses};
    if (!line || !uses)
        return NULL;
    count_uses(f, uses);
    th_text_add(&w.text, empty ? "# The empty word, which is no input, belongs to it, too.\n" : "");
    th_text_add(&w.text, "_before = select(indices, indices, <);\n");
    for (size_t i = 0; i < f->n; i++)
        if (uses[i])
            write_line(&w, (int)i);
    th_text_printf(&w.text, "%s = ", name);
    write_value(&w, f->whole, false, false);
    th_text_add(&w.text, ";\n");
    return th_text_take(&w.text, err);
}

char *th_automaton_program(const ThDfa *d, char *const *symbol, bool counting, const char *name,
                           size_t limit, ThStop *stop, ThError *err)
{
    ThAutomatonFormula f = {0};
    bool ok = counting ? th_automaton_formula_counting(&f, d, symbol, stop, err)
                       : th_automaton_formula_of(&f, d, symbol, limit, stop, err);
    char *text = !ok    ? NULL
                 : name ? write_program(&f, name, d->label[d->start] == 1, err)
                        : th_automaton_formula_write(&f, d->label[d->start] == 1, false, err);
    th_automaton_formula_free(&f);
    return text;
}
