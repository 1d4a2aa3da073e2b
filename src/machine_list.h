/* machine_list.h - lists of machines as texts: a bbchallenge string a line. */
#pragma once

#include "session.h"

typedef struct {
    char *text;        /* the lines, cut into machines */
    const char **item; /* (n), views of them */
    size_t n, cap;
} ShMachineList;

/* Reads every line of a text of `size` bytes, which it takes over; a # begins a comment, and what
 * follows a comma is left alone.  Every machine is looked at.  `label` stands before the places of
 * errors.  TH_EPARSE, TH_EVALUE where there is none; the list is empty then. */
bool sh_machine_list_read(ShMachineList *l, char *text, size_t size, const char *label,
                          ThError *err);
void sh_machine_list_free(ShMachineList *l);
TH_RELEASES_VALUE(sh_machine_list_free, ShMachineList)

/* Are there machines on more lines than one of a text? */
bool sh_is_machine_list(const char *text);

/* Defines a variable, the list of the machines of a text, which is taken over; label as above. */
bool sh_define_machine_list(ShSession *s, const char *name, char *text, size_t size,
                            const char *label, ThError *err);
