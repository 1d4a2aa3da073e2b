#include "tasks/scratchpad_places.h"

static bool is(const char *symbol, const char *one, const char *other)
{
    return strcmp(symbol, one) == 0 || strcmp(symbol, other) == 0;
}

/* Of one scratchpad, without its beginning. */
static void set_text(const ThSignaturePlaces *p, const ThPadKind *kind, const ThPadPiece *piece,
                     int n, int *place, int *line)
{
    if (n > 0)
        kind->places(p->layout, piece, (size_t)n, place);
    for (int i = 0, lines = 0; i < n; i++) {
        line[i] = lines;
        lines += is(piece[i].s, "|", TH_PAD_SEP) && (kind->bars || *piece[i].s != '|');
    }
}

/* A text is one scratchpad or more, each with its beginning. */
static bool set(const ThSignaturePlaces *p, char *const *symbol, const int *token, int n,
                int *place, int *line, ThError *err)
{
    const ThPadKind *kind = th_pad_kind(p->kind);
    ThPadPiece *piece TH_OWNED(free) = th_alloc((size_t)n + 1, sizeof *piece, err);
    if (!piece)
        return false;
    for (int i = 0; i < n; i++)
        piece[i] = (ThPadPiece){symbol[token[i]], strlen(symbol[token[i]])};
    for (int i = 0, end; i < n; i = end) {
        bool begins = is(piece[i].s, "$", TH_PAD_BOS);
        if (begins)
            place[i] = line[i] = 0;
        int from = i + begins;
        end = from;
        while (end < n && !is(piece[end].s, "$", TH_PAD_BOS))
            end++;
        set_text(p, kind, piece + from, end - from, place + from, line + from);
    }
    return true;
}

ThSignaturePlaces th_task_places(const ThPad *p)
{
    const ThPadKind *kind = p->kind;
    bool hints = th_option_known(&p->options, "hints") && th_option_int(&p->options, "hints") > 0;
    if (hints || !kind->places || (kind->places_fit && !kind->places_fit(p, NULL)))
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
