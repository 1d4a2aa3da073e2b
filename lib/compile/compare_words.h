/* compare_words.h - running a compiled model on words whose answers are known.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

typedef struct {
    long long words;   /* all words up to a length are tried: the greatest with no more of them */
    int drawn, length; /* and so many uniform words of a length, the same each time */
    ThStop *stop;
    int all;         /* found: that length */
    long long tried; /* words, before one was wrong */
    bool right;
    int wrong; /* symbols of the word that was not */
} ThCompileTrial;

/* Compares a model's answers with those of a task's machine.  Errors as th_lab_predict and
 * TH_EINTERRUPTED. */
bool th_compile_try(const ThModel *m, const ThTask *t, ThCompileTrial *trial, ThError *err);
