#include "turing/closed/bouncers.h"

#include <limits.h>

enum { LONGEST = 400, MOST_GROWTH = 120, MOST_MOVES = 20000, MOST_RECORDS = 4000, TRIES = 40 };
enum { MOST_INSIDE = 100000, TEXT = 4 * TH_TM_FORMULA };

/* ---- formulas -------------------------------------------------------------------------------- */

/* Two halves of a tape, each from its far end to the head, which looks to a side. */
typedef struct {
    char half[2][TEXT];
    int n[2], state, side;
} Tape;

static bool push(Tape *x, int side, char c)
{
    if (x->n[side] + 1 >= TEXT)
        return false;
    x->half[side][x->n[side]++] = c;
    x->half[side][x->n[side]] = '\0';
    return true;
}

/* What becomes of cells that the head enters at `at`, going up, where it leaves them above in the
 * same state.  1; 0: not so; -1: it leaves them below. */
static int go_through(const ThTmTable *t, int state, int side, char *cell, int n, int at)
{
    const int first = state;
    for (int k = 0; k < MOST_INSIDE; k++) {
        int a = cell[at] - '0', q = state;
        cell[at] = (char)('0' + t->at[q][a].write);
        at += (t->at[q][a].move > 0) == side ? 1 : -1;
        state = t->at[q][a].to;
        if (at < 0)
            return -1;
        if (state < 0 || at == n)
            return state == first;
    }
    return 0;
}

/* The head goes through a word in brackets, over and over, with some symbols that it takes along.
 */
static bool pass(const ThTmTable *t, Tape *x)
{
    int side = x->side, end = x->n[side] - 1, begin = end;
    char *from = x->half[side], *to = x->half[!side], cell[TEXT] = "", word[TEXT];
    while (from[begin] != '(')
        begin--;
    int n = end - begin - 1;
    for (int tail = 0; tail <= x->n[!side]; tail++) {
        const char *last = to + x->n[!side] - tail;
        if (tail > 0 && (*last == ')' || tail + n >= TEXT))
            return false;
        memcpy(cell, last, (size_t)tail);
        for (int i = 0; i < n; i++)
            cell[tail + i] = from[end - 1 - i];
        int out = go_through(t, x->state, side, cell, tail + n, tail);
        if (out < 0)
            continue;
        if (!out || memcmp(cell + n, last, (size_t)tail) != 0 || x->n[!side] + n + 3 > TEXT)
            return false;
        memcpy(word, last, (size_t)tail);
        from[x->n[side] = begin] = '\0';
        x->n[!side] -= tail;
        push(x, !side, '(');
        for (int i = 0; i < n; i++)
            push(x, !side, cell[i]);
        push(x, !side, ')');
        for (int i = 0; i < tail; i++)
            push(x, !side, word[i]);
        return true;
    }
    return false;
}

/* One move.  False: it stops, or it is not known what it does. */
static bool move(const ThTmTable *t, Tape *x)
{
    int n = x->n[x->side], q = x->state;
    char c = n ? x->half[x->side][n - 1] : '0';
    if (c == ')')
        return pass(t, x);
    if (n)
        x->half[x->side][--x->n[x->side]] = '\0';
    x->side = t->at[q][c - '0'].move > 0;
    x->state = t->at[q][c - '0'].to;
    return x->state >= 0 && push(x, !x->side, (char)('0' + t->at[q][c - '0'].write));
}

/* Moves brackets to the far end: a(ba) is (ab)a. */
static void align(char *s)
{
    for (int i = 0; s[i]; i++) {
        if (s[i] != '(')
            continue;
        int begin = i, end = i;
        while (s[end] != ')')
            end++;
        for (; begin > 0 && s[begin - 1] != ')' && s[begin - 1] == s[end - 1]; begin--, end--) {
            s[begin] = s[begin - 1];
            s[begin - 1] = '(';
            s[end] = s[end - 1];
            s[end - 1] = ')';
        }
        i = end > i ? end : i;
    }
}

/* How much of a text is words, over and over. */
static int copies(const char *s, int n, const char *word, int size)
{
    int i = 0;
    while (size > 0 && i + size <= n && memcmp(s + i, word, (size_t)size) == 0)
        i += size;
    return i;
}

/* Is a half one of the formula, perhaps with more of what is in brackets beside them? */
static bool is_one_of(const char *s, const char *formula)
{
    const char *before = "";
    int size = 0;
    for (bool first = true;; first = false) {
        int has = (int)strcspn(s, "("), wants = (int)strcspn(formula, "(");
        if ((s[has] == '(') != (formula[wants] == '('))
            return false;
        const char *word = formula + wants + (formula[wants] == '(');
        int next = (int)strcspn(word, ")"), zeros = 0, blank = 0;
        if (formula[wants] && strncmp(s + has + 1, word, (size_t)next + 1) != 0)
            return false;
        if (first) { /* all is blank behind it */
            zeros = (int)strspn(s, "0") < has ? (int)strspn(s, "0") : has;
            blank = (int)strspn(formula, "0") < wants ? (int)strspn(formula, "0") : wants;
        }
        const int most = copies(s + zeros, has - zeros, before, size);
        bool fits = false;
        for (int used = 0; used <= most && !fits; used += size > 0 ? size : most + 1) {
            const char *at = s + zeros + used;
            int left = has - zeros - used, want = wants - blank;
            fits = left >= want && memcmp(at, formula + blank, (size_t)want) == 0;
            fits = fits &&
                   copies(at + want, left - want, word, formula[wants] ? next : 0) == left - want;
        }
        if (!fits || !formula[wants])
            return fits;
        before = word;
        size = next;
        s += has + next + 2;
        formula = word + next + 1;
    }
}

/* Whether moves, the first of which is a step, lead from all that a formula is to what it is. */
static bool bounces(const ThTmTable *t, ThTmBouncer *b)
{
    Tape x = {.state = b->state, .side = b->side}, now;
    align(b->formula);
    for (const char *s = b->formula; *s; s++)
        push(&x, !b->side, *s);
    for (b->moves = 1; b->moves <= MOST_MOVES; b->moves++) {
        if (!move(t, &x))
            return false;
        if (x.state != b->state || x.side != b->side || x.n[b->side] > 0)
            continue;
        now = x;
        align(now.half[!b->side]);
        if (is_one_of(now.half[!b->side], b->formula))
            return true;
    }
    return false;
}

/* ---- what a run looks like ------------------------------------------------------------------- */

/* The head has come to a cell beside all others, on a side. */
typedef struct {
    uint64_t step;
    int state, side;
    long long length; /* of all others */
} Record;

typedef struct {
    const ThTmTable *t;
    Record *record; /* the last search's */
    size_t capacity;
    unsigned char *cell;
    long long size, head, low, high; /* low … high: where it stood */
    uint64_t step;
    int state;
} Run;

static bool take_step(Run *r)
{
    int a = r->cell[r->head], q = r->state;
    r->cell[r->head] = (unsigned char)r->t->at[q][a].write;
    r->head += r->t->at[q][a].move;
    r->state = r->t->at[q][a].to;
    r->step++;
    return r->state >= 0 && r->head >= 0 && r->head < r->size;
}

static void begin(Run *r)
{
    memset(r->cell, 0, (size_t)r->size);
    r->head = r->low = r->high = r->size / 2;
    r->step = 0;
    r->state = 0;
}

/* Records up to so many steps; fewer where the tape is longer than a formula can be. */
static int find_records(Run *r, uint64_t steps, ThStop *stop, ThError *err)
{
    int n = 0;
    begin(r);
    while (r->step < steps && n < MOST_RECORDS && take_step(r)) {
        if (r->step % 65536 == 0 && th_stopped(stop, err))
            return -1;
        if (r->head >= r->low && r->head <= r->high)
            continue;
        if (!th_grow(&r->record, &r->capacity, (size_t)n + 1, sizeof *r->record, err))
            return -1;
        r->record[n++] = (Record){r->step, r->state, r->head > r->high, r->high - r->low + 1};
        r->low = r->head < r->low ? r->head : r->low;
        r->high = r->head > r->high ? r->head : r->high;
    }
    return n;
}

/* to <- the tape at a record, from the far end to the head. */
static void tape_at(Run *r, const Record *record, char *to)
{
    begin(r);
    while (r->step < record->step)
        take_step(r);
    for (long long i = 1; i <= record->length; i++)
        to[record->length - i] = (char)('0' + r->cell[record->side ? r->head - i : r->head + i]);
    to[record->length] = '\0';
}

/* ---- a formula of three tapes ---------------------------------------------------------------- */

typedef struct {
    char text[3][LONGEST + 2 * MOST_GROWTH + 1];
    int n, growth; /* symbols of the first; how many more the next has, and the third than that */
    short cost[LONGEST + 1][MOST_GROWTH + 1], from[LONGEST + 1][MOST_GROWTH + 1];
} Fit;

/* Writes in brackets what is there once more in each tape than in the one before, as few words as
 * can be.  cost: words for i symbols of the first tape and e more in the next; from: the last one's
 * size, 0: a symbol of all. */
static bool find_formula(Fit *f, char *to)
{
    const char *a = f->text[0], *b = f->text[1], *c = f->text[2];
    char back[TEXT];
    int n = 0, words = 0;
    for (int i = 0; i <= f->n; i++)
        for (int e = 0; e <= f->growth; e++)
            f->cost[i][e] = i + e ? SHRT_MAX : 0;
    for (int i = 0; i <= f->n; i++)
        for (int e = 0; e <= f->growth; e++) {
            int is = f->cost[i][e];
            if (is == SHRT_MAX)
                continue;
            if (i < f->n && a[i] == b[i + e] && a[i] == c[i + 2 * e] && is < f->cost[i + 1][e]) {
                f->cost[i + 1][e] = (short)is;
                f->from[i + 1][e] = 0;
            }
            for (int k = 1; e + k <= f->growth; k++)
                if (is + 1 < f->cost[i][e + k] &&
                    memcmp(b + i + e, c + i + 2 * e, (size_t)k) == 0 &&
                    memcmp(b + i + e, c + i + 2 * e + k, (size_t)k) == 0) {
                    f->cost[i][e + k] = (short)(is + 1);
                    f->from[i][e + k] = (short)k;
                }
        }
    if (f->cost[f->n][f->growth] == SHRT_MAX)
        return false;
    for (int i = f->n, e = f->growth; i + e > 0;) {
        int k = f->from[i][e];
        if (k == 0) {
            back[n++] = a[--i];
            continue;
        }
        e -= k;
        back[n++] = ')';
        for (int j = k - 1; j >= 0; j--)
            back[n++] = b[i + e + j];
        back[n++] = '(';
        words++;
    }
    for (int i = 0; i < n; i++)
        to[i] = back[n - 1 - i];
    to[n] = '\0';
    return words > 0;
}

/* Are four records alike, but for steady growth? */
static bool is_steady(const Record *r, int k, int stride)
{
    const Record *x[4];
    for (int i = 0; i < 4; i++)
        x[i] = &r[k - (3 - i) * stride];
    for (int i = 0; i < 3; i++)
        if (x[i]->length - x[0]->length != i * (x[1]->length - x[0]->length))
            return false;
    return x[3]->length - x[2]->length == x[1]->length - x[0]->length &&
           x[3]->step - x[2]->step - (x[2]->step - x[1]->step) ==
               x[2]->step - x[1]->step - (x[1]->step - x[0]->step);
}

static bool try_records(Run *r, Fit *f, const Record *record, int k, int stride, ThTmBouncer *b)
{
    const Record *x[3];
    for (int i = 0; i < 3; i++)
        x[i] = &record[k - (3 - i) * stride];
    long long growth = x[1]->length - x[0]->length;
    if (x[0]->length > LONGEST || growth > MOST_GROWTH || growth < 1)
        return false;
    f->n = (int)x[0]->length;
    f->growth = (int)growth;
    for (int i = 0; i < 3; i++)
        tape_at(r, x[i], f->text[i]);
    *b = (ThTmBouncer){.step = x[0]->step, .side = x[0]->side, .state = x[0]->state};
    char text[TEXT];
    if (!find_formula(f, text) || strlen(text) >= TH_TM_FORMULA)
        return false;
    memcpy(b->formula, text, strlen(text) + 1);
    return bounces(r->t, b);
}

/* Those of one state and side among n records, which come first then; how many. */
static int choose(const Record *from, int n, int state, int side, Record *to)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        if (from[i].state == state && from[i].side == side)
            to[k++] = from[i];
    return k;
}

static bool try_all(Run *r, int n, ThTmBouncer *b, ThStop *stop, bool *proved, ThError *err)
{
    enum { STRIDES = 6 };
    Record *some TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *some, err);
    Fit *f TH_OWNED(free) = NULL; /* large, and most machines need none */
    for (int which = 0; some && which < 2 * r->t->states; which++) {
        int k = choose(r->record, n, which / 2, which % 2, some), tries = 0;
        for (int i = 3; i < k && tries < TRIES; i++)
            for (int stride = 1; stride <= STRIDES && 3 * stride <= i; stride++) {
                if (!is_steady(some, i, stride))
                    continue;
                if (th_stopped(stop, err) || (!f && !(f = th_alloc(1, sizeof *f, err))))
                    return false;
                tries++;
                *proved = try_records(r, f, some, i, stride, b);
                if (*proved)
                    return true;
            }
    }
    return some != NULL;
}

bool th_tm_bouncer(ThTmBouncer *b, const ThTmTable *t, uint64_t steps, ThStop *stop, bool *proved,
                   ThError *err)
{
    static const uint64_t rounds[] = {2000, 20000, 200000, UINT64_MAX};
    enum { SIZE = 1 << 14 };
    Run r = {.t = t, .size = SIZE};
    r.cell = th_alloc(SIZE, 1, err);
    bool ok = r.cell != NULL;
    *proved = false;
    for (int i = 0; ok && !*proved && i < 4; i++) {
        uint64_t most = rounds[i] < steps ? rounds[i] : steps;
        int n = find_records(&r, most, stop, err);
        ok = n >= 0 && try_all(&r, n, b, stop, proved, err);
        if (most == steps || r.step < most)
            break;
    }
    TH_FREE(r.record, r.cell);
    return ok;
}
