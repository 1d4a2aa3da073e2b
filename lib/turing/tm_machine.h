/* tm_machine.h - Turing machines with one to five tapes: rules, their table, their text forms.
 *
 *     ThTm *m = th_tm_parse("start a; halt z; a * -> 1 R z", &err);
 *
 * Where several rules fit, a rule with a state of its own goes before one for any state; of those,
 * one with a symbol of its own on the first tape before one for any symbol, and so on by tape.  A
 * nondeterministic machine may have several rules for one case (the same state and the same
 * symbols, * being one of them): where that case goes before the others, it has the choice of them.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include "base/rng.h"
#include "base/text.h"

enum { TH_TM_MOST_TAPES = 5, TH_TM_MOST_SYMBOLS = 65535, TH_TM_ANY = -1 };

typedef enum { TH_TM_RUNS, TH_TM_HALTS, TH_TM_ACCEPTS, TH_TM_REJECTS } ThTmRole;

/* What a move to the left of the first cell does; the symbol is written and the state changes in
 * any case. */
typedef enum { TH_TM_TWO_WAY, TH_TM_EDGE_STAY, TH_TM_EDGE_REJECT, TH_TM_EDGE_ERROR } ThTmEdge;

/* What happens where no rule applies: the machine stops without a step, stops rejecting, or makes
 * one more step that changes nothing and halts. */
typedef enum { TH_TM_MISSING_HALT, TH_TM_MISSING_REJECT, TH_TM_MISSING_STEP } ThTmMissing;

typedef struct {
    int from;                    /* TH_TM_ANY: any state that does not stop */
    int to;                      /* TH_TM_ANY: the state stays */
    int read[TH_TM_MOST_TAPES];  /* TH_TM_ANY: any symbol */
    int write[TH_TM_MOST_TAPES]; /* TH_TM_ANY: what was read */
    int move[TH_TM_MOST_TAPES];  /* -1, 0, 1 */
    bool undefined;              /* the entry --- of a bbchallenge string */
    bool pause;                  /* a breakpoint: stepping stops after this rule */
} ThTmRule;

typedef struct {
    int n_tapes, n_states, n_symbols;
    size_t n_rules;
    int blank, start;
    ThTmEdge edge;
    ThTmMissing missing;
    bool busy_beaver;      /* shown as a bbchallenge string */
    bool nondeterministic; /* may have several rules for one case */
    bool branching;        /* has some case with several rules */
    char **state, **symbol;
    ThTmRole *role; /* (n_states) */
    ThTmRule *rule;
    int *table;        /* (n_states, n_symbols for each tape): rule or -1; NULL: see order */
    size_t *order;     /* rules by precedence, those of a state together, equal cases as listed */
    size_t *place;     /* (n_rules): where in order a rule stands */
    size_t *order_end; /* (n_states + 1): rules for state q are order[order_end[q]] … */
} ThTm;

/* Making one piece by piece; zero-initialised it is empty.  Memory running out is remembered and
 * reported by th_tm_finish. */
typedef struct {
    ThTm m;
    size_t state_cap, symbol_cap, role_cap, rule_cap;
    struct ThTmNames *states, *symbols;
    bool failed;
} ThTmBuild;

/* The number of a name, which is added if it is new. */
int th_tm_state(ThTmBuild *b, const char *name);
int th_tm_symbol(ThTmBuild *b, const char *name);
int th_tm_find_state(const ThTmBuild *b, const char *name); /* or -1 */
int th_tm_find_symbol(const ThTmBuild *b, const char *name);
void th_tm_add(ThTmBuild *b, const ThTmRule *rule);

/* The number of a new one by this name, or by the name with a number behind it if it is taken. */
int th_tm_new_state(ThTmBuild *b, const char *name, ThTmRole role);
int th_tm_new_symbol(ThTmBuild *b, const char *name);

/* Gives an empty one the states with their roles, the symbols and the properties of a machine. */
void th_tm_like(ThTmBuild *b, const ThTm *m);

/* Returns new, with its tables; *b is empty afterwards in any case.  Errors: TH_EVALUE for two
 * rules for the same case unless b->m.nondeterministic is set, a rule that leaves a state that
 * stops, or a start state that is not set (-1); TH_ELIMIT, TH_ENOMEM. */
ThTm *th_tm_finish(ThTmBuild *b, ThError *err);
void th_tm_build_free(ThTmBuild *b);

/* The rule for a state that runs and what the heads read, or -1; of several the one listed first.
 * Constant time where there is a table. */
int th_tm_rule(const ThTm *m, int state, const int *read);

/* A view of the numbers of all rules that there is a choice of, *n of them in the order in which
 * they are listed: the rule of th_tm_rule and those for the same case. */
const size_t *th_tm_choices(const ThTm *m, int state, const int *read, size_t *n);

ThTm *th_tm_copy(const ThTm *m, ThError *err); /* returns new */
void th_tm_free(ThTm *m);                      /* NULL is fine */
TH_RELEASES(th_tm_free, ThTm)

/* Returns new: the machine of the inside of a block `machine NAME { … }`.  TH_EPARSE and the others
 * of th_tm_finish, with positions. */
ThTm *th_tm_parse(const char *text, ThError *err);

/* Appends the machine in the syntax that defines it. */
void th_tm_write(ThText *t, const ThTm *m, const char *name);

/* Appends one rule as it stands in a block: "q 0 -> 1 R p". */
void th_tm_write_rule(ThText *t, const ThTm *m, size_t rule);

/* Returns new: the machine of a bbchallenge string in any of its spellings.  TH_EPARSE with the
 * column. */
ThTm *th_tm_read_bb(const char *text, ThError *err);

/* Appends the bbchallenge string.  False and TH_EVALUE if the machine has none: one two-way tape,
 * 2 to 10 symbols and up to 25 states, moves L and R only, one state that halts, no wildcards. */
bool th_tm_write_bb(ThText *t, const ThTm *m, ThError *err);

/* Returns new: a machine in which every pair of state and symbol has a rule drawn uniformly from
 * states × symbols × {L, R}; no state stops.  One two-way tape. */
ThTm *th_tm_random(int states, int symbols, ThRng *rng, ThError *err);
