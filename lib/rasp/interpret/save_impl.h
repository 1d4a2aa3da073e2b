/* save_impl.h - what the two files that save values share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "rasp/interpret/interp.h"

/* A name of a scope that is gone, in a function that makes it again. */
typedef struct {
    uint32_t name;
    ThRaspValue value;
} ThRaspLocal;

enum { TH_RASP_NAME_TAKEN = 1, TH_RASP_NAME_WANTED = 2 };

typedef struct {
    ThRasp *r;
    ThText *t;
    ThError *err;
    int indent;
    int closures;  /* functions that make scopes again, which are being written */
    uint8_t *flag; /* by name: TH_RASP_NAME_… */
    size_t n_flags;
    uint32_t *wanted; /* names of the session that are to be defined */
    size_t n_wanted, cap_wanted;
    uint8_t *seen_node, *seen_function; /* while what is wanted is being found */
    const char **top;                   /* by node: the name of the session that has been written */
    ThRaspLocal *local;                 /* of the closures that are being written */
    size_t n_local, cap_local;
} ThRaspSaver;

/* save.c: may nothing else get a name?  The name of the session that a function has; NULL: none. */
bool th_rasp_saver_taken(const ThRaspSaver *s, const char *name);
const char *th_rasp_saver_global(const ThRaspSaver *s, const ThRaspFunction *f);

/* Adds to s->local what a function looks up in a scope that is gone, and what the functions beside
 * it in that scope do.  Errors: TH_EUSAGE where two values would need one name; TH_ELIMIT. */
bool th_rasp_saver_gather(ThRaspSaver *s, const ThRaspFunction *f);

/* save_write.c: appends the statements that define a name; an expression. */
bool th_rasp_saver_define(ThRaspSaver *s, const char *name, const ThRaspValue *v);
bool th_rasp_saver_plain(ThRaspSaver *s, const ThRaspValue *v);

/* free_names.c: returns new in *name the *n names that a function of RASP looks up outside of
 * itself. */
bool th_rasp_free_names(const ThRaspFunction *f, uint32_t **name, size_t *n, ThError *err);
