/* own.h - what models do, written down once more, in double precision and straight from the
 * weights: the witness of the forger, which shares nothing with lib/proof. */
#ifndef TESTS_FORGE_OWN_H
#define TESTS_FORGE_OWN_H

#include "models/model.h"

enum { OWN_WIDE = 128, OWN_HIDDEN = 512, OWN_LONGEST = 4096, OWN_LINEAR = 12, OWN_SYMBOLS = 4 };

typedef struct {
    const ThModel *m;
    bool tree, linear; /* a regulargpt of two children; an lrnn of one layer; else rnn or gru */
    bool shares;       /* a transformer without positions or mask */
    bool hard, average, soft; /* a bare one with hard attention; that of all with the greatest
                                 score; or a softmax */
    int dim, n_symbols, n_classes;
    const float *weight[20];
    double matrix[OWN_SYMBOLS][OWN_LINEAR * OWN_LINEAR],
        added[OWN_SYMBOLS][OWN_LINEAR]; /* linear */
} Own;

/* False: it is none of these. */
bool own_read(Own *o, const ThModel *m);

/* A parameter of the model, or NULL. */
const float *own_find(const ThModel *m, const char *name);

/* to <- what is made of two vectors, the earlier NULL: nothing; what its hidden units see of it;
 * and what is made of a symbol. */
void own_combine(const Own *o, const double *earlier, const double *later, double *to);
void own_middle(const Own *o, const double *earlier, const double *later, double *to);
void own_leaf(const Own *o, int symbol, double *to);

/* to <- the state before the first symbol; after one. */
void own_start(const Own *o, double *to);
void own_step(const Own *o, const double *state, int symbol, double *to);

/* hard: what stands at a word's last position. */
void own_hard_vector(const Own *o, const int *word, int length, double *to);

/* shares: the same. */
void own_shares_vector(const Own *o, const int *word, int length, double *to);

void own_logits(const Own *o, const double *z, double *logit);

/* The class of a word's last answer. */
int own_answer(const Own *o, const int *word, int length);

#endif
