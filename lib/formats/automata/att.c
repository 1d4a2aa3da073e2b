#include <math.h>

#include "automata/core/build.h"
#include "base/symbols.h"
#include "formats/automata/automaton_files.h"
#include "formats/notes.h"

/* ---- symbol tables ---- */

typedef struct {
    char *name;
    char *number; /* as written */
} TableLine;

typedef struct {
    TableLine *line;
    size_t n, cap;
    ThIntern by_name, by_number;
} Table;

static void table_free(Table *t)
{
    for (size_t i = 0; i < t->n; i++)
        TH_FREE(t->line[i].name, t->line[i].number);
    free(t->line);
    th_intern_free(&t->by_name);
    th_intern_free(&t->by_number);
}

static size_t line_size(const char *s)
{
    return strcspn(s, "\r\n");
}

static const char *next_line(const char *s)
{
    s += line_size(s);
    s += *s == '\r';
    return s + (*s == '\n');
}

/* One line: a name, blanks, a number.  The name may hold blanks other than the last. */
static bool table_line(Table *t, const char *s, size_t size, int line, ThError *err)
{
    size_t end = size, start;
    while (end > 0 && strchr(" \t", s[end - 1]))
        end--;
    for (start = end; start > 0 && s[start - 1] >= '0' && s[start - 1] <= '9';)
        start--;
    if (end == 0)
        return true;
    if (start == end || start < 2 || !strchr(" \t", s[start - 1]))
        return th_fail_at(err, TH_EPARSE, line, 1, "expected a symbol and its number");
    size_t index, n = t->n;
    if (!th_grow(&t->line, &t->cap, n + 1, sizeof *t->line, err))
        return false;
    t->line[n] =
        (TableLine){th_strndup(s, start - 1, err), th_strndup(s + start, end - start, err)};
    t->n++;
    char *name = t->line[n].name, *number = t->line[n].number;
    for (size_t i = name ? strlen(name) : 0; i > 1 && strchr(" \t", name[i - 1]); i--)
        name[i - 1] = '\0';
    if (!name || !number || !th_intern(&t->by_name, name, strlen(name) + 1, &index, err) ||
        (index < n && th_fail_at(err, TH_EVALUE, line, 1, "the symbol %.60s is there twice", name)))
        return false;
    if (index < n || !th_intern(&t->by_number, number, strlen(number) + 1, &index, err))
        return false;
    return index == n ||
           th_fail_at(err, TH_EVALUE, line, 1, "the number %.20s is there twice", number);
}

static bool table_read(Table *t, const char *text, ThError *err)
{
    int line = 1;
    for (const char *s = text; *s; s = next_line(s), line++) {
        if (!th_utf8_valid(s, line_size(s)))
            return th_fail_at(err, TH_EPARSE, line, 1, "a byte that is not UTF-8");
        if (!table_line(t, s, line_size(s), line, err))
            return false;
    }
    return true;
}

/* ---- reading ---- */

enum { MOST_FIELDS = 5 };

typedef struct {
    int from, to, in, out; /* out: into b.output, in: into b.symbol; TH_AUTOMATON_EPSILON.  to: -1:
                              the word ends */
    double weight;
    int line;
} Edge;

typedef struct {
    Table table;
    ThAutomatonBuild b;
    ThIntern name; /* all labels, by number */
    Edge *edge;
    size_t n_edges, edge_cap;
    int line, start;
    bool weights, special, three; /* three: some transition has three fields */
    char *field[MOST_FIELDS];
    char *buffer; /* the line, cut into fields */
    size_t buffer_cap;
} Reader;

static void reader_free(Reader *r)
{
    table_free(&r->table);
    th_automaton_build_free(&r->b);
    th_intern_free(&r->name);
    TH_FREE(r->edge, r->buffer);
}

/* Cuts the line into fields; -1 and an error for too many. */
static int split(Reader *r, const char *s, size_t size, ThError *err)
{
    if (!th_grow(&r->buffer, &r->buffer_cap, size + 1, 1, err))
        return -1;
    memcpy(r->buffer, s, size);
    r->buffer[size] = '\0';
    bool tabs = strchr(r->buffer, '\t') != NULL;
    int n = 0;
    for (char *at = r->buffer; *at;) {
        size_t used = strcspn(at, tabs ? "\t" : " ");
        if (used > 0 || tabs) {
            if (n == MOST_FIELDS) {
                th_fail_at(err, TH_EPARSE, r->line, 1, "more than %d fields", MOST_FIELDS);
                return -1;
            }
            r->field[n++] = at;
        }
        at += used;
        if (*at)
            *at++ = '\0';
    }
    return n;
}

static bool is_number(const char *text, double *value)
{
    char *end;
    if (strcmp(text, "Infinity") == 0) {
        *value = HUGE_VAL;
        return true;
    }
    *value = strtod(text, &end);
    return *text && *end == '\0' && !strpbrk(text, "xX");
}

static bool read_weight(Reader *r, const char *text, double *weight, ThError *err)
{
    if (!is_number(text, weight))
        return th_fail_at(err, TH_EPARSE, r->line, 1, "%.60s is no weight", text);
    r->weights = r->weights || *weight != 0;
    return true;
}

/* The number of a label among r->name, or TH_AUTOMATON_EPSILON. */
static bool read_label(Reader *r, const char *text, int *label, ThError *err)
{
    static const char *const empty[] = {"@0@", "@_EPSILON_SYMBOL_@", "<eps>", "<epsilon>"};
    static const char *const special[] = {"@_IDENTITY_SYMBOL_@", "@_UNKNOWN_SYMBOL_@"};
    const char *name = text;
    bool is_empty = false;
    if (r->table.n) {
        size_t i = th_intern_find(&r->table.by_name, text, strlen(text) + 1);
        if (i == SIZE_MAX)
            i = th_intern_find(&r->table.by_number, text, strlen(text) + 1);
        if (i != SIZE_MAX) {
            name = r->table.line[i].name;
            is_empty = strcmp(r->table.line[i].number, "0") == 0;
        }
    }
    for (int i = 0; i < 4; i++)
        is_empty = is_empty || strcmp(name, empty[i]) == 0;
    for (int i = 0; i < 2; i++)
        r->special = r->special || strcmp(name, special[i]) == 0;
    *label = TH_AUTOMATON_EPSILON;
    if (is_empty)
        return true;
    if (!*name)
        return th_fail_at(err, TH_EPARSE, r->line, 1, "an empty label");
    size_t index;
    bool ok = th_intern(&r->name, name, strlen(name) + 1, &index, err);
    *label = (int)index;
    return ok;
}

static bool in_table(const Reader *r, const char *text)
{
    return th_intern_find(&r->table.by_name, text, strlen(text) + 1) != SIZE_MAX ||
           th_intern_find(&r->table.by_number, text, strlen(text) + 1) != SIZE_MAX;
}

/* With four fields the last is an output, unless it must be a weight. */
static bool fourth_is_weight(const Reader *r, const char *text)
{
    double value;
    return is_number(text, &value) && (r->three || (r->table.n && !in_table(r, text)));
}

static bool add_edge(Reader *r, Edge e, double weight, ThError *err)
{
    if (!th_grow(&r->edge, &r->edge_cap, r->n_edges + 1, sizeof *r->edge, err))
        return false;
    e.weight = weight;
    e.line = r->line;
    r->edge[r->n_edges++] = e;
    return true;
}

static bool read_edge(Reader *r, int n, ThError *err)
{
    Edge e = {0};
    double weight = 0;
    bool weighted = n == 5 || (n == 4 && fourth_is_weight(r, r->field[3]));
    e.from = th_automaton_build_state(&r->b, r->field[0]);
    e.to = th_automaton_build_state(&r->b, r->field[1]);
    if ((weighted && !read_weight(r, r->field[n - 1], &weight, err)) ||
        !read_label(r, r->field[2], &e.in, err))
        return false;
    e.out = e.in;
    if (n - weighted == 4 && !read_label(r, r->field[3], &e.out, err))
        return false;
    return (isinf(weight) && weight > 0) || add_edge(r, e, weight, err);
}

static bool read_line(Reader *r, const char *s, size_t size, ThError *err)
{
    if (!th_utf8_valid(s, size))
        return th_fail_at(err, TH_EPARSE, r->line, 1, "a byte that is not UTF-8");
    int n = split(r, s, size, err);
    if (n <= 0)
        return n == 0;
    if (!*r->field[0] || (n > 2 && !*r->field[1]))
        return th_fail_at(err, TH_EPARSE, r->line, 1, "a state without a name");
    if (strcmp(r->field[0], "--") == 0)
        return th_fail_at(err, TH_EPARSE, r->line, 1, "the file holds several automata");
    if (r->start < 0)
        r->start = th_automaton_build_state(&r->b, r->field[0]);
    if (n > 2)
        return read_edge(r, n, err);
    double weight = 0;
    if (n == 2 && !read_weight(r, r->field[1], &weight, err))
        return false;
    int q = th_automaton_build_state(&r->b, r->field[0]);
    if (isinf(weight) && weight > 0)
        return true;
    th_automaton_build_accept(&r->b, q);
    Edge end = {q, -1, TH_AUTOMATON_EPSILON, TH_AUTOMATON_EPSILON, 0, 0};
    return add_edge(r, end, weight, err);
}

/* Is there a transition of three fields?  Then four are three and a weight. */
static bool find_three(Reader *r, const char *text, ThError *err)
{
    for (const char *s = text; *s && !r->three; s = next_line(s)) {
        ThError ignored = {0};
        r->three = split(r, s, line_size(s), &ignored) == 3;
        if (ignored.code == TH_ENOMEM)
            return th_fail(err, TH_ENOMEM, "%s", ignored.msg);
    }
    return true;
}

static void make_arcs(Reader *r)
{
    bool transducer = false;
    for (size_t i = 0; i < r->n_edges; i++)
        transducer = transducer || r->edge[i].in != r->edge[i].out;
    for (size_t i = 0; i < r->table.n; i++)
        if (strcmp(r->table.line[i].number, "0") != 0)
            th_automaton_build_symbol(&r->b, r->table.line[i].name);
    for (size_t i = 0; i < r->n_edges; i++) {
        const Edge *e = &r->edge[i];
        if (e->to < 0)
            continue;
        ThAutomatonArc arc = {e->from, TH_AUTOMATON_EPSILON, e->to, TH_AUTOMATON_NO_OUTPUT};
        if (e->in != TH_AUTOMATON_EPSILON)
            arc.symbol =
                th_automaton_build_symbol(&r->b, th_intern_at(&r->name, (size_t)e->in, NULL));
        if (transducer && e->out != TH_AUTOMATON_EPSILON)
            arc.output =
                th_automaton_build_output(&r->b, th_intern_at(&r->name, (size_t)e->out, NULL));
        th_automaton_build_arc(&r->b, arc);
    }
}

static void write_notes(const Reader *r, ThText *notes)
{
    if (r->start < 0)
        th_format_note(notes, "the file is empty: the automaton accepts nothing");
    if (r->weights)
        th_format_note(notes, "weights were left out");
    if (r->special)
        th_format_note(notes, "@_IDENTITY_SYMBOL_@ and @_UNKNOWN_SYMBOL_@ became symbols like "
                              "any others");
}

/* `from to in [out] [weight]` or `state [weight]` a line, the start being the state of the first
 * line; fields are separated by tabs, or by blanks in lines without one.  The empty symbol is @0@,
 * @_EPSILON_SYMBOL_@, <eps>, <epsilon>, or what the symbol table gives the number 0.  The table
 * also gives the order of the alphabet, and names to labels that are numbers. */
static bool read_all(Reader *r, const ThFormatInput *in, ThError *err)
{
    const char *text = in->text, *symbols = in->beside;
    ThError own = {0};
    *r = (Reader){.start = -1, .line = 1};
    bool ok = !symbols || table_read(&r->table, symbols, &own);
    if (!ok)
        th_fail(err, own.code, "line %d of the symbol table: %s", own.line, own.msg);
    ok = ok && find_three(r, text, err);
    for (const char *s = text; ok && *s; s = next_line(s), r->line++)
        ok = read_line(r, s, line_size(s), err) &&
             !th_stopped_at(in->stop, (size_t)r->line, "lines", err);
    return ok;
}

static ThAutomaton *read(const ThFormatInput *in, ThText *notes, ThError *err)
{
    Reader r;
    ThAutomaton *a = NULL;
    if (read_all(&r, in, err)) {
        th_automaton_build_start(&r.b,
                                 r.start >= 0 ? r.start : th_automaton_build_state(&r.b, "0"));
        make_arcs(&r);
        write_notes(&r, notes);
        a = th_format_automaton_checked(th_automaton_build_finish(&r.b, err), err);
    }
    reader_free(&r);
    return a;
}

/* The moves of a file without empty moves and outputs, weights being -ln of probabilities; false:
 * it is none. */
static bool make_moves(Reader *r, ThDistribution *d, char **symbol, int *n_symbols, ThError *err)
{
    d->move = th_alloc(r->n_edges + 1, sizeof *d->move, err);
    int *number TH_OWNED(free) = d->move ? th_alloc(r->name.n + 1, sizeof *number, err) : NULL;
    if (!number)
        return false;
    for (size_t i = 0; i < r->table.n + r->name.n; i++) {
        bool listed = i < r->table.n;
        const char *name =
            listed ? r->table.line[i].name : th_intern_at(&r->name, i - r->table.n, NULL);
        int k = th_symbols_find(symbol, *n_symbols, name);
        if (listed && strcmp(r->table.line[i].number, "0") == 0)
            continue;
        if (k < 0 && !(symbol[k = (*n_symbols)++] = th_strdup(name, err)))
            return false;
        if (!listed)
            number[i - r->table.n] = k;
    }
    d->n = (int)r->b.state.n;
    d->state = r->b.state; /* lent */
    for (size_t i = 0; i < r->n_edges; i++) {
        const Edge *e = &r->edge[i];
        bool end = e->to < 0;
        if (e->out != e->in || (!end && e->in == TH_AUTOMATON_EPSILON))
            return false;
        d->move[d->moves++] = (ThDistributionMove){.from = e->from,
                                                   .symbol = end ? -1 : number[e->in],
                                                   .to = end ? 0 : e->to,
                                                   .p = exp(-e->weight),
                                                   .line = e->line};
    }
    return true;
}

/* A distribution, where the weights of every state are those of the log semiring and add up to one;
 * they are floats there. */
static ThLanguage *read_language(const ThFormatInput *in, ThText *notes TH_UNUSED, ThError *err)
{
    Reader r;
    ThDistribution d = {0};
    ThLanguage *l = NULL;
    int n_symbols = 0;
    char **symbol = NULL;
    if (read_all(&r, in, err) && r.weights &&
        (symbol = th_alloc(r.table.n + r.name.n + 1, sizeof *symbol, err)) &&
        make_moves(&r, &d, symbol, &n_symbols, err) && th_format_scale(&d, 1e-5, NULL, err))
        l = th_distribution_build(symbol, n_symbols, &d, err);
    TH_FREE_EACH(symbol, n_symbols);
    free(d.move);
    reader_free(&r);
    return l;
}

/* ---- writing ---- */

/* The label of an arc on one side; the empty one as foma and, by the table, OpenFST know it. */
static const char *label(const ThAutomaton *a, const ThAutomatonArc *arc, bool out, bool transducer)
{
    if (out && transducer)
        return arc->output == TH_AUTOMATON_NO_OUTPUT ? "@0@" : a->output[arc->output];
    return arc->symbol == TH_AUTOMATON_EPSILON ? "@0@" : a->symbol[arc->symbol];
}

static bool check_names(char *const *name, int n, ThError *err)
{
    static const char *const taken[] = {"@0@", "@_EPSILON_SYMBOL_@", "<eps>", "<epsilon>"};
    for (int i = 0; i < n; i++) {
        bool bad = *name[i] == '\0' || strpbrk(name[i], " \t\r\n") != NULL;
        for (int j = 0; j < 4; j++)
            bad = bad || strcmp(name[i], taken[j]) == 0;
        if (bad)
            return th_fail(err, TH_EVALUE, "AT&T text cannot hold the symbol \"%.60s\"", name[i]);
    }
    return true;
}

/* States are numbered anew, the start first; several starts follow a new one. */
static int *number_states(const ThAutomaton *a, int *start, ThError *err)
{
    int *number = th_alloc((size_t)a->n_states + 1, sizeof *number, err), starts = 0, next = 0;
    *start = -1;
    for (int q = 0; number && q < a->n_states; q++)
        if (a->start[q] && starts++ == 0)
            *start = q;
    if (starts > 1)
        *start = a->n_states;
    if (number && *start >= 0)
        number[*start] = next++;
    for (int q = 0; number && q < a->n_states; q++)
        if (q != *start)
            number[q] = next++;
    return number;
}

static void write_state(ThText *t, const ThAutomaton *a, int q, const int *number)
{
    bool transducer = th_automaton_mealy(a);
    for (size_t i = a->first[q]; i < a->first[q + 1]; i++) {
        const ThAutomatonArc *arc = &a->arc[i];
        th_text_printf(t, "%d\t%d\t", number[q], number[arc->to]);
        th_text_add(t, label(a, arc, false, transducer));
        th_text_add(t, "\t");
        th_text_add(t, label(a, arc, true, transducer));
        th_text_add(t, "\n");
    }
    if (a->accept[q])
        th_text_printf(t, "%d\n", number[q]);
}

static void write_table(ThText *t, const ThAutomaton *a)
{
    int n = 0;
    th_text_add(t, "@0@\t0\n");
    for (int i = 0; i < a->n_symbols; i++)
        th_text_printf(t, "%s\t%d\n", a->symbol[i], ++n);
    for (int i = 0; i < a->n_outputs; i++)
        if (th_symbols_find(a->symbol, a->n_symbols, a->output[i]) < 0)
            th_text_printf(t, "%s\t%d\n", a->output[i], ++n);
}

/* Four columns, the empty symbol as @0@, and the table that OpenFST needs beside them. */
static bool write(ThFormatOutput *out, const ThAutomaton *a, const char *name TH_UNUSED,
                  ThText *notes, ThError *err)
{
    ThText *to = &out->text;
    if (th_automaton_moore(a))
        return th_fail(err, TH_EVALUE, "AT&T text holds outputs of transitions, not of states") ||
               th_hint(err, ".dot and .jff files hold outputs of states");
    if (!check_names(a->symbol, a->n_symbols, err) || !check_names(a->output, a->n_outputs, err))
        return false;
    int start;
    int *number TH_OWNED(free) = number_states(a, &start, err);
    size_t before = to->size;
    if (!number)
        return false;
    if (start == a->n_states) {
        th_format_note(notes, "the start states follow a new one by empty moves");
        for (int q = 0; q < a->n_states; q++)
            if (a->start[q])
                th_text_printf(to, "%d\t%d\t@0@\t@0@\n", number[start], number[q]);
    } else if (start >= 0) {
        write_state(to, a, start, number);
    }
    /* A start without a line of its own leads nowhere: the file of no words is empty. */
    if (to->size == before)
        start = -1;
    for (int q = 0; start >= 0 && q < a->n_states; q++)
        if (q != start)
            write_state(to, a, q, number);
    write_table(&out->beside, a);
    return true;
}

/* Weights in the log semiring; states in their order, the start first. */
static bool write_language(ThFormatOutput *out, const ThLanguage *l, ThText *notes TH_UNUSED,
                           ThError *err)
{
    const ThDistribution *d = th_format_probabilities(l, err);
    if (!d || !check_names(l->symbol, l->n_symbols, err))
        return false;
    for (int q = 0; q < d->n; q++)
        for (size_t i = 0; i < d->moves; i++) {
            const ThDistributionMove *m = &d->move[i];
            if (m->from != q)
                continue;
            if (m->symbol < 0)
                th_text_printf(&out->text, "%d\t%.17g\n", q, -log(m->p));
            else
                th_text_printf(&out->text, "%d\t%d\t%s\t%s\t%.17g\n", q, m->to,
                               l->symbol[m->symbol], l->symbol[m->symbol], -log(m->p));
        }
    th_text_add(&out->beside, "@0@\t0\n");
    for (int a = 0; a < l->n_symbols; a++)
        th_text_printf(&out->beside, "%s\t%d\n", l->symbol[a], a + 1);
    return true;
}

const ThFormat th_format_att = {
    .name = "att",
    .title = "AT&T text",
    .extension = ".att",
    .summary =
        "AT&T text of OpenFST and foma: an automaton, or, with weights of the log semiring, a "
        "distribution; its symbol table is the .syms file beside",
    .beside = ".syms",
    .text = true,
    .read_automaton = read,
    .read_language = read_language,
    .write_language = write_language,
    .write_automaton = write,
};
