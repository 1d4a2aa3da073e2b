/* verify.h - does a model answer as a machine does?
 *
 * All words of a length are read as long as there are not too many; of longer ones some are drawn,
 * each with the same probability.  Only words about which something is asked are meant.  A word is
 * read by itself, so that the answer is that of th_lab_predict to the last bit.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "inspect/truth.h"
#include "lab/trials.h"

/* What is known of the words of one length. */
typedef struct {
    int length;
    bool all; /* all of them were read, else some were drawn */
    long long words, wrong;
} ThInspectVerifiedLength;

typedef struct {
    ThRange length;
    long long words;   /* of lengths that are read whole, at most */
    int samples;       /* words drawn of each other length */
    size_t most_nodes; /* of the tree of wrong words; 0: the errors are not wanted */
    uint64_t seed;
    ThStop *stop;
    void *context;
    void (*progress)(void *context, long long words, int length); /* may be NULL */
    /* Is told of every wrong word as it is met; may be NULL, fails by returning false. */
    bool (*wrong)(void *context, const int *word, int length, ThError *err);
} ThInspectVerification;

typedef struct {
    ThInspectVerifiedLength *length; /* (n) */
    int n, all; /* of the lengths that were asked for, all words up to `all` symbols were read */
    int step;   /* of these lengths */
    long long words, wrong; /* read whole lengths */
    long long drawn, drawn_wrong;
    long long open;    /* words that got no answer: they do not count as wrong */
    int *word, n_word; /* the first wrong word that was met; NULL: none */
    bool shortest;     /* and there is no wrong word before it */
    int at;            /* its first position with a wrong answer */
    int *due, *said;   /* what is due there, and what the model says */
    bool texts;        /* the task asks for them: */
    int n_due, n_said; /* due and said are whole texts, and */
    char what[160];    /* what is wrong in a sentence */
    ThDfa *errors;     /* minimal: class 1 are the wrong words of these lengths up to `all`;
                          NULL: not wanted, or too many */
} ThInspectVerified;

/* Fills *v, to be freed also after a failure.  Errors: TH_EVALUE where nothing is asked about any
 * word of the lengths, or none is read; those of the model on words of such lengths;
 * TH_EINTERRUPTED, TH_ENOMEM. */
bool th_inspect_verify(const ThModel *m, const ThInspectTruth *t, const ThInspectVerification *how,
                       ThInspectVerified *v, ThError *err);

/* The same for a task that asks for texts: its prompts are the words, and a text is wrong if the
 * task's judge says so; v->errors is never made.  Prompts of one length are all that the task can
 * draw of it (a prompt that can be drawn in several ways is read as often), as long as they can be
 * counted in as many drawings as words may still be read, and are written behind several at a time,
 * as evaluation does.  plan: model, task, settings and threads; the rest is set here.  Errors
 * besides: of th_lab_trials. */
bool th_inspect_verify_texts(const ThLabTrialsPlan *plan, const ThInspectVerification *how,
                             ThInspectVerified *v, ThError *err);
void th_inspect_verified_free(ThInspectVerified *v);
TH_RELEASES_VALUE(th_inspect_verified_free, ThInspectVerified)
