#include "help/sections.h"

#include <assert.h>
#include <stdio.h>

#include "base/embed.h"

TH_EMBED(sh_guides_text, "src/help/guides.txt");
TH_EMBED(sh_tutorial_text, "src/help/tutorial.txt");

const char *const sh_guides = sh_guides_text, *const sh_tutorial = sh_tutorial_text;

const char *sh_take_line(const char *at, char *to, size_t size)
{
    at += strspn(at, " \n");
    size_t n = strcspn(at, "\n");
    assert(n < size && "a line of these texts is too long for its place");
    snprintf(to, size, "%.*s", (int)n, at);
    return at[n] ? at + n + 1 : at + n;
}

bool sh_section_name(const char *texts, size_t i, char name[SH_SECTION_NAME])
{
    const char *at = texts;
    for (; i > 0 && at; i--)
        at = (at = strstr(at, "\n\n== ")) ? at + 2 : NULL;
    if (at)
        snprintf(name, SH_SECTION_NAME, "%.*s", (int)strcspn(at + 3, "\n"), at + 3);
    return at != NULL;
}

bool sh_section_text(const char *texts, const char *name, ThText *t)
{
    char heading[SH_SECTION_NAME + 8];
    snprintf(heading, sizeof heading, "== %s\n\n", name);
    const char *at = strstr(texts, heading);
    if (!at)
        return false;
    at += strlen(heading);
    const char *end = strstr(at, "\n\n== ");
    for (end = end ? end : at + strlen(at) - 1; at < end; at++) {
        bool joins = at[0] == '\n' && at[-1] != '\n' && !strchr(" \n", at[1]);
        th_text_add_bytes(t, joins ? " " : at, 1);
    }
    return true;
}
