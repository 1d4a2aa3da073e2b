/* machine.h - Turing machines with one to five tapes: rules, their table, their text forms.
 *
 *     ThTuring *m = th_turing_parse("start a; halt z; a * -> 1 R z", &err);
 *
 * Where several rules fit, a rule with a state of its own goes before one for any state; of those,
 * one with a symbol of its own on the first tape before one for any symbol, and so on by tape.  A
 * nondeterministic machine may have several rules for one case (the same state and the same
 * symbols, * being one of them): where that case goes before the others, it has the choice of them.
 */
#ifndef TH_TURING_MACHINE_H
#define TH_TURING_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/rng.h"
#include "base/text.h"

enum { TH_MOST_TAPES = 5, TH_MOST_SYMBOLS = 65535, TH_ANY = -1 };

typedef enum { TH_RUNS, TH_HALTS, TH_ACCEPTS, TH_REJECTS } ThRole;

/* What a move to the left of the first cell does; the symbol is written and the state changes in
 * any case. */
typedef enum { TH_TWO_WAY, TH_EDGE_STAY, TH_EDGE_REJECT, TH_EDGE_ERROR } ThEdge;

/* What happens where no rule applies: the machine stops without a step, stops rejecting, or makes
 * one more step that changes nothing and halts. */
typedef enum { TH_MISSING_HALT, TH_MISSING_REJECT, TH_MISSING_STEP } ThMissing;

typedef struct {
    int from;                 /* TH_ANY: any state that does not stop */
    int to;                   /* TH_ANY: the state stays */
    int read[TH_MOST_TAPES];  /* TH_ANY: any symbol */
    int write[TH_MOST_TAPES]; /* TH_ANY: what was read */
    int move[TH_MOST_TAPES];  /* -1, 0, 1 */
    bool undefined;           /* the entry --- of a bbchallenge string */
    bool pause;               /* a breakpoint: stepping stops after this rule */
} ThRule;

typedef struct {
    int n_tapes, n_states, n_symbols;
    size_t n_rules;
    int blank, start;
    ThEdge edge;
    ThMissing missing;
    bool busy_beaver;      /* shown as a bbchallenge string */
    bool nondeterministic; /* may have several rules for one case */
    bool branching;        /* has some case with several rules */
    char **state, **symbol;
    ThRole *role; /* (n_states) */
    ThRule *rule;
    int *table;        /* (n_states, n_symbols for each tape): rule or -1; NULL: see order */
    size_t *order;     /* rules by precedence, those of a state together, equal cases as listed */
    size_t *place;     /* (n_rules): where in order a rule stands */
    size_t *order_end; /* (n_states + 1): rules for state q are order[order_end[q]] … */
} ThTuring;

/* Making one piece by piece; zero-initialised it is empty.  Memory running out is remembered and
 * reported by th_turing_finish. */
typedef struct {
    ThTuring m;
    size_t state_cap, symbol_cap, role_cap, rule_cap;
    struct ThNames *states, *symbols;
    bool failed;
} ThTuringBuild;

/* The number of a name, which is added if it is new. */
int th_turing_state(ThTuringBuild *b, const char *name);
int th_turing_symbol(ThTuringBuild *b, const char *name);
int th_turing_find_state(const ThTuringBuild *b, const char *name); /* or -1 */
int th_turing_find_symbol(const ThTuringBuild *b, const char *name);
void th_turing_add(ThTuringBuild *b, const ThRule *rule);

/* Gives an empty one the states with their roles, the symbols and the properties of a machine. */
void th_turing_like(ThTuringBuild *b, const ThTuring *m);

/* Returns new, with its tables; *b is empty afterwards in any case.  Errors: TH_EVALUE for two
 * rules for the same case unless b->m.nondeterministic is set, a rule that leaves a state that
 * stops, or a start state that is not set (-1); TH_ELIMIT, TH_ENOMEM. */
ThTuring *th_turing_finish(ThTuringBuild *b, ThError *err);
void th_turing_build_free(ThTuringBuild *b);

/* The rule for a state that runs and what the heads read, or -1; of several the one listed first.
 * Constant time where there is a table. */
int th_turing_rule(const ThTuring *m, int state, const int *read);

/* A view of the numbers of all rules that there is a choice of, *n of them in the order in which
 * they are listed: the rule of th_turing_rule and those for the same case. */
const size_t *th_turing_choices(const ThTuring *m, int state, const int *read, size_t *n);

ThTuring *th_turing_copy(const ThTuring *m, ThError *err); /* returns new */
void th_turing_free(ThTuring *m);                          /* NULL is fine */

/* True if both have the same names, properties and rules, in the same order. */
bool th_turing_same(const ThTuring *a, const ThTuring *b);

/* Returns new: the machine of the inside of a block `machine NAME { … }`.  TH_EPARSE and the others
 * of th_turing_finish, with positions. */
ThTuring *th_turing_parse(const char *text, ThError *err);

/* Appends the machine in the syntax that defines it. */
void th_turing_write(ThText *t, const ThTuring *m, const char *name);

/* Appends one rule as it stands in a block: "q 0 -> 1 R p". */
void th_turing_write_rule(ThText *t, const ThTuring *m, size_t rule);

/* Returns new: the machine of a bbchallenge string in any of its spellings.  TH_EPARSE with the
 * column. */
ThTuring *th_turing_read_bb(const char *text, ThError *err);

/* Appends the bbchallenge string.  False and TH_EVALUE if the machine has none: one two-way tape,
 * 2 to 10 symbols and up to 25 states, moves L and R only, one state that halts, no wildcards. */
bool th_turing_write_bb(ThText *t, const ThTuring *m, ThError *err);

/* Returns new: a machine in which every pair of state and symbol has a rule drawn uniformly from
 * states × symbols × {L, R}; no state stops.  One two-way tape. */
ThTuring *th_turing_random(int states, int symbols, ThRng *rng, ThError *err);

#endif
