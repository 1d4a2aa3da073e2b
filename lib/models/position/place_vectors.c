/* Learned vectors for the places that symbols stand for, added to the embeddings whatever position=
 * is: symbols that play the same part get the same vector.  While training a text begins anywhere
 * in the table, so that places beyond the lengths of training are seen; its lines do in theirs.
 *
 * coupled: the places are the task's (Cho et al. 2024, section 3; a second table for the lines, as
 * Cho et al. 2025 have several).  abacus: digits are counted within their number (McLeish et al.
 * 2024, section 3), which they draw once a batch, and here once a text. */
#include "models/position/place_vectors.h"

enum { USUAL = 128, USUAL_LINES = 4 };

/* The rows of the table: of what has no place, then of the places. */
static int rows(const ThPosition *p)
{
    return 1 + (int)th_option_int_or(p->options, "longest_place", USUAL);
}

static int lines(const ThPosition *p)
{
    bool coupled = p->places == TH_POSITION_COUPLED;
    return (int)th_option_int_or(p->options, "place_lines", coupled ? USUAL_LINES : 0);
}

bool th_position_has_places(const ThOptions *o)
{
    return th_option_known(o, "places") && th_option_choice(o, "places") > TH_POSITION_UNPLACED;
}

bool th_position_places_check(const ThPosition *p, ThError *err)
{
    static const char *const names[] = {"longest_place", "place_lines"};
    for (int i = 0; i < 2; i++)
        if (p->places == TH_POSITION_UNPLACED && th_option_given(p->options, names[i]))
            return th_fail(err, TH_EUSAGE, "%s= says nothing without places=", names[i]);
    return p->places != TH_POSITION_ABACUS || !th_option_given(p->options, "place_lines") ||
           th_fail(err, TH_EUSAGE, "place_lines= says nothing to places=abacus");
}

static bool is_digit(const char *symbol)
{
    return symbol[0] >= '0' && symbol[0] <= '9' && symbol[1] == '\0';
}

static bool has_digits(const ThSignature *s)
{
    int i = 0;
    while (i < s->n_symbols && !is_digit(s->symbol[i]))
        i++;
    return i < s->n_symbols;
}

static bool can_bind(const ThPosition *p, const ThSignature *s, ThError *err)
{
    if (p->places == TH_POSITION_COUPLED && !s->places.kind)
        return th_fail(err, TH_EVALUE, "the task gives no places for places=coupled") ||
               th_hint(err, "a scratchpad gives some where hints= could be: sums and products with "
                            "fill=yes, but without hints=");
    return p->places == TH_POSITION_COUPLED || has_digits(s) ||
           th_fail(err, TH_EVALUE, "places=abacus counts digits, and no symbol of the task is one");
}

void th_position_places_bind(ThPosition *p, ThModelBuilder *b)
{
    const double as_embeddings = 0.5;
    p->signature = &b->m->signature;
    if (p->places == TH_POSITION_UNPLACED)
        return;
    b->failed = b->failed || !can_bind(p, p->signature, b->err);
    p->place = th_model_build(b, "place", rows(p), p->dim, TH_INIT_NORMAL, as_embeddings);
    if (lines(p) > 0)
        p->line = th_model_build(b, "place_line", lines(p), p->dim, TH_INIT_NORMAL, as_embeddings);
}

/* Every run of digits counts 1, 2, …; what is none has row 0. */
static void count_digits(const ThSignature *s, const int *token, int n, int *row)
{
    for (int i = 0; i < n; i++)
        row[i] = !is_digit(s->symbol[token[i]]) ? 0 : i > 0 ? row[i - 1] + 1 : 1;
}

/* The rows of the symbols of a text at the beginning of the table; a place that is none is one,
 * too, but for digits alone. */
static bool set_rows(const ThPosition *p, const int *token, int n, int *row, int *line,
                     ThError *err)
{
    const ThSignature *s = p->signature;
    int by = lines(p);
    if (p->places == TH_POSITION_ABACUS) {
        count_digits(s, token, n, row);
        return true;
    }
    if (!s->places.set(s, token, n, row, line, err))
        return false;
    for (int i = 0; i < n; i++) {
        row[i]++;
        line[i] = by > 0 ? line[i] % by : 0;
    }
    return true;
}

/* Of a text with more than one line the first is any of their vectors, while training. */
static void begin_lines(const ThPosition *p, ThRng *r, int *line, int n)
{
    int last = 0, by = lines(p);
    for (int i = 0; i < n; i++)
        last = line[i] > last ? line[i] : last;
    int start = r && last > 0 ? (int)th_rng_below(r, (uint64_t)by) : 0;
    for (int i = 0; start > 0 && i < n; i++)
        line[i] = (line[i] + start) % by;
}

/* Moves the rows of a text to where it begins in the table. */
static bool begin_at(const ThPosition *p, ThRng *r, int *row, int n, ThError *err)
{
    int most = 0, left;
    for (int i = 0; i < n; i++)
        most = row[i] > most ? row[i] : most;
    left = rows(p) - 1 - most;
    if (left < 0)
        return th_fail(err, TH_EVALUE,
                       "the table of places= has %d, and the text takes %d: a model with "
                       "longest_place=%d reads it",
                       rows(p) - 1, most, most);
    int start = r ? (int)th_rng_below(r, (uint64_t)left + 1) : 0;
    for (int i = 0; i < n; i++)
        row[i] += row[i] > 0 ? start : 0;
    return true;
}

/* A symbol that a model puts before its strings is none of the task's: it has row 0. */
static bool set_whole(const ThPosition *p, const int *token, int n, int *row, int *line,
                      ThError *err)
{
    int own = 0;
    while (own < n && token[own] >= p->signature->n_symbols)
        own++;
    return set_rows(p, token + own, n - own, row + own, line + own, err);
}

/* Fills row and line (B, last) of the last symbols of each text. */
static bool fill(const ThPosition *p, const ThPositionText *text, ThRng *r, int *row, int *line,
                 ThError *err)
{
    int T = text->T, skip = T - text->last;
    int *all TH_OWNED(free) = th_alloc(2 * (size_t)T, sizeof *all, err);
    for (int b = 0; all && b < text->B; b++) {
        size_t at = (size_t)b * (size_t)text->last, size = (size_t)text->last * sizeof *row;
        int n = text->length ? text->length[b] : T;
        memset(all, 0, 2 * (size_t)T * sizeof *all);
        if (!set_whole(p, text->token + (size_t)b * (size_t)T, n, all, all + T, err) ||
            !begin_at(p, r, all, n, err))
            return false;
        begin_lines(p, r, all + T, n);
        memcpy(row + at, all + skip, size);
        memcpy(line + at, all + T + skip, size);
    }
    return all != NULL;
}

ThVar th_position_at_places(const ThPosition *p, ThTape *t, ThVar x, const ThPositionText *text,
                            ThRng *r)
{
    if (p->places == TH_POSITION_UNPLACED || !th_tape_ok(t, NULL))
        return x;
    ThError err = {0};
    int n = text->B * text->last;
    int *row = th_tape_take(t, 2 * (size_t)n, sizeof *row);
    if (row && !fill(p, text, r, row, row + n, &err))
        th_tape_fail(t, err.code, "%s", err.msg);
    if (!th_tape_ok(t, NULL))
        return -1;
    x = th_op_add(t, x, th_op_rows(t, th_param(t, p->place), row, n, 1));
    if (lines(p) > 0)
        x = th_op_add(t, x, th_op_rows(t, th_param(t, p->line), row + n, n, 1));
    return x;
}
