/* tm_program.h - a machine's next-token program as RASP source.
 *
 * The program of Hou et al. 2024, appendix D, written out for one machine: an s-op `next` that says
 * at every token of a run's text (nexttoken.h), given by its name, which token follows.  It is
 * causal and needs nothing but what every RASP program knows.  Keys are tuples of the
 * configuration's number and n+1 tokens, so that, unlike the listing's integers, they never
 * overflow (TH_TM_KEYS_TUPLE).
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "turing/nexttoken.h"

enum { TH_TM_PROGRAM_GRAM = 60, TH_TM_PROGRAM_RULES = 20000 };

/* Returns new: what the program calls the tokens, NULL behind the last: the marks "|" (a gap), "<",
 * ">" and ".", then the names of symbols and states, with apostrophes behind those that are taken
 * and for quotes.  NULL and TH_ENOMEM. */
char **th_tm_program_names(const ThTmTokens *tokens, ThError *err);
void th_tm_program_names_free(char **name); /* NULL is fine */

/* Appends the source; the s-op is called `name`, the machine `title` in the comments.
 * Errors: TH_EVALUE for several tapes or a choice of rules, TH_ELIMIT for n > TH_TM_PROGRAM_GRAM or
 * more than TH_TM_PROGRAM_RULES pairs of state and symbol. */
bool th_tm_program(ThText *t, const ThTmTokens *tokens, int n, const char *name, const char *title,
                   ThError *err);
