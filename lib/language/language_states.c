/* What kinds of language keep of a prefix; what they have in common. */
#include "language/language_kind.h"

static bool no_states(const ThLanguage *l, ThError *err)
{
    th_fail(err, TH_EVALUE, "languages of the kind %s have no states to be tracked", l->kind->name);
    return th_hint(err, "automata, counters, machines and deterministic pushdown automata have");
}

bool th_language_add_state(char ***name, int *n, const char *state, const char *seen, ThError *err)
{
    char **grown = realloc(*name, ((size_t)*n + 1) * sizeof *grown);
    if (!grown)
        return th_fail(err, TH_ENOMEM, "out of memory (%d states)", *n + 1);
    *name = grown;
    return (grown[*n] = th_printed(err, "%s%s%s", state, *seen ? ":" : "", seen)) && ++*n;
}

static bool has_name(char *const *name, int n, const char *text)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name[i], text) == 0)
            return true;
    return false;
}

bool th_language_states(const ThLanguage *l, char ***name, int *n, ThError *err)
{
    ThText sink TH_OWNED(th_text_free) = {0};
    *name = NULL;
    *n = 0;
    bool ok = l->kind->states ? l->kind->states(l, name, n, err) : no_states(l, err);
    th_text_add(&sink, "sink");
    while (ok && !sink.failed && has_name(*name, *n, sink.data))
        th_text_add(&sink, "'");
    if (ok && th_language_add_state(name, n, sink.data ? sink.data : "", "", err))
        return true;
    TH_FREE_EACH(*name, *n);
    *name = NULL;
    return false;
}

bool th_language_track(const ThLanguage *l, ThLanguageWord word, int *state, ThStop *stop,
                       ThError *err)
{
    return l->kind->track ? l->kind->track(l, word, state, stop, err) : no_states(l, err);
}
