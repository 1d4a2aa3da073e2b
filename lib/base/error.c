#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

static void __attribute__((format(printf, 3, 0)))
set_message(ThError *err, ThErrc code, const char *format, va_list args)
{
    err->code = code;
    vsnprintf(err->msg, sizeof err->msg, format, args);
}

bool th_fail(ThError *err, ThErrc code, const char *format, ...)
{
    if (!err || err->code != TH_OK)
        return false;
    va_list args;
    va_start(args, format);
    set_message(err, code, format, args);
    va_end(args);
    return false;
}

bool th_fail_at(ThError *err, ThErrc code, int line, int col, const char *format, ...)
{
    if (!err || err->code != TH_OK)
        return false;
    va_list args;
    va_start(args, format);
    set_message(err, code, format, args);
    va_end(args);
    err->line = line;
    err->col = col;
    return false;
}

bool th_hint(ThError *err, const char *format, ...)
{
    if (!err || err->code == TH_OK || err->hint[0])
        return false;
    va_list args;
    va_start(args, format);
    vsnprintf(err->hint, sizeof err->hint, format, args);
    va_end(args);
    return false;
}

bool th_fail_as(ThError *err, const ThError *cause)
{
    return th_fail(err, cause->code, "%s", cause->msg) ||
           (cause->hint[0] && th_hint(err, "%s", cause->hint));
}
