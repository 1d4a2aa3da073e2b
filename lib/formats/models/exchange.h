/* exchange.h - models of other programs as models of this one, and back: the state dicts of
 * PyTorch's modules.
 *
 *     ThOptions o = {0};
 *     ThText notes = {0};
 *     th_options_init(&o, th_format_exchange_options, &err);
 *     th_options_set(&o, "kind", "lstm", &err);
 *     th_options_set(&o, "symbols", "ab", &err);
 *     th_options_set(&o, "classes", "reject accept", &err);
 *     ThModel *m = th_format_exchange_load("m.safetensors", &o, &notes, &err);
 *
 * What is where stands in one table of rows, exchange_rows.c: the tensor there, the parameter here,
 * and how the one becomes the other.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"

/* The options of a load, the first of which is kind=. */
extern const ThOptionSpec th_format_exchange_options[];

/* Returns new: the model that a .safetensors or .npz file holds the tensors of.  Notes get what was
 * assumed.  TH_EUSAGE for options, TH_EVALUE for tensors that are missing, too many, or of another
 * shape, by name; TH_EIO, TH_ENOMEM. */
ThModel *th_format_exchange_load(const char *path, const ThOptions *o, ThText *notes, ThError *err);

/* Writes a model that has been trained as a .safetensors file with the names and shapes of
 * PyTorch's modules, whole or not at all.  TH_EVALUE where there is no such module; TH_EIO,
 * TH_ENOMEM. */
bool th_format_exchange_save(const ThModel *m, const char *path, ThError *err);

/* One row of the table: `tensor` of kind `kind` there becomes `parameter` here; TH_FORMAT_TURNED
 * means (out, in) there and (in, out) here.  NULL at the end of the layouts. */
typedef struct {
    const char *parameter; /* %d stands for the layer's number, from 0; layer 0 may go without */
    const char *tensor;
    const char *shape;  /* for people; a vector's has no comma */
    const char *blocks; /* which blocks of the tensor the parameter's are, "0213/4": in this order,
                           of four; - before one negates it; NULL: the tensor is one block; q, k,
                           v: the queries, keys or values of the steps of a symbol */
    unsigned flags;
} ThFormatRow;

enum {
    TH_FORMAT_TURNED = 1,   /* the parameter is the transpose; of vectors: a row of it */
    TH_FORMAT_MAY_LACK = 2, /* zeros where the tensor is not there */
    TH_FORMAT_ADDED = 4,    /* is added to what a row before made of the parameter */
    TH_FORMAT_EMBEDDED = 8, /* the embeddings of the symbols times this */
    TH_FORMAT_SYMBOLS = 16, /* a row for each symbol */
    TH_FORMAT_CLASSES = 32, /* a row for each class; one row may be the second of two classes */
    TH_FORMAT_ABOVE = 64,   /* from layer 1 on */
    TH_FORMAT_HEADS = 128,  /* the blocks stand within each head */
    TH_FORMAT_FORGET = 256, /* the option forget= is part of it, there */
    TH_FORMAT_GROUPS = 512, /* a head of the tensor may be several heads of the parameter */
    TH_FORMAT_TAPS = 1024,  /* the parameter's rows stand in the opposite order there */
    TH_FORMAT_APART = 2048  /* ADDED, but of blocks that no other row has: goes out, too */
};

typedef struct {
    const char *kind;    /* of the load */
    const char *module;  /* what it is there */
    const char *model;   /* the kind here, */
    const char *options; /* and options of it that every such module has, "key=value …" */
    const char *out;     /* as=pytorch takes models with "key=value|value …", - where not given;
                            NULL: none */
    const char *mark;    /* how a tensor ends that only this one has, in its first layer */
    int gates;           /* of a recurrent network; else 0 */
    const ThFormatRow *const *rows; /* lists, each up to a row without a parameter, up to NULL */
} ThFormatLayout;

const ThFormatLayout *th_format_layouts(size_t *n); /* the table */
