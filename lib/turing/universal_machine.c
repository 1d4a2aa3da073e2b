#include "turing/reductions.h"

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
static bool write_rule(ThText *t, const ThTm *m, int q, int bit, ThError *err)
{
    int read = bit ? !m->blank : m->blank, rule = th_tm_rule(m, q, &read);
    const ThTmRule none = {.to = TH_TM_ANY, .write = {TH_TM_ANY}, .move = {1}};
    const ThTmRule *r = rule < 0 ? &none : &m->rule[rule];
    int y = r->write[0] == TH_TM_ANY ? read : r->write[0];
    int to = rule < 0 ? 0 : place_of(m, r->to == TH_TM_ANY ? q : r->to);
    if (r->move[0] == 0)
        return th_fail(err, TH_EVALUE, "a rule of state '%s' does not move", m->state[q]);
    th_text_printf(t, "%d%c", y != m->blank, r->move[0] < 0 ? 'L' : 'R');
    for (int i = 0; i < to; i++)
        th_text_add(t, "x");
    return true;
}

bool th_tm_universal_input(ThText *t, const ThTm *m, const int *input, int n, ThError *err)
{
    bool ok = (m->n_tapes == 1 && m->edge == TH_TM_TWO_WAY && m->n_symbols == 2 && !m->branching) ||
              th_fail(err, TH_EVALUE,
                      "that is for machines with one two-way tape, two symbols and no choices");
    ok = ok && (m->role[m->start] == TH_TM_RUNS ||
                th_fail(err, TH_EVALUE, "the machine stops before its first step"));
    th_text_add(t, "<");
    for (int i = -1; ok && i < m->n_states; i++) {
        int q = i < 0 ? m->start : i;
        if (m->role[q] != TH_TM_RUNS || i == m->start)
            continue;
        th_text_add(t, i < 0 ? "S" : "s");
        ok = write_rule(t, m, q, 0, err);
        th_text_add(t, ";");
        ok = ok && write_rule(t, m, q, 1, err);
    }
    th_text_add(t, ">");
    for (int i = 0; i < n || i == 0; i++) {
        bool one = n > 0 && input[i] != m->blank;
        th_text_add(t, i == 0 ? (one ? "B" : "A") : one ? "1" : "0");
    }
    return ok && (!t->failed || th_fail(err, TH_ENOMEM, "out of memory for a machine"));
}
