/* rules.c - runs by rules that are proved on the way. */

#include <gmp.h>
#include <math.h>

#include "base/intern.h"
#include "turing/closed/rules.h"

enum {
    LONGEST = 16,
    MOST_RUNS = 60,
    MOST_STEPS = 1 << 16,
    MOST_SEEN = 1 << 14,
    MOST_BITS = 1 << 17
};

/* A word so many times over.  While a rule is proved the number is a letter and something more. */
typedef struct {
    int word, letter; /* letter: the number of a run then; -1: none */
    mpz_t times;
} Run;

/* Runs from the far end to the head, on either side; the head looks to a side. */
typedef struct {
    int state, side, n[2];
    Run run[2][MOST_RUNS];
    mpz_t steps;
} Tape;

/* What becomes of a word into which the head goes. */
typedef struct {
    int word, state, side, steps;
} Move;

/* A tape that was met: when it was met, the last two times. */
typedef struct {
    uint64_t at[3];
    int n;
} Seen;

typedef struct {
    const ThTmTable *t;
    int length;
    ThIntern word, key;
    Seen *seen;
    size_t seen_cap;
    Tape tape, proof;
    /* While a rule is proved: by letter, what has to be there, at least, and how steps grow. */
    mpz_t least[2 * MOST_RUNS], slope[2 * MOST_RUNS], first[2 * MOST_RUNS];
    mpz_t a, b, c;
    ThTmRuled *r;
    ThStop *stop;
    ThError *err;
} Ruled;

/* ---- moves ----------------------------------------------------------------------------------- */

/* Runs the machine in a word; false: it is there too long (or memory ran out).  state -1: it stops.
 */
static bool inside(Ruled *x, int word, int state, int side, Move *m)
{
    unsigned char cell[LONGEST] = {0};
    int at = side ? 0 : x->length - 1;
    size_t index;
    memcpy(cell, th_intern_at(&x->word, (size_t)word, NULL), (size_t)x->length);
    for (m->steps = 0; at >= 0 && at < x->length && state >= 0; m->steps++) {
        if (m->steps == MOST_STEPS)
            return false;
        int a = cell[at], q = state;
        cell[at] = (unsigned char)x->t->at[q][a].write;
        at += x->t->at[q][a].move;
        state = x->t->at[q][a].to;
    }
    m->state = state;
    m->side = at >= x->length || (state < 0 && side == 0);
    if (!th_intern(&x->word, cell, (size_t)x->length, &index, x->err))
        return false;
    m->word = (int)index;
    return true;
}

/* Puts x->a times a word, which may have a letter, on a side; false: too many runs, or letters that
 * would be added. */
static bool put(Ruled *x, Tape *t, int side, int word, int letter)
{
    int n = t->n[side];
    Run *last = n ? &t->run[side][n - 1] : NULL;
    if (!last && word == 0)
        return true;
    if (last && last->word == word) {
        if (letter >= 0 && last->letter >= 0)
            return false;
        last->letter = letter >= 0 ? letter : last->letter;
        mpz_add(last->times, last->times, x->a);
        return true;
    }
    if (n == MOST_RUNS)
        return false;
    t->run[side][n].word = word;
    t->run[side][n].letter = letter;
    mpz_set(t->run[side][n].times, x->a);
    t->n[side]++;
    return true;
}

/* That letter + times is `value` at least. */
static void need(Ruled *x, const Run *run, int value)
{
    mpz_ui_sub(x->b, (unsigned long)value, run->times);
    if (mpz_cmp(x->b, x->least[run->letter]) > 0)
        mpz_set(x->least[run->letter], x->b);
}

/* One move: through all of a run where the head comes out behind it in the same state, else through
 * one word of it.  False: it cannot be made here; t->state < 0: the machine stops. */
static bool move(Ruled *x, Tape *t)
{
    Move m;
    int side = t->side, n = t->n[side];
    Run *run = n ? &t->run[side][n - 1] : NULL;
    int word = run ? run->word : 0, letter = -1;
    if (!inside(x, word, t->state, side, &m))
        return false;
    bool through = m.state == t->state && m.side == side;
    if (!run && through) /* for ever into blanks */
        return x->r->never = true, false;
    mpz_set_ui(x->a, 1);
    if (run && through) {
        if (run->letter >= 0) {
            need(x, run, 1);
            mpz_add_ui(x->slope[run->letter], x->slope[run->letter], (unsigned long)m.steps);
        }
        mpz_addmul_ui(t->steps, run->times, (unsigned long)m.steps);
        mpz_set(x->a, run->times);
        letter = run->letter;
        t->n[side]--;
    } else {
        mpz_add_ui(t->steps, t->steps, (unsigned long)m.steps);
        if (run && run->letter >= 0)
            need(x, run, 2);
        if (run) {
            mpz_sub_ui(run->times, run->times, 1);
            t->n[side] -= run->letter < 0 && mpz_sgn(run->times) == 0;
        }
    }
    t->state = m.state;
    t->side = m.side;
    return put(x, t, !m.side, m.word, letter);
}

/* ---- rules ----------------------------------------------------------------------------------- */

/* The tape but for exponents, only of which it is said that they are 1. */
static bool key_of(Ruled *x, size_t *index)
{
    int text[4 + 4 * MOST_RUNS], n = 0;
    const Tape *t = &x->tape;
    text[n++] = t->state;
    text[n++] = t->side;
    for (int side = 0; side < 2; side++) {
        text[n++] = t->n[side];
        for (int i = 0; i < t->n[side]; i++)
            text[n++] = 2 * t->run[side][i].word + (mpz_cmp_ui(t->run[side][i].times, 1) == 0);
    }
    size_t before = x->key.n;
    if (!th_intern(&x->key, text, (size_t)n * sizeof *text, index, x->err) ||
        !th_grow(&x->seen, &x->seen_cap, x->key.n, sizeof *x->seen, x->err))
        return false;
    if (*index == before)
        x->seen[*index] = (Seen){{0}, 0};
    return true;
}

/* A letter in place of every exponent that is more than 1. */
static void with_letters(Ruled *x)
{
    Tape *p = &x->proof;
    const Tape *t = &x->tape;
    int letters = 0;
    p->state = t->state;
    p->side = t->side;
    mpz_set_ui(p->steps, 0);
    for (int side = 0; side < 2; side++) {
        p->n[side] = t->n[side];
        for (int i = 0; i < t->n[side]; i++) {
            bool one = mpz_cmp_ui(t->run[side][i].times, 1) == 0;
            p->run[side][i].word = t->run[side][i].word;
            p->run[side][i].letter = one ? -1 : letters;
            mpz_set_ui(p->run[side][i].times, one);
            if (one)
                continue;
            mpz_set_ui(x->least[letters], 1);
            mpz_set_ui(x->slope[letters], 0);
            mpz_set(x->first[letters++], t->run[side][i].times);
        }
    }
}

/* The same tape, with each letter where it was: what is added to letters is what a rule does. */
static bool came_back(const Ruled *x)
{
    const Tape *p = &x->proof, *t = &x->tape;
    int letters = 0;
    bool same = p->state == t->state && p->side == t->side;
    for (int side = 0; same && side < 2; side++) {
        same = p->n[side] == t->n[side];
        for (int i = 0; same && i < t->n[side]; i++) {
            bool one = mpz_cmp_ui(t->run[side][i].times, 1) == 0;
            const Run *run = &p->run[side][i];
            same = run->word == t->run[side][i].word && run->letter == (one ? -1 : letters) &&
                   (!one || mpz_cmp_ui(run->times, 1) == 0);
            letters += !one;
        }
    }
    return same;
}

/* How often the rule can be used: c; 0: always. */
static void how_often(Ruled *x)
{
    mpz_set_ui(x->c, 0);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < x->proof.n[side]; i++) {
            const Run *run = &x->proof.run[side][i];
            if (run->letter < 0 || mpz_sgn(run->times) >= 0)
                continue;
            mpz_sub(x->a, x->first[run->letter], x->least[run->letter]);
            mpz_neg(x->b, run->times);
            mpz_fdiv_q(x->a, x->a, x->b);
            mpz_add_ui(x->a, x->a, 1);
            if (mpz_sgn(x->c) == 0 || mpz_cmp(x->a, x->c) < 0)
                mpz_set(x->c, x->a);
        }
}

/* Uses the rule c times at once.  Steps: c s + Σ slope (c first + times c (c - 1) / 2). */
static void use_rule(Ruled *x)
{
    Tape *t = &x->tape;
    mpz_addmul(t->steps, x->c, x->proof.steps);
    mpz_sub_ui(x->a, x->c, 1);
    mpz_mul(x->a, x->a, x->c);
    mpz_fdiv_q_ui(x->a, x->a, 2);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < x->proof.n[side]; i++) {
            const Run *run = &x->proof.run[side][i];
            if (run->letter < 0)
                continue;
            mpz_mul(x->b, x->c, x->first[run->letter]);
            mpz_addmul(x->b, run->times, x->a);
            mpz_addmul(t->steps, x->slope[run->letter], x->b);
            mpz_addmul(t->run[side][i].times, run->times, x->c);
        }
}

/* Proves what so many moves do to the exponents, and does it as often as it can be. */
static bool try_rule(Ruled *x, uint64_t moves, bool *used)
{
    with_letters(x);
    *used = false;
    bool never = x->r->never;
    for (uint64_t i = 0; i < moves; i++)
        if (!move(x, &x->proof) || x->proof.state < 0) {
            x->r->never = never;
            return true;
        }
    if (!came_back(x))
        return true;
    for (int side = 0, letters = 0; side < 2; side++)
        for (int i = 0; i < x->proof.n[side]; i++)
            if (x->proof.run[side][i].letter >= 0) {
                if (mpz_cmp(x->first[letters], x->least[letters]) < 0)
                    return true;
                letters++;
            }
    how_often(x);
    x->r->never = mpz_sgn(x->c) == 0;
    if (!x->r->never)
        use_rule(x);
    x->r->rules++;
    return *used = true;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static bool forget(Ruled *x)
{
    th_intern_free(&x->key);
    return true;
}

/* Looks whether the tape was here before, twice, with as many moves in between. */
static bool look_back(Ruled *x, uint64_t now)
{
    size_t index;
    bool used = false;
    if (x->key.n >= MOST_SEEN)
        forget(x);
    if (!key_of(x, &index))
        return false;
    Seen *s = &x->seen[index];
    if (s->n < 3)
        s->at[s->n++] = now;
    else {
        memmove(s->at, s->at + 1, 2 * sizeof *s->at);
        s->at[2] = now;
    }
    if (s->n == 3 && s->at[2] - s->at[1] == s->at[1] - s->at[0]) {
        uint64_t moves = s->at[2] - s->at[1];
        s->n = 0;
        if (!try_rule(x, moves, &used))
            return false;
    }
    return !used || forget(x);
}

static void count_nonblank(Ruled *x)
{
    mpz_set_ui(x->c, 0);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < x->tape.n[side]; i++) {
            const unsigned char *cell =
                th_intern_at(&x->word, (size_t)x->tape.run[side][i].word, NULL);
            unsigned long n = 0;
            for (int k = 0; k < x->length; k++)
                n += cell[k] != 0;
            mpz_addmul_ui(x->c, x->tape.run[side][i].times, n);
        }
}

static bool run(Ruled *x, uint64_t moves)
{
    static const unsigned char blank[LONGEST];
    size_t index;
    if (!th_intern(&x->word, blank, (size_t)x->length, &index, x->err))
        return false;
    x->tape.side = 1;
    for (uint64_t now = 0; now < moves && x->err->code == TH_OK; now++) {
        if (th_stopped(x->stop, x->err) || !look_back(x, now))
            return false;
        x->r->moves = now + 1;
        if (x->r->never || mpz_sizeinbase(x->tape.steps, 2) > MOST_BITS || !move(x, &x->tape))
            break;
        if (x->tape.state < 0) {
            x->r->stops = true;
            count_nonblank(x);
            break;
        }
    }
    return x->err->code == TH_OK;
}

static void each_number(Ruled *x, void (*does)(mpz_t))
{
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < MOST_RUNS; i++) {
            does(x->tape.run[side][i].times);
            does(x->proof.run[side][i].times);
            does(x->least[side * MOST_RUNS + i]);
            does(x->slope[side * MOST_RUNS + i]);
            does(x->first[side * MOST_RUNS + i]);
        }
    does(x->tape.steps);
    does(x->proof.steps);
    does(x->a);
    does(x->b);
    does(x->c);
}

static void start_number(mpz_t n)
{
    mpz_init(n);
}
static void end_number(mpz_t n)
{
    mpz_clear(n);
}

/* Returns new: decimal digits. */
static char *digits_of(const mpz_t n, ThError *err)
{
    char *text = th_alloc(mpz_sizeinbase(n, 10) + 2, 1, err);
    return text ? mpz_get_str(text, 10, n) : NULL;
}

/* By words of one length; *bits tells how far it came. */
static bool attempt(ThTmRuled *r, const ThTmTable *t, int length, uint64_t moves, size_t *bits,
                    ThStop *stop, ThError *err)
{
    ThError own = {0};
    Ruled *x = th_alloc(1, sizeof *x, err);
    if (!x)
        return false;
    *r = (ThTmRuled){.length = length};
    x->t = t;
    x->length = length;
    x->r = r;
    x->stop = stop;
    x->err = &own;
    each_number(x, start_number);
    bool ok = run(x, moves);
    if (ok && r->stops) {
        r->steps = digits_of(x->tape.steps, &own);
        r->nonblank = digits_of(x->c, &own);
        ok = r->steps && r->nonblank;
    }
    *bits = mpz_sizeinbase(x->tape.steps, 2);
    each_number(x, end_number);
    th_intern_free(&x->word);
    th_intern_free(&x->key);
    TH_FREE(x->seen, x);
    return ok || th_fail(err, own.code, "%s", own.msg);
}

bool th_tm_ruled(ThTmRuled *r, const ThTmTable *t, int longest, uint64_t moves, ThStop *stop,
                 ThError *err)
{
    enum { FEW = 5000 };
    size_t bits[LONGEST + 1] = {0};
    bool ok = true;
    *r = (ThTmRuled){0};
    for (int length = 1; ok && length <= longest && length <= LONGEST && !r->stops && !r->never;
         length++)
        ok = attempt(r, t, length, moves < FEW ? moves : FEW, &bits[length], stop, err);
    int best = 1;
    for (int length = 2; length <= longest && length <= LONGEST; length++)
        best = bits[length] > bits[best] ? length : best;
    if (ok && !r->stops && !r->never && moves > FEW)
        ok = attempt(r, t, best, moves, &bits[best], stop, err);
    if (!ok)
        th_tm_ruled_free(r);
    return ok;
}

void th_tm_ruled_free(ThTmRuled *r)
{
    TH_FREE(r->steps, r->nonblank);
    *r = (ThTmRuled){0};
}

void th_tm_big_write(ThText *t, const char *digits)
{
    enum { MOST_DIGITS = 40 };
    double head = 0, unit = 1;
    size_t n = strlen(digits);
    for (size_t i = 0; i < n && i < 10; i++, unit /= 10)
        head += unit * (digits[i] - '0');
    if (n <= MOST_DIGITS)
        th_text_add(t, digits);
    else
        th_text_printf(t, "~10^%.1f", (double)(n - 1) + log10(head));
}
