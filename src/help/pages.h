/* pages.h - the manual as pages: tapehead(1), one of section 1 a command, one of section 7 a topic.
 */
#ifndef SH_HELP_PAGES_H
#define SH_HELP_PAGES_H

#include "help/document.h"

typedef struct {
    const char *term, *text;
} ShPageItem;

typedef struct {
    const char *heading;
    const char *const *paragraph; /* ends with NULL; may be NULL */
    const ShPageItem *item;       /* ends with NULL; may be NULL */
} ShPageSection;

/* The sections of tapehead(1) in front of the commands and behind them; they end with NULL. */
extern const ShPageSection sh_main_before[], sh_main_behind[];

/* Writes all pages; each begins with a line that is a form feed, a blank and the name of its file.
 */
void sh_emit_pages(FILE *out, ShDocumentForm form);

/* The tutorial as text: number i of its pages (from 0), what is said and typed in *t; false: there
 * is none. */
bool sh_tutorial_page(size_t i, const char **title, ThText *t);

#endif
