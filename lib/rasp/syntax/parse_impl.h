/* parse_impl.h - the parser's state, shared by expressions and statements.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "rasp/syntax/lex.h"

/* Errors stick: after the first one the token at hand is TH_RASP_LEX_BAD, which nothing begins with
 * and no list goes on behind, so that the parser comes to its end by itself.  What it makes on the
 * way, a tree without sense, is thrown away. */
typedef struct {
    ThRaspSource lx;
    size_t from;                  /* where the source of the tree begins */
    ThRaspLexeme last, now, next; /* the token at hand, those before and after it */
    ThRaspTree *t;
    ThRaspDialect d;
    int depth;
    bool failed;
    ThError bad; /* of a TH_RASP_LEX_BAD, which may belong to what follows a statement */
    ThError *err;
} ThRaspParser;

/* A parser at the beginning of a tree, which gets its root. */
bool th_rasp_begin(ThRaspParser *p, ThRaspTree *t, const ThRaspSource *src, ThRaspDialect d,
                   ThError *err);

void th_rasp_advance(ThRaspParser *p);
bool th_rasp_comma(ThRaspParser *p); /* is one at hand?  Then it moves behind it */

/* Says that a node's source begins at a byte of the text and ends with the token before. */
void th_rasp_node_source(ThRaspParser *p, int32_t node, size_t from);
bool th_rasp_at_word(const ThRaspParser *p, const ThRaspLexeme *l, const char *word);

/* Moves behind a token, or a word, that has to be at hand. */
void th_rasp_expect(ThRaspParser *p, int kind, const char *wanted);
void th_rasp_expect_word(ThRaspParser *p, const char *word);

/* Says that something else had to stand at the token at hand; TH_EINCOMPLETE at the end. */
void th_rasp_wanted(ThRaspParser *p, const char *wanted);

/* After an error: nothing more is read. */
void th_rasp_parse_failed(ThRaspParser *p);

/* A new node at a token; appending a child: *last is the child before, -1 at first. */
int32_t th_rasp_new_node(ThRaspParser *p, ThRaspKind kind, const ThRaspLexeme *at);
void th_rasp_append(ThRaspParser *p, int32_t parent, int32_t *last, int32_t child);
void th_rasp_node_text(ThRaspParser *p, int32_t node, const ThRaspLexeme *from);

/* One more bracket or block; each is followed by th_rasp_up. */
void th_rasp_down(ThRaspParser *p);
void th_rasp_up(ThRaspParser *p);

/* An expression; expressions between commas as children of `parent`. */
int32_t th_rasp_expression(ThRaspParser *p);
void th_rasp_expressions(ThRaspParser *p, int32_t parent);

/* What stands between operators, with its calls and indices (operands.c). */
int32_t th_rasp_operand(ThRaspParser *p);

/* A flat node over `left`, which becomes its first child and *last. */
int32_t th_rasp_chain(ThRaspParser *p, ThRaspKind kind, int32_t left, int32_t *last);

/* Is a token a comparison?  Then *op is which. */
bool th_rasp_comparison(int kind, uint8_t *op);

/* Parameters up to a token, as children of `names`. */
void th_rasp_parameters(ThRaspParser *p, int32_t names, int end);

/* A new node: the names that are being defined, between commas. */
int32_t th_rasp_new_names(ThRaspParser *p, const ThRaspLexeme *at);
