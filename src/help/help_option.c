/* help_option.c - help on an option: what it takes, and where. */

#include "help/help.h"

/* Where an option was found, and as what; the names of before count, too. */
typedef struct {
    const ThOptionSpec *spec;
    ThText places; /* commands and kinds, with ; between */
} Found;

typedef struct {
    const char *name;
    Found *item;
    size_t n, cap;
} Search;

static bool same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool same_spec(const ThOptionSpec *a, const ThOptionSpec *b)
{
    return strcmp(a->name, b->name) == 0 && a->type == b->type && a->min == b->min &&
           a->max == b->max && same_text(a->fallback, b->fallback) && same_text(a->help, b->help) &&
           same_text(a->choices, b->choices);
}

static void add(Search *x, const ThOptionSpec *spec, const char *before, const char *place)
{
    Found *f = x->item, *end = x->item + x->n;
    while (f < end && !same_spec(f->spec, spec))
        f++;
    if (f == end) {
        if (!th_grow(&x->item, &x->cap, x->n + 1, sizeof *x->item, NULL))
            return;
        f = &x->item[x->n++];
        *f = (Found){.spec = spec};
    }
    th_text_printf(&f->places, "%s%s%s", f->places.size ? "; " : "", before, place);
}

static bool is_meant(const Search *x, const ThOptionSpec *spec)
{
    const char *now;
    bool is = strcmp(spec->name, x->name) == 0;
    for (size_t i = 0; !is && (now = th_option_renamed(x->name, i)); i++)
        is = strcmp(spec->name, now) == 0;
    return is;
}

static void look(Search *x, const ThOptionSpec *specs, const char *before, const char *place)
{
    for (; specs && specs->name; specs++)
        if (is_meant(x, specs))
            add(x, specs, before, place);
}

static void look_in_command(Search *x, const ShCommand *c)
{
    char typed[SH_COMMAND_NAME];
    const ThOptionSpec *specs;
    for (size_t i = 0; (specs = sh_command_options(c, NULL, i)); i++)
        look(x, specs, "", sh_command_typed(c, typed));
}

/* addition, of "scratchpad_addition". */
static const char *kind_name(const ShFamily *f, const char *owner)
{
    size_t n = f->second_word ? strcspn(f->before, " ") : 0;
    bool both = n > 0 && strncmp(owner, f->before, n) == 0 && owner[n] == '_';
    return owner + (both ? n + 1 : 0);
}

/* Of all commands and kinds; where owner is not NULL, of those of that name only. */
static void look_everywhere(Search *x, const char *owner)
{
    size_t n, kinds;
    const ShCommand *const *commands = sh_commands(&n);
    const ShCommand *only = owner ? sh_command(owner) : NULL;
    const ShFamily *f = sh_families(&kinds);
    for (size_t i = 0; i < n; i++)
        if (!owner || commands[i] == only)
            look_in_command(x, commands[i]);
    for (size_t k = 0; k < kinds; k++) {
        for (size_t i = 0; i < f[k].count(); i++) {
            ShKindRow row = f[k].row(i);
            if (!owner || strcmp(row.name, kind_name(&f[k], owner)) == 0)
                look(x, row.options, f[k].second_word ? f[k].before : "", row.name);
        }
    }
}

static void print(const ShSheet *to, const Search *x)
{
    for (size_t i = 0; i < x->n; i++) {
        const ThOptionSpec *s = x->item[i].spec;
        ThText values TH_OWNED(th_text_free) = {0}, of TH_OWNED(th_text_free) = {0};
        sh_option_values(&values, s);
        fprintf(to->out, "%s%s=   %s\n", i ? "\n" : "", s->name, th_text_string(&values));
        sh_wrap(to, 4, s->help);
        th_text_printf(&of, "(of %s)", x->item[i].places.data ? x->item[i].places.data : "");
        sh_wrap(to, 4, th_text_string(&of));
    }
}

static bool help_named(const ShSheet *to, const char *name, const char *owner)
{
    Search x = {.name = name};
    look_everywhere(&x, owner);
    if (to)
        print(to, &x);
    bool found = x.n > 0;
    while (x.n > 0)
        th_text_free(&x.item[--x.n].places);
    free(x.item);
    return found;
}

bool sh_help_option(const ShSheet *to, const char *topic)
{
    char owner[128];
    snprintf(owner, sizeof owner, "%s", topic);
    char *last = strrchr(owner, '_');
    if (help_named(to, topic, NULL))
        return true;
    for (; last; last = strrchr(owner, '_')) {
        *last = '\0';
        if (help_named(to, topic + (last - owner) + 1, owner))
            return true;
    }
    return false;
}
