#include "tasks/scratchpad_places.h"

#include "base/symbols.h"
#include "scratchpad/hints.h"

/* What a scratchpad begins with: a mark, or, where tokens are characters, $, which may be any
 * symbol elsewhere. */
static const char *beginning(const ThSignature *s)
{
    bool words = th_symbols_find(s->symbol, s->n_symbols, TH_PAD_BOS) >= 0;
    return words ? TH_PAD_BOS : "$";
}

/* Of one scratchpad, without its beginning. */
static void set_text(int layout, const ThPadKind *kind, const ThPadPiece *piece, int n, int *place,
                     int *line)
{
    if (n > 0)
        kind->places(layout, piece, (size_t)n, place);
    for (int i = 0, lines = 0; i < n; i++) {
        line[i] = lines;
        lines +=
            strcmp(piece[i].s, TH_PAD_SEP) == 0 || (kind->bars && strcmp(piece[i].s, "|") == 0);
    }
}

/* A text is one scratchpad or more, each with its beginning. */
static bool set(const ThSignature *s, const int *token, int n, int *place, int *line, ThError *err)
{
    const ThPadKind *kind = th_pad_kind(s->places.kind);
    const char *first = beginning(s);
    ThPadPiece *piece TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *piece, err);
    if (!piece)
        return false;
    for (int i = 0; i < n; i++)
        piece[i] = (ThPadPiece){s->symbol[token[i]], strlen(s->symbol[token[i]])};
    for (int i = 0, end; i < n; i = end) {
        bool begins = strcmp(piece[i].s, first) == 0;
        if (begins)
            place[i] = line[i] = 0;
        int from = i + begins;
        end = from;
        while (end < n && strcmp(piece[end].s, first) != 0)
            end++;
        set_text(s->places.layout, kind, piece + from, end - from, place + from, line + from);
    }
    return true;
}

ThSignaturePlaces th_task_places(const ThPad *p)
{
    const ThPadKind *kind = p->kind;
    if (th_pad_hints(p) > 0 || !kind->places || (kind->places_fit && !kind->places_fit(p, NULL)))
        return (ThSignaturePlaces){0};
    return (ThSignaturePlaces){kind->name, th_option_choice(&p->options, kind->layout), set};
}

/* The option of a kind that names its layouts. */
static const ThOptionSpec *layouts(const ThPadKind *kind)
{
    const ThOptionSpec *s = kind->options;
    while (strcmp(s->name, kind->layout) != 0)
        s++;
    return s;
}

void th_task_places_write(const ThSignaturePlaces *p, ThText *to)
{
    const char *name = layouts(th_pad_kind(p->kind))->choices;
    for (int i = 0; i < p->layout; i++)
        name = strchr(name, '|') + 1;
    th_text_printf(to, "%s %.*s", p->kind, (int)strcspn(name, "|"), name);
}

bool th_task_places_read(ThSignaturePlaces *p, const char *text)
{
    size_t n = strcspn(text, " ");
    char name[32];
    if (n >= sizeof name || !text[n])
        return false;
    memcpy(name, text, n);
    name[n] = '\0';
    const ThPadKind *kind = th_pad_kind(name);
    const char *layout = text + n + 1;
    if (!kind || !kind->places)
        return false;
    *p = (ThSignaturePlaces){kind->name,
                             th_choice_index(layouts(kind)->choices, layout, strlen(layout)), set};
    return p->layout >= 0;
}
