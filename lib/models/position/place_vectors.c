/* Learned vectors for the places that symbols stand for, added to the embeddings whatever position=
 * is: symbols that play the same part get the same vector.  While training a text begins anywhere
 * in the table, so that places beyond the lengths of training are seen; its lines do in theirs.  Or
 * (place_draw=random) it has any of the table's rows, in order, as positions are drawn by Ruoss et
 * al. 2023 (Randomized positional encodings): rows far apart then meet in one text, and which row
 * is next has to be looked up in the text.
 *
 * coupled: the places are the task's (Cho et al. 2024, section 3; more tables, for the lines and
 * for the parts of a line, as Cho et al. 2025 have several).  abacus: digits are counted within
 * their number (McLeish et al. 2024, section 3), which they draw once a batch, and here once a
 * text. */
#include "models/position/place_vectors.h"

enum { USUAL = 128, USUAL_LINES = 4 };
enum { DRAW_START, DRAW_ROWS }; /* place_draw= */

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

/* A part of a line is what stands between symbols without a place: an operand, a carry. */
static int parts(const ThPosition *p)
{
    return (int)th_option_int_or(p->options, "place_parts", 0);
}

bool th_position_draws_places(const ThPosition *p)
{
    return p->places != TH_POSITION_UNPLACED && th_option_given(p->options, "place_draw") &&
           th_option_choice(p->options, "place_draw") == DRAW_ROWS;
}

bool th_position_has_places(const ThOptions *o)
{
    return th_option_known(o, "places") && th_option_choice(o, "places") > TH_POSITION_UNPLACED;
}

bool th_position_places_check(const ThPosition *p, ThError *err)
{
    static const char *const names[] = {"longest_place", "place_lines", "place_parts",
                                        "place_draw"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (p->places == TH_POSITION_UNPLACED && th_option_given(p->options, names[i]))
            return th_fail(err, TH_EUSAGE, "%s= says nothing without places=", names[i]);
    for (int i = 1; i < 3; i++)
        if (p->places == TH_POSITION_ABACUS && th_option_given(p->options, names[i]))
            return th_fail(err, TH_EUSAGE, "%s= says nothing to places=abacus", names[i]);
    return true;
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
    if (parts(p) > 0)
        p->part = th_model_build(b, "place_part", parts(p), p->dim, TH_INIT_NORMAL, as_embeddings);
}

/* Every run of digits counts 1, 2, …; what is none has row 0. */
static void count_digits(const ThSignature *s, const int *token, int n, int *row)
{
    for (int i = 0; i < n; i++)
        row[i] = !is_digit(s->symbol[token[i]]) ? 0 : i > 0 ? row[i - 1] + 1 : 1;
}

/* The rows that a text has in the tables, (n) each. */
typedef struct {
    int *place, *line, *part;
} Rows;

static Rows behind(Rows r, int n)
{
    return (Rows){r.place + n, r.line + n, r.part + n};
}

/* Counts the parts of each line from 0 on; a symbol without a place is of the part before it.  More
 * than the table has are told apart modulo its size. */
static void count_parts(const Rows *r, int n, int by)
{
    for (int i = 0, begun = 0; i < n; i++) {
        bool first = i == 0 || r->line[i] != r->line[i - 1];
        begun = first ? 0 : begun;
        begun += r->place[i] > 0 && (first || r->place[i - 1] == 0);
        r->part[i] = by > 0 && begun > 0 ? (begun - 1) % by : 0;
    }
}

/* The rows of the symbols of a text at the beginning of the tables; a place that is none is one,
 * too, but for digits alone. */
static bool set_rows(const ThPosition *p, const int *token, int n, Rows r, ThError *err)
{
    const ThSignature *s = p->signature;
    int by = lines(p);
    if (p->places == TH_POSITION_ABACUS) {
        count_digits(s, token, n, r.place);
        return true;
    }
    if (!s->places.set(s, token, n, r.place, r.line, err))
        return false;
    count_parts(&r, n, parts(p));
    for (int i = 0; i < n; i++) {
        r.place[i]++;
        r.line[i] = by > 0 ? r.line[i] % by : 0;
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

/* Moves the rows of a text, 1 to most, to where it begins in the table of `all` rows. */
static void begin_at(ThRng *r, int *row, int n, int most, int all)
{
    int start = (int)th_rng_below(r, (uint64_t)(all - most) + 1);
    for (int i = 0; i < n; i++)
        row[i] += row[i] > 0 ? start : 0;
}

/* The same, but with gaps: a text has any rows of a stretch of the table, in order, by selection
 * sampling (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S).  While training (r) the
 * stretch is as long as the text needs, where there are no gaps, up to all of the table; else it is
 * all of it, and texts of as many places have the same rows. */
static bool spread(ThRng *r, int *row, int n, int most, int all, ThError *err)
{
    int *at TH_OWNED(free) = th_alloc((size_t)most + 1, sizeof *at, err);
    if (!at)
        return false;
    ThRng own = th_rng(0, "places", (uint64_t)most);
    int stretch = r ? most + (int)th_rng_below(r, (uint64_t)(all - most) + 1) : all;
    int next = r ? 1 + (int)th_rng_below(r, (uint64_t)(all - stretch) + 1) : 1;
    for (int k = 1; k <= most; next++, stretch--)
        if ((int)th_rng_below(r ? r : &own, (uint64_t)stretch) <= most - k)
            at[k++] = next;
    for (int i = 0; i < n; i++)
        row[i] = row[i] > 0 ? at[row[i]] : 0;
    return true;
}

static int greatest(const int *row, int n)
{
    int most = 0;
    for (int i = 0; i < n; i++)
        most = row[i] > most ? row[i] : most;
    return most;
}

/* Gives a text its rows of the table: the first ones but while training, or those that are drawn.
 */
static bool take_rows(const ThPosition *p, ThRng *r, int *row, int n, ThError *err)
{
    int most = greatest(row, n), all = rows(p) - 1;
    if (most > all)
        return th_fail(err, TH_EVALUE,
                       "the table of places= has %d, and the text takes %d: a model with "
                       "longest_place=%d reads it",
                       all, most, most);
    if (th_position_draws_places(p))
        return spread(r, row, n, most, all, err);
    if (r)
        begin_at(r, row, n, most, all);
    return true;
}

/* A symbol that a model puts before its strings is none of the task's: it has row 0. */
static bool set_whole(const ThPosition *p, const int *token, int n, Rows r, ThError *err)
{
    int own = 0;
    while (own < n && token[own] >= p->signature->n_symbols)
        own++;
    return set_rows(p, token + own, n - own, behind(r, own), err);
}

enum { TABLES = 3 };

/* Fills the rows (B, last) of the last symbols of each text. */
static bool fill(const ThPosition *p, const ThPositionText *text, ThRng *r, Rows to, ThError *err)
{
    int T = text->T;
    int *room TH_OWNED(free) = th_alloc(TABLES * (size_t)T, sizeof *room, err);
    Rows all = {room, room + T, room + 2 * (ptrdiff_t)T};
    for (int b = 0; room && b < text->B; b++) {
        Rows last = behind(all, T - text->last), here = behind(to, b * text->last);
        size_t size = (size_t)text->last * sizeof *room;
        int n = text->length ? text->length[b] : T;
        memset(room, 0, TABLES * (size_t)T * sizeof *room);
        if (!set_whole(p, text->token + (size_t)b * (size_t)T, n, all, err) ||
            !take_rows(p, r, all.place, n, err))
            return false;
        begin_lines(p, r, all.line, n);
        memcpy(here.place, last.place, size);
        memcpy(here.line, last.line, size);
        memcpy(here.part, last.part, size);
    }
    return room != NULL;
}

bool th_position_moves_places(const ThPosition *p, const ThPositionText *text, int kept)
{
    int T = text->T;
    int *room TH_OWNED(free) = th_alloc(TABLES * (size_t)T, sizeof *room, NULL);
    Rows all = {room, room + T, room + 2 * (ptrdiff_t)T};
    bool moves = false;
    for (int b = 0; room && !moves && b < text->B; b++) {
        const int *token = text->token + (size_t)b * (size_t)T;
        moves =
            set_whole(p, token, T, all, NULL) && greatest(all.place, kept) < greatest(all.place, T);
    }
    return moves;
}

static ThVar add_rows(ThTape *t, ThVar x, int param, const int *row, int n)
{
    return th_op_add(t, x, th_op_rows(t, th_param(t, param), row, n, 1));
}

ThVar th_position_at_places(const ThPosition *p, ThTape *t, ThVar x, const ThPositionText *text,
                            ThRng *r)
{
    if (p->places == TH_POSITION_UNPLACED || !th_tape_ok(t, NULL))
        return x;
    ThError err = {0};
    int n = text->B * text->last;
    int *room = th_tape_take(t, TABLES * (size_t)n, sizeof *room);
    Rows rows = {room, room + n, room + 2 * (ptrdiff_t)n};
    if (room && !fill(p, text, r, rows, &err))
        th_tape_fail(t, err.code, "%s", err.msg);
    if (!th_tape_ok(t, NULL))
        return -1;
    x = add_rows(t, x, p->place, rows.place, n);
    if (lines(p) > 0)
        x = add_rows(t, x, p->line, rows.line, n);
    if (parts(p) > 0)
        x = add_rows(t, x, p->part, rows.part, n);
    return x;
}
