/* document.h - what help and the manual say, piece by piece, for a screen or for pages.
 *
 * The same walk over the tables writes all of them: to a screen the pieces follow each other, in a
 * page of the manual they are its sections.  Pieces of text hold paragraphs, which empty lines
 * separate; a line that begins with a blank stands by itself.
 */
#pragma once

#include "base/text.h"
#include "help/wrapped_text.h"

typedef enum { SH_SCREEN, SH_MDOC, SH_MARKDOWN } ShDocumentForm;

typedef struct {
    ShSheet sheet;
    ShDocumentForm form;
    bool entry; /* in one of the things that a page is about: its parts are no sections */
    bool list;  /* items are being written */
    bool synopsis, description; /* the section has begun */
    bool text;                  /* a paragraph has just ended */
} ShDocument;

/* A page, of a section of the manual: its head, of which a screen has none.  The folders that
 * lead from the page to those of references are in ShDocumentPage. */
typedef struct {
    const char *name; /* "tapehead-train" */
    int section;      /* 1, or 7 for topics */
    const char *summary;
} ShDocumentPage;
void sh_document_begin(ShDocument *d, const ShDocumentPage *p);
void sh_document_end(ShDocument *d);

/* The name of a page's file, below the folder of all: tapehead-train.1, commands/train.md. */
void sh_document_file(ThText *t, ShDocumentForm form, const ShDocumentPage *p);

/* Begins one of the things that a page is about. */
void sh_document_entry(ShDocument *d, const char *name);

void sh_document_call(ShDocument *d, const char *call);       /* how it is typed */
void sh_document_summary(ShDocument *d, const char *summary); /* has no full stop */
void sh_document_detail(ShDocument *d, const char *text);     /* NULL: nothing */
void sh_document_text(ShDocument *d, const char *text);       /* at the margin */
void sh_document_lead(ShDocument *d, const char *text);       /* in front of items */
void sh_document_heading(ShDocument *d, const char *word);    /* what follows: "Options" */
void sh_document_said(ShDocument *d, const char *word, const char *text); /* NULL: nothing */
void sh_document_example(ShDocument *d, const char *text);
void sh_document_gap(ShDocument *d); /* an empty line of a screen */

/* An item: an option with its values; a name and what it is; the same of what has a page. */
void sh_document_option(ShDocument *d, const char *name, const char *values, const char *help);
void sh_document_row(ShDocument *d, const char *name, const char *summary);
void sh_document_term(ShDocument *d, const char *name, const char *summary); /* a long name */
void sh_document_link(ShDocument *d, const ShDocumentPage *p, const char *name);

/* The pages that a page names at its end; a screen has none. */
void sh_document_see(ShDocument *d, const ShDocumentPage *pages, size_t n);
