/* any_language.h - a set of words, whatever says which they are: an automaton, a grammar, a machine
 * with counters, a Turing machine, an s-op.
 *
 * What can be asked is the same for all kinds: whether a word is a member, which prefixes can be
 * completed, how many words of a length there are, and one of them with uniform probability.
 *
 *     ThLanguage *l = th_language_parse("grammar", "S -> a S b | epsilon", &err);
 *     ThLanguageWords *w = l ? th_language_words(l, 40, stop, &err) : NULL;
 *     bool ok = w && th_language_draw(w, &rng, drawn, &err);
 *     th_language_words_free(w);
 *     th_language_free(l);
 *
 * A language does not change once it is made; several threads may ask it.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "automata/core/automaton.h"
#include "turing/tm_machine.h"

typedef struct ThLanguage ThLanguage;

/* Only machines that are cut off have no answer. */
typedef enum { TH_LANGUAGE_NO, TH_LANGUAGE_YES, TH_LANGUAGE_UNKNOWN } ThLanguageAnswer;

/* Symbols by number, borrowed. */
typedef struct {
    const int *symbol;
    int n;
} ThLanguageWord;

/* ---- making one ------------------------------------------------------------------------------ */

/* Returns new: the language of the inside of a block `KIND NAME { … }`.  Errors: TH_EPARSE and
 * TH_EVALUE with line and column inside the text. */
ThLanguage *th_language_parse(const char *kind, const char *text, ThError *err);

/* Returns new: the language of an automaton, which is copied.  TH_ELIMIT beyond most_states states
 * of the deterministic one. */
ThLanguage *th_language_of_automaton(const ThAutomaton *a, size_t most_states, ThStop *stop,
                                     ThError *err);

/* Names of symbols, borrowed. */
typedef struct {
    char *const *name;
    int n;
} ThLanguageAlphabet;

/* Rows of options that say which language is made of a machine or an s-op. */
#define TH_LANGUAGE_STEPS_OPTION                                                                   \
    {                                                                                              \
        "steps", TH_INT, "10000", 1, 1e15, NULL,                                                   \
            "of a machine: steps after which there is no answer"                                   \
    }
#define TH_LANGUAGE_ALPHABET_OPTION                                                                \
    {                                                                                              \
        "alphabet", TH_STRING, NULL, 0, 0, NULL,                                                   \
            "of a machine or an s-op: what words consist of, characters, or words with blanks "    \
            "between them; default: the machine's symbols but the blank, ab for s-ops"             \
    }

/* Returns new: the words on whose first tape a machine accepts (or halts, where no state accepts),
 * within the steps; the machine is copied.  Their symbols are all of the machine's but its blank,
 * or those of the alphabet, where it is not NULL: TH_EVALUE for one that the machine does not have.
 * Where its automaton is known (below), that answers in its place, and whatever the steps. */
ThLanguage *th_language_of_machine(const ThTm *m, const ThLanguageAlphabet *alphabet,
                                   uint64_t steps, ThStop *stop, ThError *err);

/* Returns new: the words that an enumerator prints: whenever the machine, which has no choices,
 * comes into the state on its way from blank tapes, the word that stands on its last tape, from the
 * first cell to the first blank.  What it has not printed within the steps has no answer, unless it
 * has stopped.  Errors as above, TH_EVALUE for a state that it does not have; TH_EINTERRUPTED. */
ThLanguage *th_language_of_enumerator(const ThTm *m, const char *state,
                                      const ThLanguageAlphabet *alphabet, uint64_t steps,
                                      ThStop *stop, ThError *err);

/* Is the automaton of a machine's language known, to some number of states: one tape, no choices,
 * nothing written, no edge to run against?  TH_EVALUE says what is not so, with the rule. */
bool th_language_reads_only(const ThTm *m, ThError *err);

/* Returns new: a machine that never writes and accepts what the automaton accepts, whose outputs do
 * not count: its states and symbols, a blank, and one state that accepts.  It has choices where the
 * automaton has.  TH_ENOMEM. */
ThTm *th_language_automaton_machine(const ThAutomaton *a, ThError *err);

/* Returns new: the words over an alphabet, but the empty one, at whose last position an s-op of a
 * program of RASP is true.  Errors of the program; TH_EVALUE where its values are no truth values.
 */
ThLanguage *th_language_of_program(const char *source, const char *name,
                                   const ThLanguageAlphabet *alphabet, ThError *err);

/* Returns new: the members of a language that are in another one, too, from which they are drawn,
 * by rejection.  Both are shared.  TH_EVALUE where their symbols or the order of them differ. */
ThLanguage *th_language_within(const ThLanguage *inner, const ThLanguage *outer, ThError *err);

/* The same language for one owner more; never fails.  Each owner frees it. */
ThLanguage *th_language_share(const ThLanguage *l);
void th_language_free(ThLanguage *l); /* NULL is fine */
TH_RELEASES(th_language_free, ThLanguage)

/* Appends the block that defines it; nothing for kinds that no block defines. */
void th_language_write(ThText *t, const ThLanguage *l, const char *name);

/* Appends what is another text as soon as anything differs that its answers come from, its symbols
 * and their order included; of every kind. */
void th_language_identify(ThText *t, const ThLanguage *l);

/* ---- asking ---------------------------------------------------------------------------------- */

const char *th_language_kind_name(const ThLanguage *l);        /* "grammar", … */
char *const *th_language_symbols(const ThLanguage *l, int *n); /* views */
bool th_language_knows_prefixes(const ThLanguage *l);          /* see th_language_push */
bool th_language_may_not_answer(const ThLanguage *l);          /* TH_LANGUAGE_UNKNOWN may come */

/* Is the word a member?  Errors: TH_EINTERRUPTED, TH_ENOMEM, of an s-op TH_EVALUE. */
bool th_language_member(const ThLanguage *l, ThLanguageWord word, ThStop *stop,
                        ThLanguageAnswer *answer, ThError *err);

/* Sets *a to a new automaton of the language, where one is known: of right-linear grammars, of
 * Turing machines that never write; else to NULL. */
bool th_language_automaton(const ThLanguage *l, ThAutomaton **a, ThStop *stop, ThError *err);

/* Returns new: what there is to draw of it, states and moves as an automaton, whose symbols are the
 * labels of the moves; NULL without an error: nothing. */
ThAutomaton *th_language_picture(const ThLanguage *l, ThError *err);

/* A word that is read symbol by symbol, and back.  l is borrowed. */
typedef struct ThLanguageReader ThLanguageReader;
ThLanguageReader *th_language_reader(const ThLanguage *l, ThStop *stop, ThError *err);
void th_language_reader_free(ThLanguageReader *r); /* NULL is fine */
TH_RELEASES(th_language_reader_free, ThLanguageReader)

/* Reads one more; *viable, which may be NULL: whether some member of any length begins so.  Kinds
 * that do not know prefixes always say yes; so do counters where that cannot be searched for. */
bool th_language_push(ThLanguageReader *r, int symbol, bool *viable, ThError *err);
void th_language_pop(ThLanguageReader *r); /* takes the last one back: there must be one */

/* Is what has been read a member? */
bool th_language_accepts(ThLanguageReader *r, ThLanguageAnswer *answer, ThError *err);

/* Which of the symbols may follow, (n_symbols), and whether the word may end: next[n_symbols].  Of
 * kinds that do not know prefixes a symbol may follow if some word is at most `ahead` symbols
 * longer than it: |symbols|^ahead words are asked for.  TH_ELIMIT where that is not known. */
bool th_language_next(ThLanguageReader *r, int ahead, bool *next, ThError *err);

/* How far ahead no more than a thousand words are asked for; 0 where prefixes are known. */
int th_language_ahead(const ThLanguage *l);

/* ---- states ---------------------------------------------------------------------------------- */

/* What is kept of a prefix: of counters the state, and which of them are zero; of a deterministic
 * pushdown automaton the state, and what is on top of the stack; of a machine the state in which
 * its head first stands behind the prefix, or in which it stops before.
 *
 * Sets *name to new names (*n), each owned, the last one being the sink.  TH_EVALUE where a kind
 * has no states, or where there may be several. */
bool th_language_states(const ThLanguage *l, char ***name, int *n, ThError *err);

/* state[i] (word.n): the number of the state after i + 1 symbols; -1: it has not come to one within
 * its steps.  Only of a language that has states.  TH_EINTERRUPTED, TH_ENOMEM. */
bool th_language_track(const ThLanguage *l, ThLanguageWord word, int *state, ThStop *stop,
                       ThError *err);

/* ---- words of a length ----------------------------------------------------------------------- */

typedef struct ThLanguageWords ThLanguageWords;

/* Returns new: the words of a length, counted; l is borrowed.  Automata, grammars and counters
 * count by dynamic programming; of other kinds all words are tried, where there are up to
 * TH_LANGUAGE_MOST_TRIED, and beyond that strings are drawn and asked for.  TH_ELIMIT where the
 * tables would be too large. */
enum { TH_LANGUAGE_MOST_TRIED = 2000000 };
ThLanguageWords *th_language_words(const ThLanguage *l, int length, ThStop *stop, ThError *err);
void th_language_words_free(ThLanguageWords *w); /* NULL is fine */
TH_RELEASES(th_language_words_free, ThLanguageWords)

/* Natural logarithm of their number (of an ambiguous grammar: of trees); -HUGE_VAL: there are none;
 * NaN: it is not known, as of distributions. */
double th_language_words_log(const ThLanguageWords *w);

/* Draws one of them: all with the same probability, by counting, or by rejection; those of a
 * distribution (probability.h), and of languages with names (library.h), by theirs.  TH_EVALUE
 * where there is none, or a thousand strings in a row were none; TH_ELIMIT where a thousand trees
 * of a grammar were rejected, there are too many words to list, and a thousand strings were none.
 */
bool th_language_draw(ThLanguageWords *w, ThRng *r, int *word, ThError *err);

/* Calls seen(context, length, digits, open) with the exact number of words of every length lo … hi,
 * whose digits live until it returns, and how many words got no answer.  *total, where it is not
 * NULL: new, the digits of the sum; NULL where seen returned false.  TH_ELIMIT where more than
 * TH_LANGUAGE_MOST_TRIED words would have to be tried. */
typedef bool ThLanguageCounted(void *context, int length, const char *digits, long long open);
bool th_language_count(const ThLanguage *l, int lo, int hi, ThLanguageCounted *seen, void *context,
                       char **total, ThStop *stop, ThError *err);

/* Calls seen(context, word, answer) for the words of a length in the order of the symbols that are
 * members or not answered; ends early where it returns false.  Prefixes that lead nowhere are left
 * out.  *tried, where it is not NULL, grows by the words and prefixes looked at; TH_ELIMIT beyond
 * `most` of them (0: no limit). */
typedef bool ThLanguageSeen(void *context, ThLanguageWord word, ThLanguageAnswer answer);
bool th_language_each(const ThLanguage *l, int length, long long most, ThLanguageSeen *seen,
                      void *context, long long *tried, ThStop *stop, ThError *err);

/* Calls seen(context, word, stage) for members in the order in which they are found: of a machine
 * by dovetailing, where stage n runs the first n words, in order of length and symbols, for n steps
 * each, n up to its steps; of an enumerator as they are printed, after so many steps.  Ends early
 * where it returns false.  TH_EVALUE for other kinds. */
typedef bool ThLanguageFound(void *context, ThLanguageWord word, uint64_t stage);
bool th_language_enumerate(const ThLanguage *l, ThLanguageFound *seen, void *context, ThStop *stop,
                           ThError *err);

/* ---- words outside --------------------------------------------------------------------------- */

/* Draws a string of a length that is no member, all with the same probability; *found: there was
 * one within a thousand tries. */
bool th_language_draw_outside(const ThLanguage *l, ThRng *r, int length, int *word, bool *found,
                              ThStop *stop, ThError *err);

/* A near miss, as Butoi et al. 2025 (FLaRe) draw them: `word`, of *n symbols, room for hi, which is
 * a member, is changed by K edits, K geometric with P(K) = 2^-K: an insertion below hi symbols, a
 * deletion above lo, a replacement; where lo = hi, moving a symbol elsewhere stands for the two
 * others.  Proposals that are members are dropped, up to a hundred times.  *edits: K; 0: none was
 * found. */
typedef struct {
    int lo, hi;
} ThLanguageLengths;
bool th_language_near_miss(const ThLanguage *l, ThRng *r, ThLanguageLengths lengths, int *word,
                           int *n, int *edits, ThStop *stop, ThError *err);

/* ---- two ------------------------------------------------------------------------------------- */

typedef struct {
    bool differ;
    int *word; /* new: the first word that differs, in order of length and symbols; else NULL */
    int n;
    ThLanguageAnswer answer[2];
    long long words;   /* of these lengths, looked at or known to be in neither; -1: too many */
    long long unknown; /* words that some side gave no answer to: they count as no difference */
} ThLanguageDifference;

/* Compares two languages over the same symbols, in any order, on all words of lo … hi symbols.
 * Errors: TH_EVALUE where the alphabets differ, TH_ELIMIT beyond 10^8 prefixes. */
bool th_language_compare(const ThLanguage *a, const ThLanguage *b, ThLanguageLengths lengths,
                         ThLanguageDifference *d, ThStop *stop, ThError *err);
