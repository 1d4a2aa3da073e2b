/* reader.h - many words read by a model at once.
 *
 *     ThInspectReader r = {.model = m};
 *     ThInspectRead how = {words, context, told, stop, alone};
 *     bool ok = th_inspect_read(&r, &how, &err);
 *     th_inspect_reader_free(&r);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/infer/lstar.h"
#include "models/model.h"

/* Zero-initialised but for the model, which is borrowed and must be bound. */
typedef struct {
    const ThModel *model;
    ThTape *tape;
    ThBatch batch;
    int *answer;
    size_t answer_cap;
} ThInspectReader;

/* Calls told(context, i, answer) for every word in order, which fails by returning false.  answer
 * is what th_lab_predict says of the word, where `alone` to the last bit: a view until told
 * returns.
 */
typedef bool ThInspectTold(void *context, size_t i, const int *answer, ThError *err);
typedef struct {
    const ThLstarWords *words; /* none empty */
    void *context;
    ThInspectTold *told;
    ThStop *stop;
    bool alone; /* one word at a time, as th_lab_predict does: what is rounded in a batch depends on
                   its size; some ten times slower for small models */
} ThInspectRead;

/* Errors: those of th_model_forward and told, TH_EINTERRUPTED, TH_ENOMEM. */
bool th_inspect_read(ThInspectReader *r, const ThInspectRead *how, ThError *err);
void th_inspect_reader_free(ThInspectReader *r);
