/* teacher.h - automata, tasks and models as oracles: what gives every word a class, and can be
 * asked whether a guess is right.
 *
 * Whether a guess is right a machine knows; of a model words are drawn.
 *
 *     ThInspectTeacher t = {0};
 *     ThInspectTeaching how = {.length = {0, 30, 1}, .error = 0.01, .confidence = 0.95};
 *     bool ok = th_inspect_teach_model(&t, model, &how, &err) &&
 *               th_inspect_member(&t, word, length, &label, &err);
 *     th_inspect_teacher_free(&t);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/state_classes.h"
#include "automata/infer/pac.h"
#include "inspect/reader.h"
#include "inspect/truth.h"
#include "rasp/evaluate/language.h"

enum { TH_INSPECT_SETS = 4096 }; /* different sets that a model may answer with */

/* What is asked, and of what.  Names are borrowed until the teacher is made. */
typedef struct {
    const char *accept; /* the class that accepts, or of answers in bits the bit; NULL: every class,
                           or set of bits, is one, unless the classes are reject and accept */
    const char *empty;  /* of a model or program: the class of the empty word, which it cannot
                           read; NULL: the first class */
    const ThInspectTruth *truth; /* of a model: what the empty word is due, and about which words
                                    nothing is asked, which get a class of their own without a name,
                                    or reject, or {}; borrowed for the teacher's life; or NULL */
    ThRange length;              /* of the words drawn */
    double error, confidence, noise; /* see automata/sampling.h */
    double flip;                     /* share of the words that are answered wrongly on purpose */
    uint64_t seed;                   /* of the words drawn, and of those answered wrongly */
    size_t most_states;              /* of an automaton made deterministic */
    ThStop *stop;
    void *context;
    void (*asked)(void *context, long long words); /* now and then; may be NULL */
} ThInspectTeaching;

/* Zero-initialised before it is made; its members are to be read only. */
typedef struct {
    int n_symbols, n_classes;
    char **symbol;                /* (n_symbols), views */
    const char **name;            /* (n_classes): of the classes, views; NULL: no output */
    bool language;                /* class 1 accepts, class 0 rejects */
    ThDfa *machine;               /* NULL for a model */
    const ThAutomaton *automaton; /* borrowed; NULL for tasks and models */
    const ThModel *model;         /* borrowed; NULL for others */
    ThRaspWords program;          /* of an s-op; its graph is NULL for others */
    const ThLanguage *words;      /* of a language, borrowed; NULL for others */
    ThAutomatonClasses classes;   /* of an automaton with outputs: what its classes mean */
    int wanted;                   /* the class or bit that accepts, or -1 */
    int empty;                    /* of a model or program: the class of the empty word, or -1 */
    bool sets;              /* the sets of bits are the classes: {} and others as they are met */
    ThIntern set;           /* rows of bits, a byte each */
    char **set_name;        /* (set.n) */
    ThInspectReader reader; /* of a model */
    ThInspectTeaching how;
    long long asked;
    ThPac sampling;
} ThInspectTeacher;

/* Make a teacher, which borrows what it is made of and must not move; what was made is to be freed
 * even where they fail.  Errors: TH_EVALUE for a class that there is not, a model without an
 * alphabet, or options that do not fit it; TH_ELIMIT, TH_ENOMEM. */
bool th_inspect_teach_automaton(ThInspectTeacher *t, const ThAutomaton *a,
                                const ThInspectTeaching *how, ThError *err);
bool th_inspect_teach_task(ThInspectTeacher *t, const ThTask *task, const ThInspectTeaching *how,
                           ThError *err);
bool th_inspect_teach_model(ThInspectTeacher *t, const ThModel *m, const ThInspectTeaching *how,
                            ThError *err);

/* Of an s-op whose values are truth values, over letters that are called `symbol`; of the teaching,
 * `empty` is reject or accept. */
bool th_inspect_teach_program(ThInspectTeacher *t, const ThRaspWords *program, char **symbol,
                              int n_symbols, const ThInspectTeaching *how, ThError *err);

/* Of a language of any kind; TH_EVALUE comes from a word that it does not answer to. */
bool th_inspect_teach_language(ThInspectTeacher *t, const ThLanguage *l,
                               const ThInspectTeaching *how, ThError *err);
void th_inspect_teacher_free(ThInspectTeacher *t);
TH_RELEASES_VALUE(th_inspect_teacher_free, ThInspectTeacher)

/* Returns new: the minimal machine of what is due by the truth that the teacher was made with, in
 * the teacher's classes. */
ThDfa *th_inspect_due(ThInspectTeacher *t, ThError *err);

/* The questions, with a teacher as their context (see ThLstarOracle).  Exact is for machines. */
bool th_inspect_member(void *teacher, const int *word, int length, int *label, ThError *err);
bool th_inspect_members(void *teacher, const ThLstarWords *words, int *label, ThError *err);
bool th_inspect_exact(void *teacher, const ThDfa *guess, int **word, int *length, ThError *err);
bool th_inspect_sampled(void *teacher, const ThDfa *guess, int **word, int *length, ThError *err);
