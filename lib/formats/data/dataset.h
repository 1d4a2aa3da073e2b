/* dataset.h - data sets of scratchpads: lines of text, records of JSON, matrices of token numbers.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include <stdio.h>

#include "scratchpad/pack.h"

typedef struct {
    const ThPad *pad;
    uint64_t seed;   /* example i is drawn from th_rng(seed, "scratchpad", i) */
    long long count; /* rows */
    ThPadPacking packing;
    int context;               /* tokens of a row that is packed */
    bool score_questions;      /* the loss counts on the tokens of questions, too */
    const ThPadExample *given; /* where not NULL, the `count` examples, none being drawn */
    ThStop *stop;
} ThDataset;

typedef struct {
    long long rows, examples, tokens;
} ThDatasetFigures;

/* Writes a file by its extension, whole or not at all:
 * .txt    a row a line, packed ones with <|BOS|> and <|EOS|>;
 * .jsonl  a record a line: kind, question, lines, answer, text; or, packed: text, tokens, scored;
 * .npy    token numbers (int32), rows filled up with the kind's padding or -1; beside it
 * .vocab.json and .mask.npy, which is 1 where the loss counts. Errors: TH_EUSAGE for other
 * extensions, and for .txt where scratchpads have several lines; TH_EIO, TH_EINTERRUPTED and those
 * of drawing. */
bool th_dataset_write(const ThDataset *d, const char *path, ThDatasetFigures *f, ThError *err);

/* Writes the rows of .txt to a stream; scratchpads of several lines are separated by empty ones. */
bool th_dataset_print(const ThDataset *d, FILE *out, ThDatasetFigures *f, ThError *err);
