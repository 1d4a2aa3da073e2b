/* redirect.h - where the output of one command goes: `> "file"`, `>> "file"`, `| shell command`. */
#pragma once

#include "terminal/pager.h"
#include "session_impl.h"

/* Where a redirected command's output goes, and what was there before. */
typedef struct {
    ThFile file;
    ShPipe pipe;
    FILE *before, *buffer;
    char *text;
    size_t size;
    ShOutputFormat format;
    char *header;  /* the columns of before */
    char *columns; /* those that the file has that is appended to; NULL: none */
} ShRedirect;

/* Sends what the session puts out where the call wants it; nothing is to be done for most calls.
 * TH_EUSAGE for a file that text has no place in, TH_EIO, TH_ENOMEM: nothing is changed. */
bool sh_redirect_begin(ShSession *s, const ShCall *call, ShRedirect *r, ThError *err);

/* Whether the output goes to a file of arrays, which the handler writes: see C_ARRAYS. */
bool sh_redirect_is_array(const ShCall *call);

/* Ends it: a file is there as a whole if the command went well (`ok`), and not at all if not.
 * Returns whether all went well. */
bool sh_redirect_end(ShSession *s, const ShCall *call, ShRedirect *r, bool ok, ThError *err);
