/* monoid.h - what the commands about the algebra of a language share: monoid, decompose and their
 * plots. */
#pragma once

#include "command.h"

/* The complete minimal machine of an automaton operand. */
typedef struct {
    ThAutomaton *minimal;
    ThDfa *d;
    char **state; /* names: those of the states of the automaton where it is deterministic */
} ShMachine;

bool sh_machine_of(ShMachine *m, ShSession *s, const ShOperand *o, ThError *err);
void sh_machine_free(ShMachine *m);
TH_RELEASES_VALUE(sh_machine_free, ShMachine)

/* A machine with its monoid, Green's relations and what follows from them. */
typedef struct {
    ShMachine machine;
    ThMonoid *m;
    ThGreen *g;
    ThVarieties v;
} ShAlgebra;

bool sh_algebra_of(ShAlgebra *a, ShSession *s, const ShOperand *o, ThError *err);
void sh_algebra_free(ShAlgebra *a);
TH_RELEASES_VALUE(sh_algebra_free, ShAlgebra)

/* Adds the groups by name, each once, in the order of their D-classes. */
void sh_write_groups(ThText *t, const ThGreen *g, const ThVarieties *v);

/* The element of a shortest word that takes all states to one, or -1. */
int sh_reset_element(const ThMonoid *m);

/* Sets the figures of monoid. */
void sh_set_algebra(ShSession *s, const ShAlgebra *a);

/* Returns new: the shortest word of an element, ε for the identity, or where it is too long
 * #number; the same for every element; for every D-class its size and group. */
char *sh_element_name(const ShAlgebra *a, int x, ThError *err);
char **sh_element_names(const ShAlgebra *a, ThError *err);
char **sh_class_labels(const ShAlgebra *a, ThError *err);

/* The egg-boxes; names are borrowed. */
ThEggbox sh_eggbox_of(const ShAlgebra *a, char *const *name);

/* Returns new: {NAME …} for an image set, shortened to about this many characters. */
char *sh_set_text(const ThHolonomy *h, char *const *state, int set, size_t most, ThError *err);

/* Says a label and a text, which is consumed, in lines of at most 79 columns. */
void sh_say_wrapped(ShSession *s, const char *label, ThText *t);
