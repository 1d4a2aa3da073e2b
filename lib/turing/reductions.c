#include "turing/reductions.h"

#include "turing/making.h"
#include "turing/transform.h"

/* ---- two symbols ----------------------------------------------------------------------------- */

/* READ: a bits of the cell are read and make the number b.  WRITE: the a lower bits of b are to be
 * written, going left, and then a move c is made to state.  WALK: a more cells in direction c. */
enum { READ, WRITE, WALK };

int th_tm_binary_width(const ThTm *m)
{
    int w = 1;
    while (1 << w < m->n_symbols)
        w++;
    return w;
}

/* The blank has only zeros: it changes places with the first. */
int th_tm_binary_code(const ThTm *m, int symbol)
{
    return symbol == m->blank ? 0 : symbol == 0 ? m->blank : symbol;
}

static const char *bits_of(int n, int number, char text[static 32])
{
    for (int i = 0; i < n; i++)
        text[i] = number >> (n - 1 - i) & 1 ? '1' : '0';
    text[n] = 0;
    return text;
}

static int binary_state(ThTmMaking *x, int does, int q, int n, int number, int move)
{
    const ThTm *m = x->m;
    ThText t TH_OWNED(th_text_free) = {0};
    char bits[32];
    ThTmKey key = {.does = does, .state = q, .a = n, .b = does == WALK ? 0 : number};
    key.c = does == READ ? 0 : move;
    th_text_add(&t, m->state[q]);
    if (does == WALK)
        th_text_printf(&t, ".%c%d", move < 0 ? 'L' : 'R', n);
    else if (n > 0)
        th_text_printf(&t, ".%s%s",
                       does == READ ? ""
                       : move < 0   ? "L"
                       : move > 0   ? "R"
                                    : "S",
                       bits_of(n, number, bits));
    return th_tm_making_state(x, &key, does == READ && n == 0 ? m->role[q] : TH_TM_RUNS,
                              t.failed ? NULL : t.data);
}

/* The last bit of a cell says which rule applies. */
static void last_bit(ThTmMaking *x, int from, int q, int code, int w)
{
    const ThTm *m = x->m;
    int symbol = th_tm_binary_code(m, code); /* its own inverse */
    size_t n;
    const size_t *choice = th_tm_choices(m, q, &symbol, &n);
    for (size_t i = 0; i < n && x->ok; i++) {
        const ThTmRule *r = &m->rule[choice[i]];
        int y = th_tm_binary_code(m, th_tm_written(r, 0, symbol)), move = r->move[0],
            p = th_tm_target(r, q);
        if (w == 1)
            th_tm_making_step(x, from, code & 1, y, move, binary_state(x, READ, p, 0, 0, 0));
        else
            th_tm_making_step(x, from, code & 1, y & 1, -1,
                              binary_state(x, WRITE, p, w - 1, y >> 1, move));
    }
}

static void binary_rules(ThTmMaking *x, int from, const ThTmKey *k, int w)
{
    int q = k->state, last = x->m->n_symbols - 1;
    if (k->does == READ) {
        for (int bit = 0; x->m->role[q] == TH_TM_RUNS && bit < 2; bit++) {
            int number = 2 * k->b + bit, n = k->a + 1;
            if (n == w && number <= last)
                last_bit(x, from, q, number, w);
            else if (n < w && number << (w - n) <= last)
                th_tm_making_step(x, from, bit, bit, 1, binary_state(x, READ, q, n, number, 0));
        }
        return;
    }
    int to = k->a > 1                       ? binary_state(x, k->does, q, k->a - 1, k->b >> 1, k->c)
             : k->does == WALK || k->c == 0 ? binary_state(x, READ, q, 0, 0, 0)
                                            : binary_state(x, WALK, q, w - 1, 0, k->c);
    bool writes = k->does == WRITE;
    th_tm_making_step(x, from, TH_TM_ANY, writes ? k->b & 1 : TH_TM_ANY,
                      writes && k->a > 1 ? -1 : k->c, to);
}

ThTm *th_tm_binary(const ThTm *m, size_t most, ThStop *stop, ThError *err)
{
    if (!th_tm_single_tape(m, err))
        return NULL;
    ThTmMaking x = th_tm_making(m, most, stop, err);
    int w = th_tm_binary_width(m);
    x.b.m.blank = th_tm_symbol(&x.b, "0");
    th_tm_symbol(&x.b, "1");
    x.b.m.start = binary_state(&x, READ, m->start, 0, 0, 0);
    size_t i = 0;
    for (ThTmKey k; th_tm_making_next(&x, &i, &k);)
        binary_rules(&x, (int)i - 1, &k, w);
    return th_tm_making_finish(&x);
}

/* ---- an edge --------------------------------------------------------------------------------- */

/* A pair has the number first + (upper * symbols + lower) * 2 + whether it is that of the first
 * cell; a cell that was not visited has the upper symbol alone. */
typedef struct {
    int upper, lower, edge;
} Pair;

static Pair pair_of(const ThTm *m, int symbol)
{
    int n = m->n_symbols, i = symbol - n;
    return symbol < n ? (Pair){symbol, m->blank, 0} : (Pair){i / 2 / n, i / 2 % n, i % 2};
}

static int pair_number(const ThTm *m, Pair p)
{
    int n = m->n_symbols;
    return p.lower == m->blank && !p.edge ? p.upper : n + 2 * (p.upper * n + p.lower) + p.edge;
}

static bool add_pairs(ThTmMaking *x)
{
    const ThTm *m = x->m;
    int n = m->n_symbols;
    if (n > 150)
        return th_fail(x->err, TH_ELIMIT, "the machine has more than 150 symbols");
    for (int i = 0; i < n; i++)
        th_tm_symbol(&x->b, m->symbol[i]);
    for (int i = 0; i < 2 * n * n; i++) {
        Pair p = pair_of(m, n + i);
        ThText t TH_OWNED(th_text_free) = {0};
        th_text_printf(&t, "%s%s%s", m->symbol[p.upper], p.edge ? "|" : ".", m->symbol[p.lower]);
        if (t.failed)
            return th_fail(x->err, TH_ENOMEM, "out of memory for a machine");
        th_tm_new_symbol(&x->b, t.data);
    }
    return true;
}

/* The state q on the upper track, or below. */
static int on_track(ThTmMaking *x, int q, int below)
{
    ThTmRole role = x->m->role[q];
    ThTmKey key = {.does = role == TH_TM_RUNS ? 0 : TH_TM_KEY_STOPS, .state = q};
    key.a = role == TH_TM_RUNS ? below : 0;
    ThText t TH_OWNED(th_text_free) = {0};
    th_text_printf(&t, "%s%s", x->m->state[q], key.a ? "'" : "");
    return th_tm_making_state(x, &key, role, t.failed ? NULL : t.data);
}

static void one_way_rules(ThTmMaking *x, int from, const ThTmKey *k)
{
    const ThTm *m = x->m;
    int all = m->n_symbols * (1 + 2 * m->n_symbols), below = k->a;
    for (int s = 0; k->does != TH_TM_KEY_STOPS && s < all && x->ok; s++) {
        Pair p = pair_of(m, s);
        if (s != pair_number(m, p))
            continue;
        int read = below ? p.lower : p.upper;
        size_t n;
        const size_t *choice = th_tm_choices(m, k->state, &read, &n);
        for (size_t i = 0; i < n; i++) {
            const ThTmRule *r = &m->rule[choice[i]];
            Pair y = p;
            *(below ? &y.lower : &y.upper) = th_tm_written(r, 0, read);
            int move = below ? -r->move[0] : r->move[0];
            bool turns = p.edge && move < 0; /* to the first cell's other half */
            th_tm_making_step(x, from, s, pair_number(m, y), turns ? 0 : move,
                              on_track(x, th_tm_target(r, k->state), turns ? !below : below));
        }
    }
}

ThTm *th_tm_one_way(const ThTm *m, size_t most, ThStop *stop, ThError *err)
{
    if (!th_tm_single_tape(m, err))
        return NULL;
    ThTmMaking x = th_tm_making(m, most, stop, err);
    const ThTmKey first = {.does = 1};
    x.ok = add_pairs(&x);
    x.b.m.blank = m->blank;
    x.b.m.edge = TH_TM_EDGE_ERROR;
    x.b.m.start = th_tm_making_state(&x, &first, TH_TM_RUNS, "begin");
    for (int s = 0; s < m->n_symbols && x.ok; s++)
        th_tm_making_step(&x, x.b.m.start, s, pair_number(m, (Pair){s, m->blank, 1}), 0,
                          on_track(&x, m->start, 0));
    size_t i = 1;
    for (ThTmKey k; th_tm_making_next(&x, &i, &k);)
        one_way_rules(&x, (int)i - 1, &k);
    return th_tm_making_finish(&x);
}

/* ---- one for all ---- */

/* Behind "<" stands a block for each state, "s" and its rules for 0 and for 1 with ";" between
 * them; a rule is the bit that is written, L or R, and as many x as say which state follows, none
 * to halt. Behind ">" is the tape, the cell under the head A for 0, B for 1.  S in place of s is
 * the present state, l or r in place of L or R the rule that is carried out.
 *
 * C finds the head, F0 and F1 the state, P and Q the rule, W the bit to be written, T and H write
 * it and move, K shifts the tape to the right where the head comes to its left end, G goes back to
 * the rule, V and what follows tick off one x after the other while the next block is marked, E
 * wipes the ticks. */
static const char rules[] =
    "blank _ ; start C ; halt Z ; tape two-way\n"
    "C A -> L F0 ; C B -> L F1 ; C * -> R C\n"
    "F0 S -> s R P ; F0 * -> L F0 ; F1 S -> s R Q ; F1 * -> L F1\n"
    "Q \";\" -> R P ; Q * -> R Q ; P 0 -> R W0 ; P 1 -> R W1\n"
    "W0 L -> l R T0l ; W0 R -> r R T0r ; W1 L -> l R T1l ; W1 R -> r R T1r\n"
    "T0l A,B -> 0 L H ; T0l * -> R T0l ; T0r A,B -> 0 R H ; T0r * -> R T0r\n"
    "T1l A,B -> 1 L H ; T1l * -> R T1l ; T1r A,B -> 1 R H ; T1r * -> R T1r\n"
    "H 0,_ -> A L G ; H 1 -> B L G ; H \">\" -> R KA\n"
    "KA 0 -> A R K0 ; KA 1 -> A R K1 ; KA _ -> A L G\n"
    "K0 0 -> 0 R K0 ; K0 1 -> 0 R K1 ; K0 _ -> 0 L G\n"
    "K1 0 -> 1 R K0 ; K1 1 -> 1 R K1 ; K1 _ -> 1 L G\n"
    "G l,r -> R V ; G * -> L G ; V x -> X L N ; V X -> R U ; V * -> L Z\n"
    "N \"<\" -> R O ; N * -> L N ; O s -> S L Y ; O * -> R O ; Y \"<\" -> R D ; Y * -> L Y\n"
    "D l,r -> R V ; D * -> R D ; U X -> R U ; U x -> X L M ; U * -> L E\n"
    "M \"<\" -> R I ; M * -> L M ; I S -> s R J ; I * -> R I ; J s -> S L Y ; J * -> R J\n"
    "E X -> x L E ; E l -> L R C ; E r -> R R C ; E * -> L E\n";

ThTm *th_tm_universal(ThError *err)
{
    return th_tm_parse(rules, err);
}

/* A state's place among those that run, from 1, the start being the first; 0: it stops. */
static int place_of(const ThTm *m, int q)
{
    int place = 2;
    for (int i = 0; i < q; i++)
        place += i != m->start && m->role[i] == TH_TM_RUNS;
    return m->role[q] != TH_TM_RUNS ? 0 : q == m->start ? 1 : place;
}

/* The rule of a state and a bit; where there is none it halts. */
static void write_rule(ThText *t, const ThTm *m, int q, int bit)
{
    int read = bit ? !m->blank : m->blank, rule = th_tm_rule(m, q, &read);
    const ThTmRule none = {.to = TH_TM_ANY, .write = {TH_TM_ANY}, .move = {1}};
    const ThTmRule *r = rule < 0 ? &none : &m->rule[rule];
    int y = r->write[0] == TH_TM_ANY ? read : r->write[0];
    int to = rule < 0 ? 0 : place_of(m, r->to == TH_TM_ANY ? q : r->to);
    th_text_printf(t, "%d%c", y != m->blank, r->move[0] < 0 ? 'L' : 'R');
    for (int i = 0; i < to; i++)
        th_text_add(t, "x");
}

bool th_tm_universal_input(ThText *t, const ThTm *any, const int *input, int n, ThError *err)
{
    ThTm *moving TH_OWNED(th_tm_free) = any->n_tapes == 1 ? th_tm_moving(any, SIZE_MAX, err) : NULL;
    const ThTm *m = moving ? moving : any;
    bool ok = (m->n_tapes == 1 && m->edge == TH_TM_TWO_WAY && m->n_symbols == 2 && !m->branching) ||
              th_fail(err, TH_EVALUE,
                      "that is for machines with one two-way tape, two symbols and no choices");
    ok = ok && moving &&
         (m->role[m->start] == TH_TM_RUNS ||
          th_fail(err, TH_EVALUE, "the machine stops before its first step"));
    th_text_add(t, "<");
    for (int i = -1; ok && i < m->n_states; i++) {
        int q = i < 0 ? m->start : i;
        if (m->role[q] != TH_TM_RUNS || i == m->start)
            continue;
        th_text_add(t, i < 0 ? "S" : "s");
        write_rule(t, m, q, 0);
        th_text_add(t, ";");
        write_rule(t, m, q, 1);
    }
    th_text_add(t, ">");
    for (int i = 0; i < n || i == 0; i++) {
        bool one = n > 0 && input[i] != m->blank;
        th_text_add(t, i == 0 ? (one ? "B" : "A") : one ? "1" : "0");
    }
    return ok && (!t->failed || th_fail(err, TH_ENOMEM, "out of memory for a machine"));
}
