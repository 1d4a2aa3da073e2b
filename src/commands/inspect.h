/* inspect.h - what the commands that print and those that plot an inspection share. */
#ifndef TH_COMMANDS_INSPECT_H
#define TH_COMMANDS_INSPECT_H

#include "base/text.h"
#include "command.h"
#include "inspect/clusters.h"
#include "inspect/field.h"

extern const ThOptionSpec th_clusters_options[];
extern const ThOptionSpec th_field_options[];

/* Returns new: the trace of the input in the second operand by the model in the first; *token gets
 * the input (new, freed with free()). */
ThTrace *th_call_trace(const ThCall *call, int **token, ThError *err);

/* Appends `NAME on "INPUT": ANSWER`, the input shortened where it is long. */
void th_write_answer_line(ThText *t, const ThCall *call, const ThTrace *trace);

/* Return new: what `MODEL on TASK` and its options ask for; they set the command's figures. */
ThClusters *th_call_clusters(ThSession *s, const ThCall *call, ThError *err);
ThField *th_call_field(ThSession *s, const ThCall *call, ThError *err);

#endif
