/* windows.h - a decoder all heads of which see the last few symbols only is right at every length;
 * and one whose heads see everything on all of finitely many strings.
 *
 * Where every head of every layer sees at most W symbols, itself included, and nothing else tells
 * positions apart, L layers read the last R = L (W - 1) + 1 symbols: what is answered behind a
 * string is what is answered behind its last R symbols, or behind all of it where it is shorter.
 * So there are finitely many answers, and finitely many states of the automaton that R symbols can
 * be read in: all of them are looked at.
 *
 * Where heads see everything, positions being told apart as places.h knows, an answer depends on
 * the whole string, and nothing follows for longer ones: then the strings that are meant must have
 * a greatest length, and all of them are looked at, in boxes (string_boxes.h) or one by one.
 *
 * Each answer is computed as numbers that are known to within a radius, with what a run rounds in
 * them: of real numbers and double precision at once, and of single.  Neither batches, nor lengths,
 * nor the order of sums matter.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "proof/claim.h"

/* Strings, of which no more are told apart from more than that. */
static const long long TH_PROOF_MOST_COUNTED = 9000000000000000000;

typedef struct {
    int reach; /* symbols that an answer depends on; of whole strings the most that one has */
    long long
        strings; /* that were answered: all of up to so many symbols, as far as they are counted */
    long long answers; /* that were compared: of these strings behind every state that can be */
    double lead;       /* least distance of the right logit from another, in real numbers */
    double rounding;   /* the most that a logit of a run in single precision is off by */
    bool holds;        /* of real numbers and of runs in double precision */
    bool in_float;     /* of runs in single precision */
    bool wrong;        /* `word` is answered wrong, in real numbers and by the model itself */
    int *word, length; /* a shortest one that is; or where it is not known, of which `holds` is
                          false; else NULL */
    int right, answer; /* of `word` */
    long long boxes;   /* of strings; of shares, for strings of any length */
    /* Of shares.h alone. */
    bool endless;   /* there are such strings: `holds` is of real numbers alone */
    double certain; /* length up to which runs in single precision are sure, then */
    char why[200];  /* what is not known of strings of any length; "" otherwise */
} ThProofWindows;

/* Is it a bound model that this is known of: transformer or gpt with causal=yes
 * position=hard_alibi, and a window in every head of every layer? */
bool th_proof_windows_fit(const ThModel *m);

/* at, off (n_classes) <- the logits behind a string of at most as many symbols as such a model
 * reads, or 64 where it reads them all, and how far those of a run, or of real numbers, can be from
 * there.  TH_ENOMEM. */
bool th_proof_windows_logits(const ThModel *m, const int *word, int n, bool in_float, double *at,
                             double *off, ThError *err);

/* Returns new: what is so of a claim, where vectors behind the embedding and behind each layer, and
 * logits, may be off by `slack`.  TH_ELIMIT where there are more than a million strings,
 * TH_ENUMERIC where a weight is larger than 1000; TH_ENOMEM, TH_EINTERRUPTED. */
ThProofWindows *th_proof_windows(const ThModel *m, const ThProofClaim *claim, double slack,
                                 ThStop *stop, ThError *err);

/* Is it a bound transformer or gpt with positions that places.h knows, whose answers depend on
 * nothing behind them, and of which the other two know nothing? */
bool th_proof_strings_fit(const ThModel *m);

/* Returns new: the same of such a model and all strings that are meant.  TH_EVALUE where these have
 * no greatest length, or more than 64 symbols, or more than the model has positions; TH_ELIMIT
 * where more than a million boxes and strings would have to be looked at; else as th_proof_windows.
 */
ThProofWindows *th_proof_strings(const ThModel *m, const ThProofClaim *claim, double slack,
                                 ThStop *stop, ThError *err);
void th_proof_windows_free(ThProofWindows *w); /* NULL is fine */
TH_RELEASES(th_proof_windows_free, ThProofWindows)
