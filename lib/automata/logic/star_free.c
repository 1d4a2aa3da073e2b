#include "automata/logic/star_free.h"

#include "automata/logic/cascade.h"
#include "automata/logic/ltl.h"
#include "automata/operations/operations.h"

typedef struct {
    const ThAutomatonFormula *f;
    double *size; /* (f->n): of a part as a tree */
    int *uses;    /* (f->n): by how many parts, but negations */
    int *name;    /* (f->n): 0: none */
    int named;
    bool mirrored; /* of words read backwards: what is said of the past is meant of the future */
    ThText text;
} Writer;

/* How tightly what stands around a part binds. */
enum { LOOSE, OR, AND, SINCE, TIGHT };

static void write_part(Writer *w, int i, bool negated, int around);

/* ---- sizes and names ------------------------------------------------------------------------- */

static bool is_pair(ThAutomatonOperator is)
{
    return is == TH_AUTOMATON_AND || is == TH_AUTOMATON_SINCE || is == TH_AUTOMATON_UNTIL;
}

static bool is_leaf(ThAutomatonOperator is)
{
    return is == TH_AUTOMATON_TRUE || is == TH_AUTOMATON_LETTER || is == TH_AUTOMATON_EMPTY;
}

static bool is_future(ThAutomatonOperator is)
{
    return is == TH_AUTOMATON_NEXT || is == TH_AUTOMATON_UNTIL;
}

static void count_uses(Writer *w, int i)
{
    ThAutomatonPart p = w->f->part[i];
    if (p.is == TH_AUTOMATON_NOT) {
        count_uses(w, p.x);
        return;
    }
    if (w->uses[i]++ > 0 || is_leaf(p.is))
        return;
    if (p.is == TH_AUTOMATON_COUNTS) {
        for (int k = p.x; k < p.x + p.y; k++)
            count_uses(w, w->f->term[k].part);
        return;
    }
    count_uses(w, p.x);
    if (is_pair(p.is))
        count_uses(w, p.y);
}

static void measure(Writer *w)
{
    for (size_t i = 0; i < w->f->n; i++) {
        ThAutomatonPart p = w->f->part[i];
        if (p.is == TH_AUTOMATON_COUNTS) {
            w->size[i] = 1;
            for (int k = p.x; k < p.x + p.y; k++)
                w->size[i] += 1 + w->size[w->f->term[k].part];
            continue;
        }
        w->size[i] = is_leaf(p.is)   ? 1
                     : is_pair(p.is) ? 1 + w->size[p.x] + w->size[p.y]
                                     : (p.is != TH_AUTOMATON_NOT) + w->size[p.x];
    }
}

/* Names what is used twice, where the formula would be long otherwise. */
static void name_parts(Writer *w)
{
    enum { LONG = 60, SHORT = 4 };
    count_uses(w, w->f->whole);
    measure(w);
    for (size_t i = 0; i < w->f->n && w->size[w->f->whole] > LONG; i++)
        if (w->uses[i] > 1 && w->size[i] >= SHORT)
            w->name[i] = ++w->named;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A letter that is a small one or a digit stands for itself, others in quotes, which are doubled
 * inside. */
static void write_letter(Writer *w, const char *name)
{
    bool plain =
        name[1] == '\0' && ((*name >= 'a' && *name <= 'z') || (*name >= '0' && *name <= '9'));
    th_text_add(&w->text, plain ? "" : "'");
    for (; *name; name++) {
        th_text_add_bytes(&w->text, name, 1);
        th_text_add(&w->text, *name == '\'' ? "'" : "");
    }
    th_text_add(&w->text, plain ? "" : "'");
}

static void open_if(Writer *w, bool needed)
{
    th_text_add(&w->text, needed ? "(" : "");
}

static void close_if(Writer *w, bool needed)
{
    th_text_add(&w->text, needed ? ")" : "");
}

/* #a - 2*#b <= 3: how often parts were true up to here. */
static void write_counts(Writer *w, ThAutomatonPart p, bool negated, int around)
{
    open_if(w, around > LOOSE);
    for (int k = p.x; k < p.x + p.y; k++) {
        int by = w->f->term[k].by, size = by < 0 ? -by : by;
        th_text_add(&w->text, k > p.x ? by < 0 ? " - " : " + " : by < 0 ? "-" : "");
        th_text_printf(&w->text, size > 1 ? "%d*#" : "#", size);
        write_part(w, w->f->term[k].part, false, TIGHT);
    }
    th_text_printf(&w->text, " %s %d", negated ? ">" : "<=", p.by);
    close_if(w, around > LOOSE);
}

static void write_since(Writer *w, ThAutomatonPart p, bool negated, int around)
{
    bool ahead = w->mirrored != is_future(p.is);
    bool ever = w->f->part[p.x].is == TH_AUTOMATON_TRUE, apart = !ever && around > SINCE;
    if (ever) {
        th_text_add(&w->text, ahead ? negated ? "G " : "F " : negated ? "H " : "P ");
        write_part(w, p.y, negated, TIGHT);
        return;
    }
    open_if(w, apart);
    write_part(w, p.x, negated, TIGHT);
    th_text_add(&w->text, ahead ? negated ? " R " : " U " : negated ? " T " : " S ");
    write_part(w, p.y, negated, TIGHT);
    close_if(w, apart);
}

static void write_operator(Writer *w, ThAutomatonPart p, bool negated, int around)
{
    int level = negated ? OR : AND;
    switch (p.is) {
    case TH_AUTOMATON_AND:
        open_if(w, around > level);
        write_part(w, p.x, negated, level);
        th_text_add(&w->text, negated ? " | " : " & ");
        write_part(w, p.y, negated, level);
        close_if(w, around > level);
        break;
    case TH_AUTOMATON_PREVIOUS:
    case TH_AUTOMATON_NEXT:
        if (w->mirrored != is_future(p.is))
            th_text_add(&w->text, negated ? "N " : "X ");
        else
            th_text_add(&w->text, negated ? "Z " : "Y ");
        write_part(w, p.x, negated, TIGHT);
        break;
    case TH_AUTOMATON_SINCE:
    case TH_AUTOMATON_UNTIL:
        write_since(w, p, negated, around);
        break;
    case TH_AUTOMATON_COUNTS:
        write_counts(w, p, negated, around);
        break;
    case TH_AUTOMATON_TRUE:
        th_text_add(&w->text, negated ? "false" : "true");
        break;
    default: /* a letter */
        th_text_add(&w->text, negated ? "!" : "");
        write_letter(w, w->f->letter[p.x]);
    }
}

static void write_part(Writer *w, int i, bool negated, int around)
{
    ThAutomatonPart p = w->f->part[i];
    if (p.is == TH_AUTOMATON_NOT)
        write_part(w, p.x, !negated, around);
    else if (w->name[i])
        th_text_printf(&w->text, "%ss%d", negated ? "!" : "", w->name[i]);
    else
        write_operator(w, p, negated, around);
}

/* Whether a part, which is meant at the last position, is made of what was ever true. */
static bool looks_everywhere(const Writer *w, int i)
{
    ThAutomatonPart p = w->f->part[i];
    if (p.is == TH_AUTOMATON_NOT)
        return looks_everywhere(w, p.x);
    if (w->name[i])
        return false;
    if (p.is == TH_AUTOMATON_AND)
        return looks_everywhere(w, p.x) && looks_everywhere(w, p.y);
    return p.is == TH_AUTOMATON_TRUE ||
           (p.is == TH_AUTOMATON_SINCE && w->f->part[p.x].is == TH_AUTOMATON_TRUE);
}

/* Writes what is meant at the last position so that it is right at the first. */
static void write_at_end(Writer *w, int i, bool negated, int around)
{
    ThAutomatonPart p = w->f->part[i];
    int level = negated ? OR : AND;
    if (w->mirrored) {
        write_part(w, i, negated, around);
        return;
    }
    bool parts = p.is == TH_AUTOMATON_AND && !w->name[i] &&
                 (looks_everywhere(w, p.x) || looks_everywhere(w, p.y));
    if (p.is == TH_AUTOMATON_NOT) {
        write_at_end(w, p.x, !negated, around);
    } else if (parts) {
        open_if(w, around > level);
        write_at_end(w, p.x, negated, level);
        th_text_add(&w->text, negated ? " | " : " & ");
        write_at_end(w, p.y, negated, level);
        close_if(w, around > level);
    } else if (p.is == TH_AUTOMATON_TRUE) {
        th_text_add(&w->text, negated ? "false" : "true");
    } else if (looks_everywhere(w, i)) {
        th_text_add(&w->text, negated ? "G " : "F ");
        write_part(w, p.y, negated, TIGHT);
    } else {
        th_text_add(&w->text, "F (last & ");
        write_part(w, i, negated, AND);
        th_text_add(&w->text, ")");
    }
}

static void write_definitions(Writer *w)
{
    for (size_t i = 0; i < w->f->n; i++)
        if (w->name[i]) {
            th_text_printf(&w->text, "s%d = ", w->name[i]);
            write_operator(w, w->f->part[i], false, LOOSE);
            th_text_add(&w->text, "; ");
        }
}

char *th_automaton_formula_write(const ThAutomatonFormula *f, bool empty, bool mirrored,
                                 ThError *err)
{
    Writer w = {.f = f, .mirrored = mirrored};
    w.size = th_alloc(f->n, sizeof *w.size, err);
    w.uses = th_alloc(f->n, sizeof *w.uses, err);
    w.name = th_alloc(f->n, sizeof *w.name, err);
    if (w.size && w.uses && w.name) {
        name_parts(&w);
        write_definitions(&w);
        th_text_add(&w.text, empty ? "empty | " : "");
        write_at_end(&w, f->whole, false, empty ? OR : LOOSE);
    }
    bool ok = w.size && w.uses && w.name;
    TH_FREE(w.size, w.uses, w.name);
    return ok ? th_text_take(&w.text, err) : NULL;
}

/* ---- the formula ----------------------------------------------------------------------------- */

/* Whether the formula, read again, is the machine. */
static bool check(const char *formula, const ThDfa *d, char *const *symbol, size_t limit,
                  ThStop *stop, ThError *err)
{
    int length = 0;
    ThAutomaton *a TH_OWNED(th_automaton_free) =
        th_automaton_ltl(formula, symbol, d->n_symbols, limit, stop, err);
    ThDfa *back TH_OWNED(th_dfa_free) = a ? th_automaton_acceptor(a, limit, stop, err) : NULL;
    int *word TH_OWNED(free) = back ? th_dfa_distinguish(back, d, &length, stop, err) : NULL;
    if (word)
        return th_fail(err, TH_EVALUE, "the formula is wrong on a word of %d symbol%s", length,
                       &"s"[length == 1]);
    return back && length < 0;
}

/* Returns new: the minimal machine of the words read backwards; NULL without an error: too large.
 */
static ThDfa *backwards(const ThDfa *d, char *const *symbol, ThStop *stop, ThError *err)
{
    ThError own = {0};
    size_t most = 4 * (size_t)d->n_states + 16;
    ThAutomaton *there TH_OWNED(th_automaton_free) = th_automaton_from_dfa(d, symbol, err);
    ThAutomaton *a TH_OWNED(th_automaton_free) =
        there ? th_automaton_reverse(there, (ThAutomatonWork){0, stop}, err) : NULL;
    if (!a)
        return NULL;
    ThDfa *e TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, most, stop, &own);
    if (!e && own.code != TH_ELIMIT)
        th_fail(err, own.code, "%s", own.msg);
    return e ? th_dfa_minimize(e, stop, err) : NULL;
}

/* Returns new: what is made of a machine, or of that of the words backwards. */
static char *formula_of(const ThDfa *d, char *const *symbol, bool mirrored, size_t limit,
                        ThStop *stop, ThError *err)
{
    ThAutomatonFormula f TH_OWNED(th_automaton_formula_free) = {0};
    return th_automaton_formula_of(&f, d, symbol, limit, stop, err)
               ? th_automaton_formula_write(&f, d->label[d->start] == 1, mirrored, err)
               : NULL;
}

char *th_automaton_star_free(const ThDfa *d, char *const *symbol, size_t limit, ThStop *stop,
                             ThError *err)
{
    char *text = formula_of(d, symbol, false, limit, stop, err);
    ThDfa *e TH_OWNED(th_dfa_free) = text ? backwards(d, symbol, stop, err) : NULL;
    char *other = e ? formula_of(e, symbol, true, limit, stop, err) : NULL;
    bool shorter = other && strlen(other) < strlen(text);
    free(shorter ? text : other);
    text = shorter ? other : text;
    if (text && !check(text, d, symbol, limit, stop, err)) {
        free(text);
        return NULL;
    }
    return text;
}
