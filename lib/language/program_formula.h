/* program_formula.h - programs of RASP as formulas, and what keeps them out of B-RASP and C-RASP.
 *
 * B-RASP (Yang, Chiang and Angluin 2024) has truth values, and heads that take the value at the
 * rightmost or leftmost position that a mask and a score select: first-order logic with <.  C-RASP
 * (Yang and Chiang 2024) has counts of positions up to here and linear inequalities of them.  Of a
 * program every s-op becomes the cases of its value, each with the formula of where it has it.
 *
 *     ThLanguageProgram p;
 *     if (th_language_program(&p, graph, sop, NULL, 0, &err)) …
 *     th_language_program_free(&p);
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "rasp/graph/rasp_graph.h"

typedef struct {
    /* What is true at the first position of the words that the program is true of at the last, as
     * th_automaton_ltl reads it, but for sums of counts; NULL where values are no truth values. */
    char *formula;
    char **letter; /* (letters): what tokens are */
    int letters;
    /* The first node that needs what it says; TH_RASP_NO_SOP. */
    ThRaspSop counts;  /* a number that grows */
    ThRaspSop picks;   /* the last or first of several positions, where some is not enough */
    ThRaspSop ahead;   /* later positions */
    ThRaspSop near;    /* a position by how far it is from here */
    ThRaspSop refused; /* that is in neither */
} ThLanguageProgram;

/* Fills *p, which is to be freed in any case.  `sop` may be a selector.  `letter` NULL:
 * the letters are the strings that the program mentions, and a and b until there are two.  Errors:
 * TH_EVALUE, with what it is, for what neither has, as positions more than 4 away; TH_ELIMIT beyond
 * 4,096 cases of a value; TH_ENOMEM.  Quadratic in the cases of the arguments of a node. */
bool th_language_program(ThLanguageProgram *p, ThRaspGraph *g, ThRaspSop sop, char *const *letter,
                         int n, ThError *err);
void th_language_program_free(ThLanguageProgram *p);
TH_RELEASES_VALUE(th_language_program_free, ThLanguageProgram)
