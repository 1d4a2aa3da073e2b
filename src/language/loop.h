/* loop.h - NAME in LIST, ...: what loops and sweeps go through. */
#pragma once

#include "language/variables.h"

enum { SH_MOST_CLAUSES = 8, SH_MOST_NAMES = 16 }; /* of a loop, and of a clause */

/* The variables of a loop, from the outermost in. */
typedef struct {
    size_t n;
    char name[SH_MOST_CLAUSES * SH_MOST_NAMES][SH_NAME];
} ShLoopNames;

typedef struct {
    const ShOperand *header; /* its text is NAME, ... in LIST, ...; borrowed */
    bool (*turn)(void *context, const ShLoopNames *names, ThError *err);
    void *context;
} ShLoop;

/* Goes through the lists, each read anew in every turn of those before it; calls `turn` with the
 * variables set.  False where a turn fails; errors of the header have their place in it. */
bool sh_loop(ShSession *s, const ShLoop *loop, ThError *err);

/* For commands that have a body.  The { of the first body at or behind a token; the statement's end
 * if there is none. */
size_t sh_find_body(const ShStatement *st, size_t at);

/* The token behind the } of a statement's last body, an else's too; `at` if it has none. */
size_t sh_behind_bodies(const ShStatement *st, size_t at);

/* TH_EUSAGE at a token that stands behind the last body, or in front of the first, and has no
 * business there; true if there is none.  what: the command. */
bool sh_nothing_left(const ShStatement *st, size_t at, const char *what, ThError *err);

/* The first option between two tokens, outside of brackets; `to` if there is none. */
size_t sh_find_option(const ShStatement *st, size_t from, size_t to);

/* Returns new: the source from a token to another, at most to the { of a body, to which *o then
 * leads; NULL and an error, TH_EUSAGE where there is no body. */
char *sh_body_header(const ShStatement *st, size_t from, size_t to, ShOperand *o, ThError *err);
