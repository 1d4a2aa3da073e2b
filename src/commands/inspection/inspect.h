/* inspect.h - what the commands that print and those that plot an inspection share. */
#pragma once

#include "command.h"

extern const ThOptionSpec sh_clusters_options[];
extern const ThOptionSpec sh_field_options[];

/* Returns new: the trace of the input in the second operand by the model in the first; *token gets
 * the input (new, freed with free()). */
ThModelTrace *sh_call_trace(const ShCall *call, int **token, ThError *err);

/* Returns new: the answer that a row of logits stands for. */
char *sh_logits_text(const ThSignature *s, const double *z, ThError *err);

/* Appends `NAME on "INPUT": ANSWER` for the input that the trace is of, shortened where it is long,
 * with the true answer where that is known. */
void sh_write_answer_line(ThText *t, const ShCall *call, const ThModelTrace *trace,
                          const int *token);

/* Fails unless the model of `MODEL on TASK` is bound and fits the task. */
bool sh_check_pair(const ShCall *call, ThError *err);

/* Returns new: the machine whose functions are the true ones, of a task that has one. */
ThDfa *sh_true_machine(const ThTask *t, ThStop *stop, ThError *err);

/* Returns new: what `MODEL INPUT` asks for; *token is new, too. */
ThInspectLens *sh_call_lens(const ShCall *call, int **token, int *length, ThError *err);

/* Return new: what `MODEL on TASK` and its options ask for; they set the command's figures. */
ThClusters *sh_call_clusters(ShSession *s, const ShCall *call, ThError *err);
ThField *sh_call_field(ShSession *s, const ShCall *call, ThError *err);
