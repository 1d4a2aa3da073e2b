/* learn.h - what learn and trace learn share: whom to ask, and what comes of it. */
#ifndef TH_COMMANDS_LEARN_H
#define TH_COMMANDS_LEARN_H

#include "automata/classes.h"
#include "automata/labelled.h"
#include "automata/learn.h"
#include "automata/merge.h"
#include "automata/sampling.h"
#include "base/intern.h"
#include "command.h"

enum { TH_TEACHER_SETS = 4096 }; /* different sets that a model may answer with */

/* An oracle made of an automaton, a task or a model. */
typedef struct {
    ThSession *s;
    const ThObject *object;
    int n_symbols, n_classes;
    char **symbol;     /* (n_symbols), views */
    const char **name; /* (n_classes): of the classes, views; NULL: no output */
    bool language;     /* class 1 accepts, class 0 rejects */
    ThDfa *machine;    /* NULL for a model */
    ThClasses classes; /* of an automaton with outputs: what its classes mean */
    int wanted;        /* the class or bit that accepts, or -1 */
    int empty;         /* of a model: the class of the empty word, which it cannot read, or -1 */
    bool sets;         /* the sets of bits are the classes: {} and others as they are met */
    ThIntern set;      /* rows of bits, a byte each */
    char **set_name;   /* (set.n) */
    int *answer;       /* of a model: room for its answer to one word */
    size_t answer_cap;
    double flip; /* share of answers that are turned on purpose */
    uint64_t seed;
    long long asked; /* for progress */
    const ThLearnReport *report;
    ThSampling sampling;
} ThTeacher;

/* Makes t->object answer in t->s; the words that are drawn, and the class that accepts, are said by
 * the options of learn.  What it made is to be freed even where it fails. */
bool th_teacher_make(ThTeacher *t, const ThCall *call, ThError *err);
void th_teacher_free(ThTeacher *t);

/* The questions, with a ThTeacher as their context (ThOracle).  Whether a guess is right a machine
 * knows (exact); of a model words are drawn (sampled). */
bool th_teacher_member(void *context, const int *word, int length, int *class, ThError *err);
bool th_teacher_exact(void *context, const ThDfa *guess, int **word, int *length, ThError *err);
bool th_teacher_sampled(void *context, const ThDfa *guess, int **word, int *length, ThError *err);

typedef struct {
    ThAutomaton *automaton;
    ThLearnReport queries;
    ThMergeReport merging;
    bool merged, exact;       /* by merging; the oracle agrees on every word */
    long long samples, wrong; /* measured on words drawn afterwards */
    double low, high;         /* 95 % interval of wrong / samples */
    size_t words;             /* labelled words read or asked for */
} ThLearned;

extern const ThOptionSpec th_learn_options[];

/* Watchers of the two ways to learn; NULL: nobody watches. */
typedef struct {
    void *context;
    void (*query)(void *context, const ThTeacher *teacher, const ThLearnStep *step);
    void (*merge)(void *context, char *const *symbol, int n_symbols, const ThMergeStep *step);
} ThLearnWatch;

/* Learns from the operand `from` of a call (its form 2: a file); fills *to, to be freed by the
 * caller with th_automaton_free. */
bool th_learn_call(ThSession *s, const ThCall *call, const ThOperand *from,
                   const ThLearnWatch *watch, ThLearned *to, ThError *err);

/* Says and sets the figures of what was learned, under a name. */
void th_learned_report(ThSession *s, const ThCall *call, const ThLearned *l, const char *name);

#endif
