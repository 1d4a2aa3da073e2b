/* generate.h - a model writes on: what it says comes next is read as the next symbol, and so on.
 *
 * The caller owns the loop and the interruption:
 *
 *     ThLabGenerator *g = th_generate_open(m, &prompts, &how, &err);
 *     while (!th_generate_done(g) && th_generate_step(g, symbol, &err))
 *         …
 *     th_generate_free(g);
 *
 * Several prompts of one length are gone on with at the same time, which costs little more than
 * one; strings that have ended cost nothing once they are half of those at work.
 *
 * A model can write if it answers at every position, does not look ahead, and its classes are its
 * own symbols by name.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/state.h"

typedef struct {
    const int *token; /* (B, n) */
    int B, n;         /* strings; symbols of each */
} ThGeneratePrompts;

typedef struct {
    long long most;     /* symbols at most */
    int end;            /* the symbol after which nothing more comes; -1: none */
    double temperature; /* the logits are divided by it before one is drawn; 0: the likeliest */
    int top_k;          /* drawn from so many of the likeliest; 0: from all */
    uint64_t seed;      /* of what is drawn, */
    const int *number;  /* (B): and of each string in that, borrowed; NULL: 0, 1, 2, … */
    int window;         /* symbols that are looked back at, at most; 0: all */
    int hop;            /* so many of the oldest go at once when they are more; 1 … window */
    ThModelCache cache;
} ThGenerateSettings;

typedef struct ThLabGenerator ThLabGenerator;

/* Returns new: about to write behind B ≥ 1 prompts of n ≥ 1 symbols, which are copied; the model is
 * borrowed, and not to be trained meanwhile.  TH_EVALUE if the model cannot write, or for a symbol
 * outside its alphabet; TH_EUSAGE for settings out of their range; TH_ENOMEM. */
ThLabGenerator *th_generate_open(const ThModel *m, const ThGeneratePrompts *prompts,
                                 const ThGenerateSettings *how, ThError *err);

/* One symbol more of every string, (B); -1 where it had ended.  The same seed gives the same
 * symbols.  TH_ENUMERIC if the model's output is not finite, and as th_model_feed. */
bool th_generate_step(ThLabGenerator *g, int *symbol, ThError *err);

bool th_generate_done(const ThLabGenerator *g); /* all have ended, or have so many symbols */
bool th_generate_ended(const ThLabGenerator *g, int string); /* its last was the end symbol */
void th_generate_free(ThLabGenerator *g);                    /* NULL is fine */
TH_RELEASES(th_generate_free, ThLabGenerator)
