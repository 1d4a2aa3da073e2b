/* syntax.h - RASP source text to a tree.
 *
 * The tree is one array of nodes; a node's children are a list of indices.  Operators of one level
 * stand in one flat node, so the depth of a tree is bounded by the depth of its brackets, which is
 * bounded by TH_RASP_DEEPEST: nothing that walks a tree recurses further.
 *
 * The grammar is that of Weiss, Goldberg and Yahav, "Thinking Like Transformers" (ICML 2021), as
 * their interpreter reads it; see grammars.def for its unusual levels.  Added are tuples
 * (a, b), lambda, defaults of parameters, named arguments, several statements a line, blanks
 * before parentheses, and names $x, which the program around the interpreter gives a value.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/stop.h"
#include "rasp/values/value.h"

enum { TH_RASP_DEEPEST = 200 }; /* brackets and blocks inside each other */

typedef enum {
    /* expressions */
    TH_RASP_R_INT,       /* number.integer */
    TH_RASP_R_REAL,      /* number.real */
    TH_RASP_R_STRING,    /* text */
    TH_RASP_R_NAME,      /* text */
    TH_RASP_R_LIST,      /* its elements */
    TH_RASP_R_TUPLE,     /* its elements, two at least */
    TH_RASP_R_DICT,      /* key, value, key, value, … */
    TH_RASP_R_EACH_LIST, /* element, names (TH_RASP_R_NAMES), list */
    TH_RASP_R_EACH_DICT, /* key, value, names (TH_RASP_R_NAMES), list */
    TH_RASP_R_LAMBDA,    /* parameters (TH_RASP_R_NAMES), body */
    TH_RASP_R_COMPARE,   /* op: a comparison as an argument, select(k, q, ==) */
    TH_RASP_R_NAMED,     /* text = its child: a named argument */
    TH_RASP_R_POSTFIX,   /* a value, then TH_RASP_R_INDEX and TH_RASP_R_CALL in the order they apply
                          */
    TH_RASP_R_INDEX,     /* [ child ] */
    TH_RASP_R_CALL,      /* ( children ) */
    TH_RASP_R_PREFIX,    /* an operand, then TH_RASP_R_LINK each with its op, as they apply */
    TH_RASP_R_CHAIN,     /* an operand, then TH_RASP_R_LINK each with its op and operand */
    TH_RASP_R_LINK,
    TH_RASP_R_IF, /* value, condition, else, condition, else, …: ((v if c else e) if c else e) */
    /* statements */
    TH_RASP_R_NAMES,  /* TH_RASP_R_NAME each; of parameters perhaps with a default as their child */
    TH_RASP_R_VALUES, /* expressions between commas */
    TH_RASP_R_BLOCK,  /* statements */
    TH_RASP_R_EXPRESSION, /* its expression */
    TH_RASP_R_ASSIGN,     /* TH_RASP_R_NAMES, TH_RASP_R_VALUES */
    TH_RASP_R_DEF,    /* text, TH_RASP_R_NAMES, TH_RASP_R_BLOCK whose last is the TH_RASP_R_RETURN;
                    from … to is    its source */
    TH_RASP_R_RETURN, /* TH_RASP_R_VALUES */
    TH_RASP_R_FOR,    /* TH_RASP_R_NAMES, expression, TH_RASP_R_BLOCK */
    TH_RASP_R_DRAW,   /* expression, perhaps an input */
    TH_RASP_R_LOAD,   /* text */
    TH_RASP_R_SET_EXAMPLE, /* op: which; expression */
    TH_RASP_R_SHOW_EXAMPLE,
    TH_RASP_R_EXAMPLES,     /* op: which; number.integer: on */
    TH_RASP_R_FULL_DISPLAY, /* number.integer: on */
    TH_RASP_R_QUIT
} ThRaspKind;

/* What `op` holds: a ThRaspBinary in chains and TH_RASP_R_COMPARE, or TH_RASP_R_IN; a ThRaspUnary
 * in prefixes. */
enum { TH_RASP_R_IN = 100 };

enum { TH_RASP_FOR_SOPS = 1, TH_RASP_FOR_SELECTORS = 2 }; /* op of the example statements */

typedef struct {
    uint8_t kind; /* ThRaspKind */
    uint8_t op;   /* see below */
    int32_t line, col;
    int32_t first, next; /* first child, next sibling; -1: none */
    int32_t text;        /* offset into the tree's texts; -1: none */
    int32_t from, to;    /* bytes of the source, of TH_RASP_R_DEF and of lambdas */
    union {
        int64_t integer;
        double real;
    } number;
} ThRaspNode;

/* Zero-initialised it is empty. */
typedef struct {
    ThRaspNode *node;
    size_t n, cap;
    char *text; /* names and strings, each with its end */
    size_t size, text_cap;
    int32_t root; /* TH_RASP_R_BLOCK of the statements */
} ThRaspTree;

/* How operators bind.  Levels count from 0, the loosest; what ends in _from is the loosest level
 * that may stand there. */
typedef struct {
    const char *name, *example; /* what is read how, in a few words */
    int in, condition, or_, and_, comparison, sum, remainder, product, power;
    int if_from, else_from, power_from; /* behind if, else and ^ */
    bool prefixes_tightest;             /* not, - and + mix, and an operand follows them */
    int not_from, sign_from;            /* else: what they are in front of */
} ThRaspGrammar;

/* The table of grammars.def; its first row is that of the authors. */
const ThRaspGrammar *th_rasp_grammars(size_t *n);

typedef struct {
    const ThRaspGrammar *grammar; /* NULL: the authors' */
    bool lines;                   /* a statement may end, without its `;`, with the text or a } */
    bool prompt;                  /* statements of the prompt (set example, …) are allowed */
} ThRaspDialect;

/* A text of n bytes, and where it is read: the next byte, with its line and column.  Reading ends
 * with TH_EINTERRUPTED where `stop` says so; it may be NULL. */
typedef struct {
    const char *text;
    size_t n, at;
    int line, col;
    ThStop *stop;
} ThRaspSource;

/* Reads all statements of a text of n bytes.  Errors: TH_EPARSE with a position; TH_EINCOMPLETE
 * where more text could make it right; TH_ELIMIT beyond TH_RASP_DEEPEST; TH_ENOMEM.  t is zeroed by
 * the caller and freed by it in any case. */
bool th_rasp_parse(ThRaspTree *t, const char *text, size_t n, ThRaspDialect d, ThError *err);

/* Reads one statement and moves src behind it and its `;`; src stays on failure.  Errors as above;
 * their positions, and those in the tree, go on from those of src, and sources (from … to) count
 * from where it was. */
bool th_rasp_parse_one(ThRaspTree *t, ThRaspSource *src, ThRaspDialect d, ThError *err);
bool th_rasp_tree_copy(ThRaspTree *t, const ThRaspTree *from, ThError *err); /* TH_ENOMEM */
void th_rasp_tree_free(ThRaspTree *t);
TH_RELEASES_VALUE(th_rasp_tree_free, ThRaspTree)

/* Appends an expression, or a function's definition, as source that every grammar reads as the
 * same. */
void th_rasp_tree_write(const ThRaspTree *tree, int32_t node, ThText *t);

/* Are two parts of trees the same program, wherever they stand in their texts? */
bool th_rasp_tree_same(const ThRaspTree *a, int32_t x, const ThRaspTree *b, int32_t y);

static inline const char *th_rasp_text(const ThRaspTree *t, int32_t node)
{
    return t->text + t->node[node].text;
}

/* How RASP says what other languages write so: a token that was not expected, with those before and
 * behind it ("" for none).  NULL: nobody knows. */
const char *th_rasp_habit(const char *before, const char *at, const char *behind);

/* True for the words that no program may define: the grammar's and the library's. */
bool th_rasp_is_reserved(const char *name);
