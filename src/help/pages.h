/* pages.h - the manual as pages: tapehead(1), one of section 1 a command, one of section 7 a topic.
 */
#pragma once

#include "help/document.h"

/* Writes all pages; each begins with a line that is a form feed, a blank and the name of its file.
 */
void sh_emit_pages(FILE *out, ShDocumentForm form);
