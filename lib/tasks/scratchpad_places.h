/* scratchpad_places.h - the places of scratchpads as a signature has them.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "learn/signature.h"
#include "scratchpad/scratchpad.h"

/* Those of the texts of p; none where their questions do not have them all, or where marks stand
 * between the symbols (hints=). */
ThSignaturePlaces th_task_places(const ThPad *p);

/* Appends them as a word for the kind and one for the layout, "addition reversed"; and reads that:
 * false, where there are none of that name. */
void th_task_places_write(const ThSignaturePlaces *p, ThText *to);
bool th_task_places_read(ThSignaturePlaces *p, const char *text);
