/* sections.h - texts that lie in files: guides.txt, tutorial.txt.  A section is a line "== NAME",
 * an empty line, and paragraphs with empty lines between; lines of a paragraph are joined, but
 * those that begin with a blank stand for themselves.
 */
#pragma once

#include "base/text.h"

enum { SH_SECTION_NAME = 64 };

/* Of help's topics and of tapehead(1), "main: ..."; and the tutorial's pages, of which each stands
 * by itself: it defines what it needs. */
extern const char *const sh_guides, *const sh_tutorial;

/* Copies a line without the blanks and empty lines in front of it; returns where the next one
 * begins. */
const char *sh_take_line(const char *at, char *to, size_t size);

/* Fills in the name of section i; false: there are no more. */
bool sh_section_name(const char *texts, size_t i, char name[SH_SECTION_NAME]);

/* Appends the text of a section; false: there is none of that name. */
bool sh_section_text(const char *texts, const char *name, ThText *t);
