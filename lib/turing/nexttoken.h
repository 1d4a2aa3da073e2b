/* nexttoken.h - the program of the paper on Turing Programs that predicts a machine's next token.
 *
 * Hou et al. 2024, appendix D, give a RASP program that continues the text of a run: every token is
 * found by looking for the same n+1 tokens in what the configuration before turns into, and taking
 * the token that follows there.  It is right as long as these n+1 tokens are there once (grams.h).
 * Here it is carried out in C, one token at a time, in O(n) a token.
 *
 * A configuration is the tokens
 *
 *     1 (beginning), the cells, 2 (end), with the state right behind the scanned cell, then 0.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/grams.h"

enum { TH_TM_TOKEN_GAP, TH_TM_TOKEN_BEGIN, TH_TM_TOKEN_END, TH_TM_TOKEN_FILLER, TH_TM_TOKEN_FIRST };

/* How configuration and tokens are compared: as they are, or, as in the paper's listing, by one
 * 64-bit number, count + 32^n · Σ token · 32^i, which wraps where it is too great.  In the
 * order of the option keys=. */
typedef enum { TH_TM_KEYS_TUPLE, TH_TM_KEYS_INTEGER } ThTmKeys;

/* Tokens are those of the marks, then the symbols', then the states'.  A machine with walls has the
 * marks for beginning and end as its symbols 0 and 1, and its input begins and ends with them: they
 * are cells, on which the head may stand. */
typedef struct {
    const ThTm *machine;
    bool walls;
} ThTmTokens;
int th_tm_token_of_symbol(const ThTmTokens *t, int symbol);
int th_tm_token_of_state(const ThTmTokens *t, int state);
int th_tm_token_count(const ThTmTokens *t);

/* Appends a token's name. */
void th_tm_token_write(ThText *t, const ThTmTokens *k, int token);

/* Appends to token[] the configuration of a run, from cell `first` to `last`: as many as
 * th_tm_configuration_length says. */
int th_tm_configuration_length(const ThTmTokens *t, int64_t first, int64_t last);
void th_tm_configuration_tokens(const ThTmTokens *t, const ThTmRunning *r, int64_t first,
                                int64_t last, int *token);

/* The integer key of the listing: gram[0] is the newest of n+1 tokens, 0 stands for those before
 * the configuration, and count is the number of gaps so far.  Modulo 2^64. */
uint64_t th_tm_next_integer_key(const int *gram, int n, uint64_t count);

typedef struct ThTmNext ThTmNext;

/* Returns new.  Errors: TH_EVALUE where integer keys would need a token of 32 or more; TH_ENOMEM.
 */
ThTmNext *th_tm_next_new(const ThTmTokens *t, int n, ThTmKeys keys, ThError *err);
void th_tm_next_free(ThTmNext *p); /* NULL is fine */

/* Reads one more token; *next gets the prediction for the one after it, 0 where there is none. */
bool th_tm_next_push(ThTmNext *p, int token, int *next, ThError *err);

/* What the token of a successor is, from the five around its place: token[2] is at the place. Where
 * no rule applies (in the listing, an undefined entry makes a gap) nothing changes. */
int th_tm_next_local(const ThTmTokens *t, const int token[5]);

/* The program against the machine's own run. */
typedef struct {
    ThTmRunExtent extent;
    uint64_t tokens, right; /* of the configurations after the start */
    bool exact, unique;     /* unique: no n+1 tokens twice in any of these configurations */
    ThTmGrams repeated;     /* the first that are, where !unique: positions are cells */
    /* Where !exact, the first difference: the configuration after `step` steps, its token number
     * `place` (0: the beginning), what stands there and what was predicted. */
    uint64_t step;
    int place, stands, predicted;
    int again; /* place where the n+1 tokens before it end once more in that configuration, or -1 */
} ThTmSimulation;

/* How a run is simulated by the next-token program. */
typedef struct {
    bool walls; /* the machine has them: see ThTmTokens */
    int n;      /* tokens compared, besides the last one */
    ThTmKeys keys;
    ThTmRunLimits limits;
} ThTmSimulationRules;

/* Errors: TH_ELIMIT where the run needs more than 2^24 cells; TH_EVALUE, TH_ENOMEM,
 * TH_EINTERRUPTED. */
bool th_tm_simulate(ThTmSimulation *x, const ThTmRunStart *s, const ThTmSimulationRules *how,
                    ThStop *stop, ThError *err);

/* Returns new: a machine with walls as the paper's listing draws it: every pair of state and symbol
 * has a rule, uniform over states, symbols and L, R; off a wall the head bounces, into a uniform
 * state.  Symbols 2 … symbols+1 are those of the tape. */
ThTm *th_tm_random_walled(int states, int symbols, ThRng *rng, ThError *err);

/* Returns new: `length` uniform symbols between walls, as words of such a machine. */
bool th_tm_random_walled_words(ThTmTapeWords *w, const ThTm *m, int length, ThRng *rng,
                               ThError *err);

typedef struct {
    int length, states, symbols, n;
    uint64_t steps;
    ThTmKeys keys;
} ThTmNextTrial;

/* One run of the paper's experiment: a random machine with walls, tape, head and state. */
bool th_tm_next_trial(ThTmSimulation *x, const ThTmNextTrial *trial, ThRng *rng, ThStop *stop,
                      ThError *err);
