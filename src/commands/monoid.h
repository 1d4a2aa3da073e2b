/* monoid.h - what the commands about the algebra of a language share: monoid, decompose and their
 * plots. */
#ifndef TH_COMMANDS_MONOID_H
#define TH_COMMANDS_MONOID_H

#include "automata/eggbox.h"
#include "automata/green.h"
#include "automata/holonomy.h"
#include "automata/varieties.h"
#include "command.h"

/* The complete minimal machine of an automaton operand. */
typedef struct {
    ThAutomaton *minimal;
    ThDfa *d;
    char **state; /* names: those of the states of the automaton where it is deterministic */
} ThMachine;

bool th_machine_of(ThMachine *m, ThSession *s, const ThOperand *o, ThError *err);
void th_machine_free(ThMachine *m);

/* A machine with its monoid, Green's relations and what follows from them. */
typedef struct {
    ThMachine machine;
    ThMonoid *m;
    ThGreen *g;
    ThVarieties v;
} ThAlgebra;

bool th_algebra_of(ThAlgebra *a, ThSession *s, const ThOperand *o, ThError *err);
void th_algebra_free(ThAlgebra *a);

/* The element of a shortest word that takes all states to one, or -1. */
int th_reset_element(const ThMonoid *m);

/* Sets the figures of monoid. */
void th_set_algebra(ThSession *s, const ThAlgebra *a);

/* Returns new: the shortest word of an element, ε for the identity, or where it is too long
 * #number; the same for every element; for every D-class its size and group. */
char *th_element_name(const ThAlgebra *a, int x, ThError *err);
char **th_element_names(const ThAlgebra *a, ThError *err);
char **th_class_labels(const ThAlgebra *a, ThError *err);
void th_names_free(char **names, int n); /* NULL is fine */

/* The egg-boxes; names are borrowed. */
ThEggbox th_eggbox_of(const ThAlgebra *a, char *const *name);

/* Returns new: {NAME …} for an image set, shortened to about this many characters. */
char *th_set_text(const ThHolonomy *h, char *const *state, int set, size_t most, ThError *err);

/* Says a label and a text, which is consumed, in lines of at most 79 columns. */
void th_say_wrapped(ThSession *s, const char *label, ThText *t);

#endif
