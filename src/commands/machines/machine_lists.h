/* machine_lists.h - a command on each machine of a list: a bbchallenge string a line.
 *
 * What comes out is a table, or rows of a .csv file, each written before the next machine's turn:
 * with >> a command goes on where the file ends.
 */
#pragma once

#include "commands/modelling.h"

/* What a command finds out about a machine: a row.  proof and certificate are of analyze. */
typedef struct {
    const char *verdict, *proof;  /* constants; proof NULL: neither is there */
    unsigned long long number[3]; /* the first are the steps; with a proof two of them */
    ThText certificate;
} ShListRow;

typedef bool ShOnMachine(ShSession *s, const ShCall *call, const ThTm *m, ShListRow *row,
                         ThError *err);

/* In what order a list's rows come, and which. */
#define SH_LIST_OPTIONS                                                                            \
    SH_OPTION_ROW("sort", TH_CHOICE, "no", 0, 0, "no|steps|cells|verdict",                         \
                  "of a list: the rows with the most steps or cells first, or by verdict"),        \
        SH_OPTION_ROW("only", TH_STRING, NULL, 0, 0, NULL,                                         \
                      "of a list: only the rows with this verdict")

/* Calls `one` for each machine of the file that the call's first operand names, whose options have
 * SH_LIST_OPTIONS; columns as for sh_table, the first being the machine. */
bool sh_each_machine(ShSession *s, const ShCall *call, const char *columns, ShOnMachine *one,
                     ThError *err);
