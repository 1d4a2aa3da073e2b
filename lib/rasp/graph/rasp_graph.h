/* rasp_graph.h - what an s-op or a selector of RASP computes, as a graph that is built once and
 * evaluated on many inputs.
 *
 * Nodes are numbered in the order in which they are made, and a node's arguments come before it, so
 * evaluating in that order never recurses.  Nodes never change.  Every one belongs to a class: the
 * number of the first node that computes the same by its structure (same operator, arguments of the
 * same classes, same constants).  A class is evaluated once; identity and class are the two ways in
 * which heads are counted (cost.h).
 *
 * A builder returns the number of a new node, or TH_RASP_NO_SOP and an error.  The graph does not
 * know where in a program it is: the caller adds the position to errors.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "rasp/values/value.h"

typedef uint32_t ThRaspSop;
#define TH_RASP_NO_SOP UINT32_MAX

typedef enum {
    TH_RASP_NODE_TOKENS,  /* the input: op is a ThRaspTokensAs */
    TH_RASP_NODE_INDICES, /* 0, 1, 2, … */
    TH_RASP_NODE_CONSTANT,
    TH_RASP_NODE_UNARY,  /* op is a ThRaspUnary */
    TH_RASP_NODE_BINARY, /* op is a ThRaspBinary */
    TH_RASP_NODE_CHOICE, /* arguments: condition, if true, if false */
    TH_RASP_NODE_MEMBER, /* is the element in a list? */
    TH_RASP_NODE_LOOKUP, /* the element as index of a list or key of a dictionary */
    TH_RASP_NODE_MAP,    /* a function of the caller's, element by element */
    TH_RASP_NODE_TUPLE,
    TH_RASP_NODE_AGGREGATE, /* arguments: selector, values; op is a ThRaspReduction */
    TH_RASP_NODE_WIDTH,     /* argument: selector */
    TH_RASP_NODE_SELECT,    /* arguments: keys, queries; op is a comparison */
    TH_RASP_NODE_MATCH,     /* the same with a function of the caller's */
    TH_RASP_NODE_BOTH,      /* two selectors: and */
    TH_RASP_NODE_EITHER,    /* or */
    TH_RASP_NODE_OTHER      /* not */
} ThRaspNodeKind;

typedef enum {
    TH_RASP_AS_IS,
    TH_RASP_AS_STR,
    TH_RASP_AS_INT,
    TH_RASP_AS_FLOAT,
    TH_RASP_AS_BOOL
} ThRaspTokensAs;

/* What aggregate makes of the values that a row selects.  TH_RASP_REDUCE_MEAN is RASP's own: none,
 * the default; one, that value, of any kind; more, the mean as a float, numbers only.  The others
 * are the causal dialect's: TH_RASP_REDUCE_MEAN_INT truncates the mean toward zero (bools count as
 * 0 and 1; a single string or tuple passes), TH_RASP_REDUCE_MAX and TH_RASP_REDUCE_MIN take the
 * greatest and the least.  TH_RASP_REDUCE_RIGHTMOST and _LEFTMOST, of B-RASP, take the value at the
 * last and the first position, of any kind. */
typedef enum {
    TH_RASP_REDUCE_MEAN,
    TH_RASP_REDUCE_MEAN_INT,
    TH_RASP_REDUCE_MAX,
    TH_RASP_REDUCE_MIN,
    TH_RASP_REDUCE_RIGHTMOST,
    TH_RASP_REDUCE_LEFTMOST
} ThRaspReduction;

typedef struct {
    ThRaspNodeKind kind;
    uint8_t op;          /* by kind, see above */
    bool selector;       /* true of the last five kinds */
    bool causal;         /* selectors: no cell right of the diagonal */
    bool has_default;    /* aggregates: `atom` was given */
    uint16_t n_args;     /* of the arguments' list */
    uint32_t first;      /* where they begin in it */
    uint32_t depth;      /* see cost.h */
    uint64_t serial;     /* never given again, also after a rewind */
    ThRaspSop canonical; /* the first node that computes the same */
    uint32_t origin;     /* who made it: see th_rasp_enter; 0: nobody */
    uint32_t name;       /* see th_rasp_name; 0: none */
    uint32_t table; /* TH_RASP_NODE_MEMBER, TH_RASP_NODE_LOOKUP: of lists; TH_RASP_NODE_MAP, _MATCH:
                       of functions */
    ThRaspAtom atom; /* constants; aggregates: the default, int 0 unless given */
} ThRaspNodeInfo;

/* A function of the caller's for TH_RASP_NODE_MAP: args (n of them) to *result.  It must be pure:
 * it is called once for every distinct list of arguments.  Strings and tuples go into `atoms`. */
typedef bool ThRaspCall(void *context, ThRaspAtoms *atoms, const ThRaspAtom *args, size_t n,
                        ThRaspAtom *result, ThError *err);

typedef struct ThRaspGraph ThRaspGraph;

/* Returns new: an empty graph over a pool that must outlive it.  NULL and TH_ENOMEM. */
ThRaspGraph *th_rasp_graph_new(ThRaspAtoms *atoms, ThError *err);
void th_rasp_graph_free(ThRaspGraph *g); /* NULL is fine */

ThRaspAtoms *th_rasp_atoms(const ThRaspGraph *g);
ThRaspSop th_rasp_nodes(const ThRaspGraph *g); /* how many there are */

/* View of a node until the next one is made; its argument i; true if it is a selector. */
const ThRaspNodeInfo *th_rasp_node(const ThRaspGraph *g, ThRaspSop node);
ThRaspSop th_rasp_arg(const ThRaspGraph *g, ThRaspSop node, size_t i);
bool th_rasp_is_selector(const ThRaspGraph *g, ThRaspSop node);

/* Returns new: the nodes that a node depends on, itself last, in the order in which they were made;
 * *n of them, freed with free().  NULL and TH_ENOMEM. */
ThRaspSop *th_rasp_ancestors(const ThRaspGraph *g, ThRaspSop node, size_t *n, ThError *err);

/* Forgets all nodes from number `nodes` on, with their functions' contexts: for a statement that
 * failed.  Runs (run.h) forget their values by themselves. */
void th_rasp_rewind(ThRaspGraph *g, ThRaspSop nodes);

/* Leaves. */
ThRaspSop th_rasp_tokens(ThRaspGraph *g, ThRaspTokensAs as, ThError *err);
ThRaspSop th_rasp_indices(ThRaspGraph *g, ThError *err);
ThRaspSop th_rasp_constant(ThRaspGraph *g, ThRaspAtom atom, ThError *err);

/* Operators.  On selectors TH_RASP_OP_NOT, TH_RASP_OP_AND and TH_RASP_OP_OR combine the matrices; a
 * causal selector stays causal under not.  On s-ops TH_RASP_OP_AND and TH_RASP_OP_OR give bools.
 * Errors of all builders: TH_EVALUE for selectors where s-ops are wanted and the other way round;
 * TH_ELIMIT beyond TH_RASP_GRAPH_NODES; TH_ENOMEM. */
enum { TH_RASP_GRAPH_NODES = 1 << 24 };
ThRaspSop th_rasp_unary(ThRaspGraph *g, ThRaspUnary op, ThRaspSop a, ThError *err);
ThRaspSop th_rasp_binary(ThRaspGraph *g, ThRaspBinary op, ThRaspSop a, ThRaspSop b, ThError *err);
ThRaspSop th_rasp_choice(ThRaspGraph *g, ThRaspSop condition, ThRaspSop yes, ThRaspSop no,
                         ThError *err);

/* x in list; list[x] (negative indices count from the end); dict[x] with n keys and values.  The
 * atoms are copied.  A repeated key takes the last value. */
ThRaspSop th_rasp_member(ThRaspGraph *g, ThRaspSop x, const ThRaspAtom *list, size_t n,
                         ThError *err);
ThRaspSop th_rasp_list(ThRaspGraph *g, ThRaspSop x, const ThRaspAtom *list, size_t n, ThError *err);
ThRaspSop th_rasp_dict(ThRaspGraph *g, ThRaspSop x, const ThRaspAtom *key, const ThRaspAtom *value,
                       size_t n, ThError *err);

/* A tuple of n s-ops, element by element; a function of n s-ops.  `identity` tells functions apart:
 * the same number must always mean the same function.  The graph owns `context` from a successful
 * call on and releases it (release may be NULL) when the node is forgotten; n ≤ TH_RASP_MAP_ARGS.
 */
enum { TH_RASP_MAP_ARGS = 64 };
ThRaspSop th_rasp_tuple(ThRaspGraph *g, const ThRaspSop *x, size_t n, ThError *err);
typedef struct {
    uint64_t identity;
    ThRaspCall *call;
    void *context;
    void (*release)(void *context);
} ThRaspFunctionOf;
ThRaspSop th_rasp_map(ThRaspGraph *g, const ThRaspFunctionOf *f, const ThRaspSop *x, size_t n,
                      ThError *err);

/* select(keys, queries, op): row i selects column j where keys[j] op queries[i], and, if causal,
 * j ≤ i. */
ThRaspSop th_rasp_select(ThRaspGraph *g, ThRaspSop keys, ThRaspSop queries, ThRaspBinary op,
                         bool causal, ThError *err);

/* The same with a function of (key, query) whose truth decides; as with th_rasp_map, it is pure and
 * called once for every distinct pair. */
ThRaspSop th_rasp_match(ThRaspGraph *g, const ThRaspFunctionOf *f, ThRaspSop keys,
                        ThRaspSop queries, bool causal, ThError *err);

/* aggregate(selector, values, default): `missing` is the default, or NULL where the program gives
 * none: then it is int 0. */
ThRaspSop th_rasp_aggregate(ThRaspGraph *g, ThRaspSop selector, ThRaspSop values,
                            const ThRaspAtom *missing, ThRaspReduction how, ThError *err);

/* The number of columns that a row selects, directly: the causal dialect's width, one head. */
ThRaspSop th_rasp_width(ThRaspGraph *g, ThRaspSop selector, ThError *err);

/* Who makes the nodes: a function call or an operator at a place in the program, inside the one
 * entered before.  Cost reports name the outermost and the innermost.  th_rasp_enter copies the
 * label; every one is paired with a th_rasp_leave, also after errors. */
bool th_rasp_enter(ThRaspGraph *g, const char *label, int line, int col, ThError *err);
void th_rasp_leave(ThRaspGraph *g);

typedef struct {
    const char *label;
    int line, col;
    uint32_t outer; /* the origin around it, or 0 */
} ThRaspOrigin;
ThRaspOrigin th_rasp_origin(const ThRaspGraph *g, uint32_t origin); /* 0 is the empty one */

/* The name under which a program knows a node; the last one given holds.  NULL: none. */
bool th_rasp_name(ThRaspGraph *g, ThRaspSop node, const char *name, ThError *err);
const char *th_rasp_name_of(const ThRaspGraph *g, ThRaspSop node);
