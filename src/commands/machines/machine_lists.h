/* machine_lists.h - a command on each machine of a list: a bbchallenge string a line.
 *
 * What comes out is a table, or rows of a .csv file, each written before the next machine's turn:
 * with >> a command goes on where the file ends.
 */
#ifndef SH_COMMANDS_MACHINES_MACHINE_LISTS_H
#define SH_COMMANDS_MACHINES_MACHINE_LISTS_H

#include "command.h"

/* A machine of a list. */
typedef struct {
    const char *text; /* as it stands there; without commas, quotes and line ends */
    const ThTm *machine;
    FILE *csv; /* where its row is written; NULL: sh_row adds it */
} ShListed;

typedef bool ShOnMachine(ShSession *s, const ShCall *call, const ShListed *l, ThError *err);

/* Calls `one` for each machine of the file that the call's first operand names; columns as for
 * sh_table, the first being the machine. */
bool sh_each_machine(ShSession *s, const ShCall *call, const char *columns, ShOnMachine *one,
                     ThError *err);

#endif
