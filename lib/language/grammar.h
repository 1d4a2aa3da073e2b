/* grammar.h - context-free grammars: their rules as they were typed, and in two forms to work with.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "language/language_kind.h"
#include "language/trees.h"

/* Symbols of a right side: variables by number, terminals a as ~a. */
typedef struct {
    int left, first, n; /* right[first] … right[first + n - 1] */
    int line, col;      /* of the right side, in the block; 0: made */
} ThGrammarRule;

/* Rules of at most two variables on the right, whose trees correspond one to one to those of the
 * grammar: X -> Y Z W became X -> Y [Z W], and a terminal in a longer rule a variable of its own.
 * Empty and unit rules stay, as their removal would change the number of trees; unless a variable
 * derives itself alone: then the rules are others, of the same words, in which none does. */
typedef struct {
    int left;
    int n; /* 0: the empty word; 1: the variable b; 2: b c; -1: the terminal b */
    int b, c;
} ThGrammarPair;

typedef struct {
    int n_variables; /* the grammar's own come first */
    ThGrammarPair *rule;
    size_t n, cap;
    int *order;       /* (n_variables): B before A where A derives B alone */
    bool *nullable;   /* (n_variables): they derive the empty word, by the grammar's own rules */
    bool cut;         /* a variable derived itself alone: trees are not those of the grammar */
    bool one_tree;    /* no word has two: the rules are LR(1); else that is not known */
    size_t *by_order; /* (n): rules by the place of their left side in order */
    size_t *first;    /* (n_variables + 1): those of the i-th variable of order are first[i] … */
} ThGrammarPairs;

typedef struct {
    char **variable; /* (n_variables), each owned; the start is number 0 */
    int n_variables;
    ThGrammarRule *rule;
    size_t n_rules, rule_cap;
    int *right;
    size_t n_right, right_cap;
    /* Without useless rules: what everything but `write` works with. */
    ThGrammarRule *used; /* (n_used) */
    size_t n_used;
    ThText remarks; /* "left out: X, line 2: derives no word; …", and who derives itself; empty:
                       none */
    ThGrammarPairs pairs;
} ThGrammar;

/* Fills g->used and g->pairs.  Errors: TH_EVALUE for a grammar without words, with the place of a
 * rule; TH_ENOMEM. */
bool th_grammar_reduce(ThGrammar *g, ThError *err);
bool th_grammar_binarise(ThGrammar *g, ThError *err);
bool th_grammar_look_ahead(ThGrammarPairs *p, ThError *err); /* decides p->one_tree */
void th_grammar_pairs_free(ThGrammarPairs *p);

/* Reading symbol by symbol: Earley's algorithm; see ThLanguageKind. */
void *th_grammar_read(const ThLanguage *l, ThError *err);
bool th_grammar_push(void *reading, int symbol, bool *viable, ThError *err);
void th_grammar_pop(void *reading);
bool th_grammar_accepts(void *reading, ThLanguageAnswer *answer, ThError *err);
void th_grammar_stop_reading(void *reading);

/* Counting and drawing; see ThLanguageKind. */
void *th_grammar_words(const ThLanguage *l, int length, ThStop *stop, ThError *err);
double th_grammar_log_words(const void *words);
bool th_grammar_draw(const void *words, ThRng *r, int *word, ThError *err);
void th_grammar_free_words(void *words);
bool th_grammar_count(const ThLanguage *l, int hi, mpz_t *n, bool *known, ThStop *stop,
                      ThError *err);

/* th_language_trees and th_language_ambiguity, by the pairs, which may be of other trees. */
bool th_grammar_trees(const ThGrammar *g, ThLanguageWord word, ThStop *stop, double *n,
                      ThError *err);
bool th_grammar_ambiguity(const ThLanguage *l, int length, ThLanguageAmbiguity *a, ThStop *stop,
                          ThError *err);
