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

/* ---- formulas of a whole word ---- */

/* Parts of one formula as parts of another: LATER where later positions tell it. */
enum { LATER = -2 };
typedef struct {
    const ThAutomatonFormula *f;
    ThAutomatonFormula *to;
    int *here, *end,
        *begin; /* (f->n): at any position; at the last; at the first, told at the last */
    bool *last; /* (f->n): it is true at the last position only */
    ThError *err;
} Past;

static int not_(Past *p, int x)
{
    return x < 0 ? x : th_automaton_formula_not(p->to, x, p->err);
}

static int and_(Past *p, int x, int y)
{
    return x < 0 ? x : y < 0 ? y : th_automaton_formula_and(p->to, x, y, p->err);
}

static int before(Past *p, int x)
{
    return x < 0 ? x : th_automaton_formula_previous(p->to, x, p->err);
}

static int since(Past *p, int x, int y)
{
    return x < 0 ? x : y < 0 ? y : th_automaton_formula_since(p->to, x, y, p->err);
}

static int truth(Past *p)
{
    return th_automaton_formula_truth(p->to, p->err);
}

static int ever(Past *p, int x)
{
    return since(p, truth(p), x);
}

static int first(Past *p)
{
    return not_(p, before(p, truth(p)));
}

static int counts(Past *p, ThAutomatonPart is)
{
    ThAutomatonTerm *term TH_OWNED(free) = th_alloc((size_t)is.y + 1, sizeof *term, p->err);
    for (int k = 0; term && k < is.y; k++) {
        term[k] = p->f->term[is.x + k];
        term[k].part = p->here[term[k].part];
        if (term[k].part < 0)
            return term[k].part;
    }
    return term ? th_automaton_formula_counts(p->to, term, is.y, is.by, p->err) : -1;
}

/* Parts that say what holds at a position of its letter and of those before. */
static int told_here(Past *p, ThAutomatonPart is)
{
    switch (is.is) {
    case TH_AUTOMATON_FIRST:
        return first(p);
    case TH_AUTOMATON_LETTER:
        return th_automaton_formula_is(p->to, is.x, p->err);
    case TH_AUTOMATON_PREVIOUS:
        return before(p, p->here[is.x]);
    case TH_AUTOMATON_SINCE:
        return since(p, p->here[is.x], p->here[is.y]);
    case TH_AUTOMATON_COUNTS:
        return counts(p, is);
    default:
        return LATER;
    }
}

/* x U y at the first position: somewhere y is true, and x always before. */
static int told_from_begin(Past *p, ThAutomatonPart is)
{
    int always = not_(p, before(p, ever(p, not_(p, p->here[is.x]))));
    bool some = p->f->part[is.x].is == TH_AUTOMATON_TRUE;
    if (some && p->last[is.y])
        return p->end[is.y];
    return ever(p, and_(p, p->here[is.y], always));
}

static void convert(Past *p, int i)
{
    ThAutomatonPart is = p->f->part[i];
    int *here = &p->here[i], *end = &p->end[i], *begin = &p->begin[i], same = -1;
    switch (is.is) {
    case TH_AUTOMATON_TRUE:
    case TH_AUTOMATON_EMPTY:
        same = truth(p);
        *here = *end = *begin = is.is == TH_AUTOMATON_TRUE ? same : not_(p, same);
        break;
    case TH_AUTOMATON_NOT:
        *here = not_(p, p->here[is.x]);
        *end = not_(p, p->end[is.x]);
        *begin = not_(p, p->begin[is.x]);
        p->last[i] = p->f->part[is.x].is == TH_AUTOMATON_NEXT &&
                     p->f->part[p->f->part[is.x].x].is == TH_AUTOMATON_TRUE;
        break;
    case TH_AUTOMATON_AND:
        *here = and_(p, p->here[is.x], p->here[is.y]);
        *end = and_(p, p->end[is.x], p->end[is.y]);
        *begin = and_(p, p->begin[is.x], p->begin[is.y]);
        p->last[i] = p->last[is.x] || p->last[is.y];
        break;
    case TH_AUTOMATON_NEXT:
        *here = LATER;
        *end = not_(p, truth(p));
        *begin = ever(p, and_(p, p->here[is.x], before(p, first(p))));
        break;
    case TH_AUTOMATON_UNTIL:
        *here = LATER;
        *end = p->end[is.y];
        *begin = told_from_begin(p, is);
        break;
    default:
        *here = *end = told_here(p, is);
        *begin = ever(p, and_(p, *here, first(p)));
    }
}

/* Makes *to of what is meant, told at the last position. */
static bool tell_at_end(const ThAutomatonFormula *f, ThAutomatonFormula *to, ThError *err)
{
    int *told TH_OWNED(free) = th_alloc(3 * f->n, sizeof *told, err);
    bool *last TH_OWNED(free) = th_alloc(f->n, sizeof *last, err);
    if (!told || !last || !th_automaton_formula_letters(to, f->letter, (int)f->letters, err))
        return false;
    Past p = {f, to, told, told + f->n, told + 2 * f->n, last, err};
    for (size_t i = 0; i < f->n; i++)
        convert(&p, (int)i);
    to->whole = p.begin[f->whole];
    return to->whole >= 0 || (to->whole == LATER &&
                              th_fail(err, TH_EVALUE,
                                      "no program of C-RASP is known: later positions tell what is "
                                      "counted, or was true before"));
}

/* A sum of one part, `by` times, is `most` at most. */
static int counts_one(ThAutomatonFormula *to, int part, int by, int most, ThError *err)
{
    return th_automaton_formula_counts(to, &(ThAutomatonTerm){part, by}, 1, most, err);
}

/* Part i, of `is` (to's number of each part of f), by counts alone: it was true where it was so
 * once, there was a position before where this is the second. */
static int by_counts(const ThAutomatonFormula *f, int i, const int *is, ThAutomatonFormula *to,
                     ThError *err)
{
    ThAutomatonPart p = f->part[i];
    Past past = {.f = f, .to = to, .here = (int *)(uintptr_t)is, .err = err};
    bool ever = p.is == TH_AUTOMATON_SINCE && f->part[p.x].is == TH_AUTOMATON_TRUE;
    switch (p.is) {
    case TH_AUTOMATON_TRUE:
        return truth(&past);
    case TH_AUTOMATON_LETTER:
        return th_automaton_formula_is(to, p.x, err);
    case TH_AUTOMATON_NOT:
        return not_(&past, is[p.x]);
    case TH_AUTOMATON_AND:
        return and_(&past, is[p.x], is[p.y]);
    case TH_AUTOMATON_COUNTS:
        return counts(&past, p);
    case TH_AUTOMATON_SINCE:
        return ever && is[p.y] >= 0 ? counts_one(to, is[p.y], -1, -1, err) : LATER;
    default:
        return f->part[p.x].is == TH_AUTOMATON_TRUE ? counts_one(to, truth(&past), -1, -2, err)
                                                    : LATER;
    }
}

bool th_automaton_formula_counted(ThAutomatonFormula *to, const char *text, char *const *letter,
                                  int letters, ThError *err)
{
    ThAutomatonFormula f TH_OWNED(th_automaton_formula_free) = {0},
                         end TH_OWNED(th_automaton_formula_free) = {0};
    int *is TH_OWNED(free) = NULL;
    bool ok = th_automaton_formula_letters(&f, letter, letters, err) &&
              th_automaton_counting_read(&f, text, err) && tell_at_end(&f, &end, err);
    if (ok && end.letters != (size_t)letters)
        ok = th_fail(err, TH_EVALUE, "the formula has letters beyond those %d", letters);
    ok = ok && th_automaton_formula_letters(to, letter, letters, err) &&
         (is = th_alloc(end.n, sizeof *is, err));
    for (size_t i = 0; ok && i < end.n; i++)
        ok = (is[i] = by_counts(&end, (int)i, is, to, err)) != -1;
    if (ok && (to->whole = is[end.whole]) == LATER)
        ok = th_fail(err, TH_EVALUE,
                     "what was true just before, or since, is no count: without positions no mean "
                     "tells it");
    return ok;
}

char *th_automaton_formula_program(const ThAutomatonFormula *f, const char *name, ThError *err)
{
    ThAutomatonFormula to TH_OWNED(th_automaton_formula_free) = {0};
    bool empty = false;
    return tell_at_end(f, &to, err) && th_automaton_formula_judge(f, NULL, 0, &empty, NULL, err)
               ? write_program(&to, name, empty, err)
               : NULL;
}

char *th_automaton_program(const ThDfa *d, char *const *symbol, bool counting, const char *name,
                           size_t limit, ThStop *stop, ThError *err)
{
    ThAutomatonFormula f TH_OWNED(th_automaton_formula_free) = {0};
    bool ok = counting ? th_automaton_formula_counting(&f, d, symbol, stop, err)
                       : th_automaton_formula_of(&f, d, symbol, limit, stop, err);
    return !ok    ? NULL
           : name ? write_program(&f, name, d->label[d->start] == 1, err)
                  : th_automaton_formula_write(&f, d->label[d->start] == 1, false, err);
}
