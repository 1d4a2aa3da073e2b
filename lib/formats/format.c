#include "formats/format.h"

#include "base/registry.h"
#include "formats/machines/machine_read.h"
#include "formats/format_table.h"

static const ThFormat *const formats[] = {
#define FORMAT(name) &th_format_##name,
#include "formats/formats.def"
#undef FORMAT
};

enum { N_FORMATS = sizeof formats / sizeof *formats };

TH_REGISTRY(ThFormat, formats, th_format_all, th_format_named)

static bool has_ending(const char *path, const char *end)
{
    return end && strlen(path) > strlen(end) && th_ends_with(path, end);
}

const ThFormat *th_format_of_extension(const char *path)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (has_ending(path, formats[i]->extension) || has_ending(path, formats[i]->also))
            return formats[i];
    return NULL;
}

/* ---- machines -------------------------------------------------------------------------------- */

ThTm *th_format_machine_read(const ThFormat *f, const char *text, size_t size,
                             const ThFormatMachineReading *how, ThText *notes, ThError *err)
{
    static const ThFormatMachineReading none = {0};
    ThError own = {0};
    return f->read_machine(text, size, how ? how : &none, notes, err ? err : &own);
}

bool th_format_machine_write(ThText *to, const ThFormat *f, const ThTm *m, const char *name,
                             ThText *notes, ThError *err)
{
    ThError own = {0};
    return f->write_machine(to, m, name, notes, err ? err : &own);
}

/* The first line that holds something besides a comment //. */
static bool first_line(ThFormatLines *l, const char *text, size_t size)
{
    bool any = th_format_lines_start(l, text, size, NULL);
    while (any && (any = th_format_lines_next(l))) {
        const char *c = l->begin, *end = c + l->size;
        while (c < end && strchr(" \t\r", *c))
            c++;
        if (c < end && !(end - c > 1 && c[0] == '/' && c[1] == '/')) {
            l->size -= (size_t)(c - l->begin);
            l->begin = c;
            return true;
        }
    }
    return false;
}

static ThFormatLook look_at(const char *text, size_t size)
{
    enum { LOOKED_AT = 1 << 16 }; /* bytes, in whole lines */
    size_t skip = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (skip < size && strchr(" \t\r\n", text[skip]) && text[skip])
        skip++;
    ThFormatLook look = {.text = text + skip, .size = size - skip, .head = text};
    /* A line that is cut off, or a character, would look odd. */
    size_t n = size > LOOKED_AT ? LOOKED_AT : size;
    while (n < size && n > 0 && text[n - 1] != '\n')
        n--;
    look.n_head = n;
    ThFormatLines l;
    if (first_line(&l, text, n)) {
        look.line = l.begin;
        look.n_line = l.size;
    }
    return look;
}

const ThFormat *th_format_machine_sniff(const char *text, size_t size, bool *sure)
{
    ThFormatLook look = look_at(text, size);
    const ThFormat *best = NULL;
    bool own = false;
    int most = 0;
    sure = sure ? sure : &own;
    *sure = false;
    for (size_t i = 0; i < N_FORMATS; i++) {
        bool certain = true;
        int likely = formats[i]->likely ? formats[i]->likely(&look, &certain) : 0;
        if (likely > most) {
            most = likely;
            best = formats[i];
            *sure = certain;
        }
    }
    return best;
}
