/* error.h - how every fallible function of the library reports what went wrong.
 *
 * A fallible function returns false (or NULL) and fills the ThError that its caller owns:
 *
 *     ThError err = {0};
 *     if (!th_range_parse(&range, text, &err))
 *         fprintf(stderr, "%d:%d: %s\n", err.line, err.col, err.msg);
 *
 * The first error wins: th_fail() on an error that is already set changes nothing, so cleanup code
 * may fail without hiding the cause.  err may be NULL where a caller only wants the return value.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
static_assert(sizeof(size_t) == 8, "tapehead needs a system of 64 bits");
#else
_Static_assert(sizeof(size_t) == 8, "tapehead needs a system of 64 bits");
#endif

typedef enum {
    TH_OK,
    TH_EUSAGE,       /* a command, operand or option that does not fit */
    TH_EPARSE,       /* text that does not follow its syntax */
    TH_EINCOMPLETE,  /* text that would be right if more followed: the prompt continues */
    TH_EVALUE,       /* a value outside its domain, an object of the wrong kind or shape */
    TH_EIO,          /* a file, a pipe or a child process failed */
    TH_ENOMEM,       /* memory ran out */
    TH_ELIMIT,       /* a limit set by the user was reached */
    TH_ENUMERIC,     /* a result is not a finite number */
    TH_EINTERRUPTED, /* the user asked to stop */
    TH_EASSERT       /* an assertion of a script does not hold */
} ThErrc;

typedef struct {
    ThErrc code;
    int line, col;  /* position in the text being read, both from 1, col in characters; 0: none */
    char msg[512];  /* one line without a full stop */
    char hint[256]; /* what to do about it, or empty */
} ThError;

/* Sets the error unless one is set already.  Returns false, always, so that `return th_fail(…)`
 * reads well. */
bool th_fail(ThError *err, ThErrc code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with a position; line and col count from 1. */
bool th_fail_at(ThError *err, ThErrc code, int line, int col, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Sets it to what another one says, with its hint; returns false, always. */
bool th_fail_as(ThError *err, const ThError *cause);

/* Adds the hint of an error that has just been set and has none.  Returns false, always. */
bool th_hint(ThError *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* NULL, for functions that return a pointer: return th_null(th_fail(err, …)). */
static inline void *th_null(bool failed)
{
    (void)failed;
    return NULL;
}
