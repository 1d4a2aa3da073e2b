/* glossary.c - the words of the field that stand in this program's texts, and those under which its
 * commands are looked for, as they lie in glossary.txt: a line for the word, one for what it means,
 * one for what to type. */
#include "help/glossary.h"

#include <strings.h>

#include "base/embed.h"
#include "help/sections.h"

TH_EMBED(sh_glossary_text, "src/help/glossary.txt");

bool sh_term_next(const char **at, ShTerm *t)
{
    if (!*at)
        *at = sh_glossary_text;
    if (!**at)
        return false;
    *at = sh_take_line(*at, t->term, sizeof t->term);
    *at = sh_take_line(*at, t->is, sizeof t->is);
    *at = sh_take_line(*at, t->here, sizeof t->here);
    return true;
}

bool sh_term(const char *word, ShTerm *t)
{
    for (const char *at = NULL; sh_term_next(&at, t);)
        if (strcasecmp(t->term, word) == 0)
            return true;
    return false;
}

void sh_term_write(const ShTerm *t, ThText *to)
{
    th_text_printf(to, "%s: %s", t->is, t->here);
}
