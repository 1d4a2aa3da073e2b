/* rasp_topics.c - what RASP always has, as it lies in rasp_topics.txt: a line that says how it is
 * written, and one that says what it is. */
#include "help/help.h"

#include "base/embed.h"
#include "help/sections.h"

TH_EMBED(sh_rasp_topics_text, "src/help/rasp_topics.txt");

bool sh_rasp_topic_next(const char **at, ShRaspTopic *t)
{
    if (!*at)
        *at = sh_rasp_topics_text;
    if (!**at)
        return false;
    *at = sh_take_line(*at, t->call, sizeof t->call);
    *at = sh_take_line(*at, t->summary, sizeof t->summary);
    snprintf(t->name, sizeof t->name, "%.*s", (int)strcspn(t->call, "("), t->call);
    return true;
}
