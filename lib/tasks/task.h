/* task.h - tasks: where labelled strings come from.
 *
 * A task kind is one file with one constant ThTaskKind, and one line in kinds.def.  A task is an
 * alphabet, a set of classes, and a source of examples:
 *
 *   - a sampler draws strings of a wanted length, and a label says the answers: a function of its
 *     own, or a finite automaton, or the sampler itself;
 *   - or a data set has a number of examples, which training takes in shuffled epochs.
 *
 * What a task lacks, it says: th_task_machine fails where no automaton labels it, th_task_chance is
 * NaN where the chance level is not known.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "language/any_language.h"
#include "learn/batch.h"

typedef struct ThTask ThTask;

/* What a task is made of besides its options: what stands after the kind in `task t = KIND …`. */
typedef struct {
    const ThAutomaton *automaton; /* of a kind that takes_automaton */
    const ThLanguage *language;   /* in its place, of a kind that takes_language */
    const char *file;             /* of a kind that takes_file */
    const char *program, *name;   /* of a kind that takes_program: source, and the s-op in it */
    const char *pad;              /* of a kind that takes_pad: the kind of scratchpad */
    const ThTm *machine;          /* and, if that takes one, whose runs it writes */
    ThStop *stop;                 /* for kinds that take their time; NULL: nothing stops them */
} ThTaskSource;

/* Some symbols, borrowed. */
typedef struct {
    const int *token;
    int n;
} ThTaskWord;

/* What a judge found. */
typedef struct {
    bool right;
    int at;           /* where in what was said it first went wrong; its length: it broke off */
    const char *kind; /* a word or two for tables: "copy", "early end", …; "" if right */
    char what[160];   /* the same in a sentence */
} ThTaskVerdict;

/* Examples of a data set: those of a part that have lo … hi symbols. */
typedef enum { TH_TASK_TRAIN, TH_TASK_TEST } ThTaskPart;
typedef struct {
    ThTaskPart part;
    int lo, hi;
} ThTaskRows;

/* Strings of which the truth is known: those of a length from number `first` on. */
typedef struct {
    int length;
    long long first;
    long long most; /* where there are no more strings of the length, they are all taken in order */
    bool all;       /* set: that is so.  They then count by their probability, else alike */
    double probability,
        entropy; /* set: of the length, and of such a string in bits; NaN: unknown */
} ThTaskForetold;

typedef struct ThTaskKind {
    const char *name, *summary, *source; /* source: paper and section */
    const char *detail;                  /* how strings are drawn, what chance level to expect */
    bool former;          /* a name of before: read, but not listed; the last kinds */
    bool takes_automaton; /* `task t = KIND AUTOMATON` */
    bool takes_language;  /* or `task t = KIND LANGUAGE`, for which there need be no automaton */
    bool takes_file;      /* `task t = KIND "FILE"` */
    bool takes_program;   /* `task t = KIND SOP` */
    bool
        takes_pad; /* `task t = KIND PAD [MACHINE]`; its options are those of the scratchpad, too */
    bool ragged;   /* strings of one batch may differ in length */
    bool perplexity; /* evaluations tell it: the answers are a text's own symbols, which one stream
                        draws for all lengths */
    const struct ThTaskKind *of_language; /* the kind that it is where it takes a language; NULL:
                                             itself */
    const char *operators;       /* symbols that are operations, with blanks between; NULL: those
                                    that open a bracket */
    const ThOptionSpec *options; /* ends with a NULL name; NULL: none */
    /* Fills t->signature and, as far as the kind has them, t->machine, t->bits and t->data.  What
     * the kind takes is in *from, the rest of which is NULL. */
    bool (*init)(ThTask *t, const ThTaskSource *from, ThError *err);
    /* The length that is meant when `length` is asked for; NULL: the same. */
    int (*length)(const ThTask *t, int length);
    /* The most symbols that a string of a length (one that `length` returned) has; NULL: as many.
     */
    int (*tokens)(const ThTask *t, int length);
    /* Draws b->B strings of a length that `length` returned into b->token, which has b->T columns.
     * A ragged kind sets b->length, which holds b->T at first. */
    bool (*draw)(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err);
    /* Draws and labels b->B strings (or all that are left, fewer), for which there is room, and
     * says what is true: p (B, T, n_classes) <- the probability of every answer, where one is asked
     * for.  NULL: answers are right or wrong. */
    bool (*foretell)(const ThTask *t, ThRng *r, ThTaskForetold *which, ThBatch *b, double *p,
                     ThError *err);
    /* What training reads, where that is not strings of one length: b->B rows, for which it makes
     * room and which it labels, of strings whose lengths are drawn from a range.  NULL: strings of
     * one of these lengths, by `draw`. */
    bool (*study)(const ThTask *t, ThRng *r, const ThRange *lengths, ThBatch *b, ThError *err);
    /* The lengths that training reads unless it is told others; NULL: the trainer's own. */
    ThRange (*lengths)(const ThTask *t);
    /* Fills b->target for the tokens of every row where no machine does.  NULL: draw and take have
     * filled it. */
    void (*label)(const ThTask *t, ThBatch *b);
    /* Says whether an answer to a prompt is right, and where not; as th_task_judge.  NULL: none. */
    bool (*judge)(const ThTask *t, ThTaskWord prompt, ThTaskWord said, ThTaskVerdict *v,
                  ThError *err);
    /* Whether two texts behind a prompt give the same answer, be it reached as it may; NULL: if
     * they are the same. */
    bool (*same_answer)(const ThTask *t, ThTaskWord said, ThTaskWord truth);
    /* The symbol that ends a line of its texts; NULL: -1, they have no lines. */
    int (*separator)(const ThTask *t);
    /* What th_task_words gives; NULL: all strings. */
    ThDfa *(*words)(const ThTask *t, ThError *err);
    /* What th_task_truth returns, for strings in symbols that show that they are of this kind,
     * whoever made them; NULL: none show it. */
    int (*truth)(const ThSignature *s, ThTaskWord word);
    /* What each side of a pair says, as n_meaning numbers of 0 and 1 that decide the class; false:
     * it is no pair of the kind's, such as one that joined a training.  0 and NULL: it is not told.
     */
    int n_meaning;
    bool (*meaning)(const ThTask *t, ThTaskWord pair, float *left, float *right);
    /* What th_task_chance returns for a length that `length` returned; NULL: unknown. */
    double (*chance)(const ThTask *t, int length);
    /* A data set: how many examples there are of some rows, in an order by length; and example
     * number[i] of them with its targets into row i of b, for which take makes room.  NULL: strings
     * are drawn, and there is no end of them. */
    long long (*count)(const ThTask *t, const ThTaskRows *which);
    bool (*take)(const ThTask *t, const ThTaskRows *which, const long long *number, ThBatch *b,
                 ThError *err);
    /* Appends lines `# WHAT …` for a listing; NULL: nothing to add. */
    void (*describe)(const ThTask *t, ThText *to);
    /* Returns new, a copy of t->data; and its end.  NULL where a kind has no data. */
    void *(*copy_data)(const void *data, ThError *err);
    void (*free_data)(void *data);
} ThTaskKind;

struct ThTask {
    const ThTaskKind *kind;
    ThOptions options;
    ThSignature signature;
    /* Its class after a string (TH_TARGET_FINAL) or prefix (TH_TARGET_EVERY) is the label; the
     * class signature.n_classes, where it has one, means that there is nothing to answer.  NULL: no
     * automaton labels this task. */
    ThDfa *machine;
    bool last_only; /* TH_TARGET_EVERY: only the last answer is asked for */
    int *bits;      /* TH_TARGET_BITS: (n_states, n_classes) of 0 and 1, equal rows in equal machine
                       classes;  else NULL */
    void *data;     /* what a kind keeps for itself */
};

const ThTaskKind *const *th_task_kinds(size_t *n); /* the registry, in manual order */
const ThTaskKind *th_task_kind(const char *name);  /* view, or NULL */

/* Returns new.  options must have been initialised from kind->options; they are copied; NULL: the
 * defaults.  from may be NULL where the kind takes nothing.  Errors: TH_EUSAGE where what the kind
 * takes is missing or options do not fit together; of an automaton TH_EVALUE, TH_ELIMIT; of a file
 * TH_EIO, TH_EPARSE and TH_EVALUE, which name file, line and column; TH_ENOMEM. */
ThTask *th_task_new(const ThTaskKind *kind, const ThOptions *options, const ThTaskSource *from,
                    ThError *err);
ThTask *th_task_copy(const ThTask *t, ThError *err); /* returns new */
void th_task_free(ThTask *t);                        /* NULL is fine */
TH_RELEASES(th_task_free, ThTask)

/* The automaton that labels the strings, a view; NULL and TH_EVALUE where there is none. */
const ThDfa *th_task_machine(const ThTask *t, ThError *err);

/* View of the language whose words such a task recognizes; NULL: it is of another kind, or has an
 * automaton. */
const ThLanguage *th_task_language(const ThTask *t);

/* Sets *words to a new acceptor of the strings that can be drawn, of all lengths, and perhaps the
 * empty one; or to NULL: of what is drawn nothing is known but the alphabet. */
bool th_task_words(const ThTask *t, ThDfa **words, ThError *err);

/* The length that is meant by a wanted length ≥ 1 (modular arithmetic has odd lengths only), and
 * the most symbols that its strings have: of a copy task more than are copied. */
int th_task_length(const ThTask *t, int length);
int th_task_tokens(const ThTask *t, int length);

/* Fills a batch: b->B set by the caller, the rest made by th_batch_reserve; freed by th_batch_free.
 * The strings depend on *r only; several threads may draw from one task.  Of a data set rows of
 * the length are drawn, any number of times. */
bool th_task_sample(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err);

/* The lengths that training reads unless it is told others: those of the task, or `otherwise`. */
ThRange th_task_lengths(const ThTask *t, ThRange otherwise);

/* Computes b->target of given tokens (B, T and perhaps length set); nothing where the labels come
 * with the examples. */
void th_task_label(const ThTask *t, ThBatch *b);

/* Judges what was said after a prompt, with the end symbol if it came to that.  TH_EVALUE if the
 * task has no judge, or if the prompt is none of its own. */
bool th_task_judge(const ThTask *t, ThTaskWord prompt, ThTaskWord said, ThTaskVerdict *v,
                   ThError *err);

/* Whether what was said behind a prompt ends in the answer in which the true text ends; for most
 * tasks the whole of it is the answer. */
bool th_task_same_answer(const ThTask *t, ThTaskWord said, ThTaskWord truth);

/* The right class of a string of any signature, where its symbols show which kind of task it is of
 * and that kind can tell: a nested list is one in a file, too.  -1: nothing is known. */
int th_task_truth(const ThSignature *s, ThTaskWord word);

/* The symbol that ends a line of a task's texts, or -1. */
int th_task_separator(const ThTask *t);

/* The accuracy of the best answer that does not read the string, for the length wanted: exact for
 * the distribution that the sampler draws from.  NaN: unknown, or no memory. */
double th_task_chance(const ThTask *t, int length);

/* ---- data sets ------------------------------------------------------------------------------- */

bool th_task_finite(const ThTask *t); /* whether it is one */

/* The number of examples there are of some rows; 0 for a task that is no data set. */
long long th_task_count(const ThTask *t, const ThTaskRows *which);

/* True if there are some; else TH_EVALUE says which are missing. */
bool th_task_need_rows(const ThTask *t, const ThTaskRows *which, ThError *err);

/* The lengths of the shortest and the longest of some rows, of which there must be some. */
bool th_task_extent(const ThTask *t, const ThTaskRows *which, int *shortest, int *longest,
                    ThError *err);

/* The share of the most frequent class among the answers of some rows: the accuracy of the best
 * answer that reads nothing.  NaN where nothing is asked, or without memory. */
double th_task_majority(const ThTask *t, const ThTaskRows *which);

/* Fills a batch of b->B examples: numbers first, first+1, … of them.  In order, which is by length;
 * or, with `shuffle`, as an endless sequence of epochs: each is a permutation of all, which depends
 * on *shuffle and the number of the epoch alone.  There must be examples. */
bool th_task_take(const ThTask *t, const ThTaskRows *which, const uint64_t *shuffle,
                  long long first, ThBatch *b, ThError *err);
