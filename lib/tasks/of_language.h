/* of_language.h - what the tasks made from a language share, for which there need be no automaton.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include <pthread.h>

#include "tasks/task_parts.h"

enum { TH_TASK_KEPT = 8 };

/* t->data of such a task.  Threads that draw take turns. */
typedef struct {
    ThLanguage *language;
    ThStop *stop;
    pthread_mutex_t turn;
    struct { /* words of lengths, by their remainder, kept for the next batch; NULL: none yet */
        ThLanguageWords *words;
        int length;
    } kept[TH_TASK_KEPT];
    int slots; /* of these that are used: one, where words of one length are asked for at a time */
    signed char *has; /* (has_size): by length, whether there are words; -1: not known yet */
    size_t has_size, has_cap;
} ThTaskLanguage;

/* Returns new data; NULL without memory. */
ThTaskLanguage *th_task_keep_language(const ThLanguage *l, ThStop *stop, ThError *err);

/* Gives a task a language, which is shared, and its symbols. */
bool th_task_set_language(ThTask *t, const ThLanguage *l, ThStop *stop, ThError *err);
void *th_task_copy_language(const void *data, ThError *err); /* copy_data and free_data */
void th_task_free_language(void *data);

/* The words of a length, a view that lives until the next call; the caller has the turn. */
ThLanguageWords *th_task_members(ThTaskLanguage *d, int length, ThError *err);

/* The length next to the one wanted of which there are words: the longest of those up to it that
 * are at least `least`, else the shortest beyond; itself, where there is none within 64. */
int th_task_near_length(ThTaskLanguage *d, int length, int least);

/* Draws a word of a length into the last columns of every row; takes the turn. */
bool th_task_draw_words(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err);

/* Labels by membership, of the whole string or of every prefix: 0 no, 1 yes, 2 no answer; and draws
 * half members, half other strings, by the option outside=. */
void th_task_label_members(const ThTask *t, ThBatch *b);
bool th_task_draw_members(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err);

/* Chance measured on strings that are drawn: the share of the most frequent answer, or set.  NaN
 * where drawing fails.  And a line that says so for a listing. */
double th_task_measured_chance(const ThTask *t, int length);
void th_task_describe_chance(const ThTask *t, ThText *to);

/* Of a task that takes machines and s-ops: whoever makes their language reads them. */
#define TH_TASK_LANGUAGE_OPTIONS TH_LANGUAGE_STEPS_OPTION, TH_LANGUAGE_ALPHABET_OPTION

#define TH_TASK_OUTSIDE_OPTION                                                                     \
    {                                                                                              \
        "outside", TH_CHOICE, "uniform", 0, 0, "uniform|near|replaced|edited",                     \
            "the strings that are no words: any of the length with the same probability; of "      \
            "every "                                                                               \
            "second one near misses, a word with K symbols replaced or moved, P(K) = 2^-K; words " \
            "with one symbol replaced; near misses of words of other lengths, too, with symbols "  \
            "put in, taken out or replaced"                                                        \
    }
typedef enum { TH_TASK_UNIFORM, TH_TASK_NEAR, TH_TASK_REPLACED, TH_TASK_EDITED } ThTaskOutside;
