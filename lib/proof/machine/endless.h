/* endless.h - checks what is said of a Turing machine on a blank tape: that it stops, or never
 * does.
 *
 * A certificate is the name of a proof and some numbers (see below).  The checker reads the
 * machine, a bbchallenge string, by itself, and shares no code with those that decide (turing/): it
 * makes the steps, closes the sets and follows the ways to stop backwards with code of its own.
 *
 *   run                 the steps after which it stops
 *   unreachable         nothing
 *   cycler, translated_cycler
 *                       a step, a period, and by how many cells all is moved after it
 *   backward_reasoning  steps back, at most
 *   ngram_cps           cells on either side, cases in which a cell was written
 *   far                 1: the tape is read from the left, 0: from the right; then the automaton
 *                       that reads it up to the head: where each state goes with each symbol
 *   repeated_words      cells of a word, and how many of it are told from more
 *   bouncers            steps, whether the head is at the right end of the tape then, and moves
 * after which there is more of the same; and a formula of the tape from the far end to the head,
 * words and blocks of words by turns: how many digits, and they, 15 in a number
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/stop.h"

typedef struct {
    bool holds;
    bool stops;      /* what was shown; else that it never does */
    long long cells; /* that its head stood on where it stops, the last one too */
    char why[120];   /* what does not hold; "" otherwise */
} ThProofMachine;

/* Checks a certificate.  That it does not hold is no error; TH_ENOMEM and TH_EINTERRUPTED are.  As
 * many steps as it says, or sets of some ten thousand members. */
bool th_proof_machine(const char *machine, const char *proof, const char *numbers, ThStop *stop,
                      ThProofMachine *found, ThError *err);
