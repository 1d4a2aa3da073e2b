/* learn.h - what learn and trace learn share: whom to ask, and what comes of it. */
#ifndef SH_COMMANDS_LEARN_H
#define SH_COMMANDS_LEARN_H

#include "automata/core/state_classes.h"
#include "automata/infer/labelled.h"
#include "automata/infer/lstar.h"
#include "automata/infer/rpni.h"
#include "automata/infer/pac.h"
#include "base/intern.h"
#include "command.h"

enum { SH_TEACHER_SETS = 4096 }; /* different sets that a model may answer with */

/* An oracle made of an automaton, a task or a model. */
typedef struct {
    ShSession *s;
    const ShObject *object;
    int n_symbols, n_classes;
    char **symbol;              /* (n_symbols), views */
    const char **name;          /* (n_classes): of the classes, views; NULL: no output */
    bool language;              /* class 1 accepts, class 0 rejects */
    ThDfa *machine;             /* NULL for a model */
    ThAutomatonClasses classes; /* of an automaton with outputs: what its classes mean */
    int wanted;                 /* the class or bit that accepts, or -1 */
    int empty;       /* of a model: the class of the empty word, which it cannot read, or -1 */
    bool sets;       /* the sets of bits are the classes: {} and others as they are met */
    ThIntern set;    /* rows of bits, a byte each */
    char **set_name; /* (set.n) */
    int *answer;     /* of a model: room for its answer to one word */
    size_t answer_cap;
    double flip; /* share of answers that are turned on purpose */
    uint64_t seed;
    long long asked; /* for progress */
    const ThLstarReport *report;
    ThPac sampling;
} ShTeacher;

/* Makes t->object answer in t->s; the words that are drawn, and the class that accepts, are said by
 * the options of learn.  What it made is to be freed even where it fails. */
bool sh_teacher_make(ShTeacher *t, const ShCall *call, ThError *err);
void sh_teacher_free(ShTeacher *t);

/* The questions, with a ShTeacher as their context (ThLstarOracle).  Whether a guess is right a
 * machine knows (exact); of a model words are drawn (sampled). */
bool sh_teacher_member(void *context, const int *word, int length, int *label, ThError *err);
bool sh_teacher_exact(void *context, const ThDfa *guess, int **word, int *length, ThError *err);
bool sh_teacher_sampled(void *context, const ThDfa *guess, int **word, int *length, ThError *err);

typedef struct {
    ThAutomaton *automaton;
    ThLstarReport queries;
    ThRpniReport merging;
    bool merged, exact;       /* by merging; the oracle agrees on every word */
    long long samples, wrong; /* measured on words drawn afterwards */
    double low, high;         /* 95 % interval of wrong / samples */
    size_t words;             /* labelled words read or asked for */
} ShLearned;

extern const ThOptionSpec sh_learn_options[];

/* Watchers of the two ways to learn; NULL: nobody watches. */
typedef struct {
    void *context;
    void (*query)(void *context, const ShTeacher *teacher, const ThLstarStep *step);
    void (*merge)(void *context, char *const *symbol, int n_symbols, const ThRpniStep *step);
} ShLearnWatch;

/* Learns from the operand `from` of a call (its form 2: a file); fills *to, to be freed by the
 * caller with th_automaton_free. */
bool sh_learn_call(ShSession *s, const ShCall *call, const ShOperand *from,
                   const ShLearnWatch *watch, ShLearned *to, ThError *err);

/* Says and sets the figures of what was learned, under a name. */
void sh_learned_report(ShSession *s, const ShCall *call, const ShLearned *l, const char *name);

#endif
