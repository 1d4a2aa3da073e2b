#include "formats/notes.h"

#include <stdarg.h>
#include <stdio.h>

void th_format_note(ThText *notes, const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    th_text_add(notes, line);
    th_text_add(notes, "\n");
}
