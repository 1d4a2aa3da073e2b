/* learn.h - what learn and trace learn share: whom to ask, and what comes of it. */
#pragma once

#include "command.h"

extern const ThOptionSpec sh_learn_options[];

/* Watchers of the two ways to learn; NULL: nobody watches. */
typedef struct {
    void *context;
    void (*query)(void *context, const ThInspectTeacher *teacher, const ThLstarStep *step);
    void (*merge)(void *context, char *const *symbol, int n_symbols, const ThRpniStep *step);
} ShLearnWatch;

/* Learns from the operand `from` of a call (its form 2: a file); fills *to, to be freed by the
 * caller with th_automaton_free. */
bool sh_learn_call(ShSession *s, const ShCall *call, const ShOperand *from,
                   const ShLearnWatch *watch, ThInspectExtracted *to, ThError *err);

/* Says and sets the figures of what was learned, under a name. */
void sh_learned_report(ShSession *s, const ShCall *call, const ThInspectExtracted *l,
                       const char *name);

/* Reads words of a file, each with a label behind it unless they are bare; *l is to be freed in any
 * case. */
typedef struct {
    const char *alphabet; /* NULL: the symbols that are used */
    bool consistent, bare;
} ShWordsFile;
bool sh_read_words(const ShOperand *file, const ShWordsFile *how, ThWordsLabelled *l, ThError *err);
