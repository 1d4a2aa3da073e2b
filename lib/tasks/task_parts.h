/* task_parts.h - what several kinds of task are built from.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "tasks/task.h"

#define KIND(name) extern const ThTaskKind th_task_kind_##name;
#include "tasks/kinds.def"
#undef KIND

/* A list of names: the numbers 0 … n_numbers-1 (none for 0), then words separated by blanks. */
typedef struct {
    int n_numbers;
    const char *words;
} ThTaskNames;

/* Fills symbols or classes of a signature, which may be freed whether this succeeds or not. */
bool th_task_names(char ***list, int *n, ThTaskNames names, ThError *err);
bool th_task_signature(ThTask *t, ThTarget target, ThTaskNames symbols, ThTaskNames classes,
                       ThError *err);

/* What the symbol of a byte is called: itself where it is printed or ends a line, else its number,
 * as <C3>. */
enum { TH_TASK_BYTE_NAME = 8 };
void th_task_byte_name(unsigned char byte, char to[TH_TASK_BYTE_NAME]);

/* TH_TARGET_EVERY or TH_TARGET_FINAL by the option labels=every|final|last; sets t->last_only. */
ThTarget th_task_labels(ThTask *t);

/* Does the option variant=deletang|fan, where a kind has it, ask for the task of Fan et al.? */
bool th_task_is_fans(const ThTask *t);

/* TH_EUSAGE if an option of such a kind is given that only the other variant reads. */
bool th_task_only_fans(const ThTask *t, const char *const *option, ThError *err);

/* Returns new: the machine of the integers modulo m, starting at 0; symbol a adds move[a], its
 * class is its state. */
ThDfa *th_task_cyclic_machine(int m, int n_symbols, const int *move, ThError *err);

/* Draws every symbol independently and uniformly: a draw function for ThTaskKind. */
bool th_task_draw_uniform(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err);
void th_task_draw_uniform_word(int n_symbols, ThRng *r, int *word, int length);

/* Draws half members (class 1) and half others; of an odd batch a fair coin decides one.  Members
 * come from `member`, others are uniform strings, drawn again while they are members.  Where
 * `members` or `others` is false all strings are of the other sort (what `member` then draws is not
 * checked). */
typedef void ThTaskDrawWord(const ThTask *t, ThRng *r, int *word, int length);
void th_task_draw_balanced(const ThTask *t, ThRng *r, ThBatch *b, ThTaskDrawWord *member,
                           bool members, bool others);

/* How many strings of a batch of n should be members: half, a coin deciding for odd n. */
int th_task_half(ThRng *r, int n);

/* Chance level where the symbol at a position is drawn with a probability that depends on the state
 * and the position only: the share of the most frequent class among all answers.  Exact, by the
 * distribution over the machine's states.  NaN if memory runs out. */
typedef double ThTaskSymbolWeight(const void *context, int position, int state, int symbol);
double th_task_chance_by_weight(const ThTask *t, int length, ThTaskSymbolWeight *weight,
                                const void *context);

/* The same for uniform symbols: a chance function for ThTaskKind. */
double th_task_chance_uniform(const ThTask *t, int length);

/* Returns new: the minimal machine that accepts what the automaton accepts, class 1 meaning
 * accepted. TH_ELIMIT beyond 65536 states. */
ThDfa *th_task_own_acceptor(const ThAutomaton *a, ThError *err);

/* Copies names into a signature's symbols or classes, which may be freed whether this succeeds. */
bool th_task_own_names(char ***list, int *n_list, char *const *from, int n, ThError *err);

/* The same with one name more behind them; NULL: none. */
bool th_task_names_and(char ***list, int *n_list, char *const *from, int n, const char *last,
                       ThError *err);
