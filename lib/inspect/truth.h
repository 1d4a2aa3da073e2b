/* truth.h - what a model should answer: a task's machine, an automaton or any other language, in
 * the model's own symbols and classes.
 *
 * An automaton answers a model whose classes are reject and accept, or of which one class is named
 * that accepts, by accepting; a model that says sets of symbols by those that may follow; any other
 * by its outputs, or where it has none by its states, which must have the names of classes.  About
 * words that lead to no output, or that nothing accepted begins with, nothing is asked.
 *
 *     ThInspectTruth t = {0};
 *     bool ok = th_inspect_truth_of_task(&t, &model->signature, task, &err);
 *     …
 *     th_inspect_truth_free(&t);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

/* Zero-initialised before it is made; to be read only. */
typedef struct {
    const ThSignature *signature; /* of the model, borrowed */
    ThDfa *machine;               /* over its symbols; class 1: words that are asked about */
    int width;                    /* numbers of an answer: of sets of bits one each, else 1 */
    int *answer;    /* (n_states, width): after a word that leads there; -1: nothing is asked */
    bool last_only; /* only the answer to the whole string is asked */
    int wanted;     /* the class or bit that accepts: answers are 0 and 1; else -1 */
    ThLanguage *language; /* is asked instead of the machine, which then has one state; or NULL */
    int *symbol;          /* of the model: what the language calls it, or -1 */
} ThInspectTruth;

/* Make the truth for a model with a signature, that of a bound one; what was made is to be freed
 * even where they fail. TH_EVALUE where task or automaton do not answer what the model answers;
 * TH_ELIMIT, TH_ENOMEM. accept: the class, or of sets the symbol, that accepts; NULL: as said
 * above. */
bool th_inspect_truth_of_task(ThInspectTruth *t, const ThSignature *g, const ThTask *task,
                              ThError *err);
bool th_inspect_truth_of_automaton(ThInspectTruth *t, const ThSignature *g, const ThAutomaton *a,
                                   const char *accept, ThError *err);

/* The same for a language without an automaton, to be compared with only: TH_EVALUE where the model
 * does not say reject and accept, and accept is NULL. */
bool th_inspect_truth_of_language(ThInspectTruth *t, const ThSignature *g, const ThLanguage *l,
                                  const char *accept, ThError *err);
void th_inspect_truth_free(ThInspectTruth *t);
TH_RELEASES_VALUE(th_inspect_truth_free, ThInspectTruth)

/* The first position at which what a model says of a word, as th_lab_predict has it, is not what is
 * due; or that there is none, that a language gave no answer to some prefix and there is none
 * elsewhere, or an error, of th_language_member.  *due becomes a view of the answer that is due
 * there, and said, which has room for t->width numbers, the one that was given. */
enum { TH_INSPECT_TRUTH_RIGHT = -1, TH_INSPECT_TRUTH_OPEN = -2, TH_INSPECT_TRUTH_ERROR = -3 };
int th_inspect_truth_wrong(const ThInspectTruth *t, const int *word, int length, const int *answer,
                           const int **due, int *said, ThStop *stop, ThError *err);

/* Appends an answer of t->width numbers as text: a class, a set {a,b}, accept or reject; - where
 * nothing is asked. */
void th_inspect_truth_write(const ThInspectTruth *t, const int *answer, ThText *to);
