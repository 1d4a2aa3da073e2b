/* notes.h - what readers and writers changed, assumed or left out on the way.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "base/text.h"

/* Adds a line to the notes: a printf format and what it prints, cut after 255 bytes. */
void th_format_note(ThText *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
