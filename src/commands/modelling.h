/* modelling.h - what the commands about tasks, models and training share. */
#pragma once

#include "command.h"

/* How examples begin that look at a model which has been trained. */
#define SH_EXAMPLE_TRAINED                                                                         \
    "task p = parity\n"                                                                            \
    "model m = regulargpt dim=16 heads=2\n"                                                        \
    "train m on p length=1..10 steps=20 seed=1 > \"train.txt\"\n"

/* A row of a table of options, for macros that hold several. */
#define SH_OPTION_ROW(...)                                                                         \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

/* The option seed= where it is given, else the setting. */
long long sh_seed(const ShSession *s, const ThOptions *options);

/* The task that a model was trained on, borrowed; NULL: it was not trained, or nobody knows. */
const char *sh_trained_on(const ThModel *m);

/* Sets the figures model, architecture, task (NULL: what the model was trained on) and seed, the
 * model's, which are the first columns of csv; before all others. */
void sh_about_model(ShSession *s, const ShObject *model, const ShObject *task);

const char *sh_target_name(ThTarget target);

/* Returns new: the input of an operand as tokens of a trained model, at least one; NULL and an
 * error. */
int *sh_model_input(const ThModel *m, const ShOperand *o, int *length, ThError *err);

/* A view: the automaton that labels the strings of the task in an operand, or NULL and an error. */
const ThDfa *sh_need_machine(const ShOperand *task, ThError *err);

/* The same; a bound model with other symbols or answers than the task's is an error, too. */
const ThDfa *sh_need_answers(const ThModel *m, const ShOperand *task, ThError *err);

/* Makes what a model with a signature should say, by the automaton or task in an operand; accept:
 * the class that an automaton accepts, or NULL.  *t is to be freed in any case. */
bool sh_find_truth(ThInspectTruth *t, const ThSignature *g, const ShOperand *against,
                   const char *accept, ThError *err);

/* A line `# label     name name …` of a listing. */
void sh_list_names(FILE *out, const char *label, char *const *name, int n);

/* Returns new: the answers for a string: a class, the class at every position, or the sets in
 * braces. */
char *sh_answers_text(const ThSignature *s, const int *answer, int length, ThError *err);
