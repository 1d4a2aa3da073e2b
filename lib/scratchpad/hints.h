/* hints.h - marks that announce places.
 *
 * With hints=K every token that stands for a place of the question (a digit, a letter, a cell, a
 * point) has a mark in front of it, one of @1 … @K, the same wherever the place is written again. A
 * text's marks are a random subset of them, increasing or, with marks=any, in any order: which mark
 * is next has to be looked up in the text, so that any number of places is written in the same way.
 * Of increasing ones a model may learn instead that the next is the least of those that are
 * greater, which it can tell less well the more there are.
 *
 * Source: Zhou, Bradley et al. 2023; Zhou, Alon et al. 2024 (marks from a random start).
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "scratchpad/checker.h"

/* The options of the kinds that have places, of writing and of checking. */
#define TH_PAD_HINTS_OPTIONS                                                                       \
    {"hints",                                                                                      \
     TH_INT,                                                                                       \
     "0",                                                                                          \
     0,                                                                                            \
     4096,                                                                                         \
     NULL,                                                                                         \
     "announce every place by a mark, of so many @1, @2, ... of which each text has a random "     \
     "subset; 0: no marks"},                                                                       \
        TH_PAD_MARKS_OPTION
#define TH_PAD_MARKS_OPTION                                                                        \
    {                                                                                              \
        "marks", TH_CHOICE, "growing", 0, 0, "growing|any",                                        \
            "of hints=: their numbers grow along the question, or are in any order"                \
    }

int th_pad_hints(const ThPad *p); /* the option; 0 of kinds without it */

/* Adds the marks to the tokens, which are words from then on.  TH_EVALUE where one is a token. */
bool th_pad_hints_begin(ThPad *p, ThError *err);

/* Puts marks, drawn from *r, into a text without them.  TH_EVALUE where it has more places. */
bool th_pad_hints_put(const ThPad *p, ThRng *r, ThPadExample *e, ThError *err);

/* A token of a text that is checked. */
typedef struct {
    size_t at, plain; /* where it stands in the text, and in that without marks */
    int mark;         /* in front of it; 0: none */
    size_t mark_at;
} ThPadHinted;

typedef struct {
    ThText plain; /* the text without its marks */
    ThPadHinted *token;
    ThPadPiece *piece; /* (n): views into plain */
    size_t n, cap, piece_cap;
    size_t loose; /* where a mark stands that no token follows; SIZE_MAX: nowhere */
} ThPadHints;

void th_pad_hints_free(ThPadHints *h);
TH_RELEASES_VALUE(th_pad_hints_free, ThPadHints)

/* True if a text has marks. */
bool th_pad_hints_are_in(const ThPadChecking *k);

/* Fills *h, zero-initialised, with a text taken apart.  False on TH_ENOMEM. */
bool th_pad_hints_strip(ThPadHints *h, const ThPadChecking *k, ThError *err);

/* Turns *c, what was found in the text without marks, into what is to be said of the text: the slip
 * of a mark where that comes first.  False on TH_ENOMEM. */
bool th_pad_hints_compare(const ThPadHints *h, const ThPadChecking *k, ThPadChecked *c,
                          ThError *err);
