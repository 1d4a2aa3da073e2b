/* apropos.c - what mentions a text. */
#include <ctype.h>
#include <strings.h>

#include "help/glossary.h"
#include "help/help.h"
#include "session_impl.h"
#include "help/synonyms.h"

/* Does a word, or some words, begin with the text? */
static bool mentions(const char *where, const char *text)
{
    size_t n = strlen(text);
    for (const char *c = where; c && *c; c++)
        if (strncasecmp(c, text, n) == 0 && (c == where || !isalnum((unsigned char)c[-1])))
            return true;
    return false;
}

static bool options_mention(const ThOptionSpec *specs, const char *text)
{
    for (; specs && specs->name; specs++)
        if (mentions(specs->name, text) || mentions(specs->help, text))
            return true;
    return false;
}

static bool command_mentions(const ShCommand *c, const char *text)
{
    char typed[SH_COMMAND_NAME];
    const ThOptionSpec *specs;
    bool found = mentions(sh_command_typed(c, typed), text) || mentions(c->summary, text) ||
                 mentions(c->detail, text) || mentions(c->common, text);
    for (size_t i = 0; !found && (specs = sh_command_options(c, NULL, i)); i++)
        found = options_mention(specs, text);
    return found;
}

/* Kinds that mention the text, or, of second words, all where their command does. */
static bool apropos_kinds(const ShSheet *to, const ShFamily *f, const ShCommand *c,
                          const char *text)
{
    bool all = c && command_mentions(c, text), found = false;
    for (size_t i = 0; i < f->count(); i++) {
        ShKindRow k = f->row(i);
        if (!all && !mentions(k.name, text) && !mentions(k.summary, text) &&
            !mentions(k.detail, text) && !mentions(k.source, text) &&
            !options_mention(k.options, text))
            continue;
        char *name TH_OWNED(free) = th_printed(NULL, "%s%s", c ? f->before : "", k.name);
        sh_wrap_row(to, name ? name : k.name, k.summary);
        found = true;
    }
    return found;
}

static bool apropos_commands(const ShSheet *to, const char *text)
{
    size_t n;
    bool found = false;
    const ShCommand *const *commands = sh_commands(&n);
    for (size_t i = 0; i < n; i++) {
        const ShFamily *f = sh_family_of_command(commands[i]);
        char typed[SH_COMMAND_NAME];
        if (f) {
            found = apropos_kinds(to, f, commands[i], text) || found;
        } else if (command_mentions(commands[i], text)) {
            sh_wrap_row(to, sh_command_typed(commands[i], typed), commands[i]->summary);
            found = true;
        }
    }
    return found;
}

bool sh_apropos(const ShSheet *to, const char *text)
{
    size_t n;
    bool found = apropos_commands(to, text);
    const ShFamily *f = sh_families(&n);
    for (size_t i = 0; i < n; i++)
        if (!f[i].second_word)
            found = apropos_kinds(to, &f[i], NULL, text) || found;
    ShSynonym other;
    for (const char *at = NULL; sh_synonym_next(&at, &other);) {
        if (mentions(other.word, text)) {
            sh_wrap_row(to, other.word, other.see);
            found = true;
        }
    }
    ShTerm term;
    for (const char *at = NULL; sh_term_next(&at, &term);) {
        ThText line TH_OWNED(th_text_free) = {0};
        sh_term_write(&term, &line);
        if (line.data && (mentions(term.term, text) || mentions(term.is, text))) {
            sh_wrap_row(to, term.term, line.data);
            found = true;
        }
    }
    ShRaspTopic t;
    for (const char *at = NULL; sh_rasp_topic_next(&at, &t);) {
        if (mentions(t.name, text) || mentions(t.summary, text)) {
            sh_wrap_row(to, t.call, t.summary);
            found = true;
        }
    }
    for (const ThOptionSpec *s = sh_settings; s->name; s++) {
        if (mentions(s->name, text) || mentions(s->help, text)) {
            sh_wrap_row(to, s->name, s->help);
            found = true;
        }
    }
    return found;
}
