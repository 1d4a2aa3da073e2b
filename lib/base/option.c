#include "base/option.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/arithmetic.h"
#include "base/text.h"

/* Names that options had before: scripts and files of weights that use them are read as ever.  One
 * that is the name of another option there means that one. */
static const struct {
    const char *was, *is;
} renamed[] = {
    {"pull", "centre_loss"},
    {"aux", "auxiliary_loss"},
    {"contract", "contraction_loss"},
    {"gate", "loss_threshold"},
    {"full", "full_length"},
    {"against", "counterexamples"},
    {"within", "counterexample_length"},
    {"against", "published"},
    {"thickness", "layers_per_level"},
    {"chunk", "arity"},
    {"hidden", "mlp_ratio"},
    {"memory_hidden", "memory_mlp_ratio"},
    {"fan", "fan_in"},
    {"centres", "codebook"},
    {"edge_centres", "edge_codebook"},
    {"over", "base_position"},
    {"masked", "window_heads"},
    {"windowed", "window_layers"},
    {"turned", "rotary_fraction"},
    {"pairs", "rotary_pairs"},
};

/* The same of the words of a choice. */
static const struct {
    const char *option, *was, *is;
} reworded[] = {
    {"method", "reach", "unreachable"},
    {"method", "run", "cyclers"},
    {"method", "backward", "backward_reasoning"},
    {"method", "contexts", "ngram_cps"},
    {"position", "nope", "none"},
    {"band", "interval", "ci"},
};

static size_t count_specs(const ThOptionSpec *specs)
{
    size_t n = 0;
    while (specs && specs[n].name)
        n++;
    return n;
}

static bool parse_real(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    bool plain =
        end != text && *end == '\0' && isfinite(*value) && text[0] != ' ' && !strpbrk(text, "xX");
    return plain || th_real_evaluate(text, value);
}

bool th_range_parse(ThRange *r, const char *text, ThError *err)
{
    char part[3][64] = {"", "", "1"};
    const char *dots = strstr(text, "..");
    const char *colon = dots ? strchr(dots, ':') : NULL;
    size_t n[3] = {dots ? (size_t)(dots - text) : strlen(text), 0, 1};
    if (dots)
        n[1] = colon ? (size_t)(colon - dots - 2) : strlen(dots + 2);
    if (colon)
        n[2] = strlen(colon + 1);
    const char *from[3] = {text, dots ? dots + 2 : text, colon ? colon + 1 : "1"};
    if (!dots)
        n[1] = n[0];
    for (int i = 0; i < 3; i++) {
        if (n[i] >= sizeof part[i])
            return th_fail(err, TH_EUSAGE, "'%.40s…' is too long for a range", text);
        memcpy(part[i], from[i], n[i]);
        part[i][n[i]] = '\0';
    }
    if (!th_integer_evaluate(part[0], &r->lo) || !th_integer_evaluate(part[1], &r->hi) ||
        !th_integer_evaluate(part[2], &r->step))
        return th_fail(err, TH_EUSAGE, "'%s' is not a range", text) ||
               th_hint(err, "a range is written 7, 1..40 or 41..500:20%s",
                       strchr(text, ',') ? "; a list takes a loop: for n in [6, 9] { … }" : "");
    if (r->lo > r->hi || r->step < 1)
        return th_fail(err, TH_EUSAGE, "the range '%s' is empty", text);
    return true;
}

size_t th_range_count(ThRange r)
{
    return (size_t)((r.hi - r.lo) / r.step) + 1;
}

static bool parse_flag(const char *text, long long *value)
{
    static const char *const words[] = {"no", "yes", "off", "on", "false", "true", "0", "1"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(text, words[i]) == 0) {
            *value = (long long)(i % 2);
            return true;
        }
    }
    return false;
}

int th_choice_index(const char *choices, const char *word, size_t n)
{
    int i = 0;
    for (const char *c = choices; c; i++) {
        size_t size = strcspn(c, "|");
        if (size == n && n > 0 && memcmp(c, word, n) == 0)
            return i;
        c = c[size] ? c + size + 1 : NULL;
    }
    return -1;
}

/* What a word of an option's choices is called now. */
static const char *current_word(const ThOptionSpec *s, const char *word)
{
    for (size_t i = 0; s->type == TH_CHOICE && i < sizeof reworded / sizeof *reworded; i++)
        if (strcmp(reworded[i].option, s->name) == 0 && strcmp(reworded[i].was, word) == 0 &&
            th_choice_index(s->choices, word, strlen(word)) < 0)
            return reworded[i].is;
    return word;
}

static bool hint_choice(const ThOptionSpec *s, const char *text, ThError *err)
{
    for (const char *word = s->choices; *word; word += strcspn(word, "|"), word += *word == '|') {
        size_t n = strcspn(word, "|");
        if (strlen(text) == n && strncasecmp(text, word, n) == 0)
            return th_hint(err, "did you mean %.*s?", (int)n, word);
    }
    return th_hint(err, "%s is one of %s", s->name, s->choices);
}

static bool bad_value(const ThOptionSpec *s, const char *text, ThError *err)
{
    th_fail(err, TH_EUSAGE, "'%s' does not fit the option %s", text, s->name);
    switch (s->type) {
    case TH_INT:
        return th_hint(err, "%s is an integer from %.0f to %.0f", s->name, s->min, s->max);
    case TH_REAL:
        return th_hint(err, "%s is a number from %.15g to %.15g", s->name, s->min, s->max);
    case TH_FLAG:
        return th_hint(err, "%s is yes or no", s->name);
    case TH_CHOICE:
        return hint_choice(s, text, err);
    case TH_RANGE:
        return th_hint(err, "%s is a range such as 1..40, within %.0f to %.0f", s->name, s->min,
                       s->max);
    case TH_STRING:
        break;
    }
    return false;
}

/* Is the value of an option within its limits? */
static bool within(const ThOption *o, const char *text, ThError *err)
{
    const ThOptionSpec *s = o->spec;
    bool range = s->type == TH_RANGE;
    double lo = range ? (double)o->range.lo : o->real, hi = range ? (double)o->range.hi : o->real;
    return (lo >= s->min && hi <= s->max) || bad_value(s, text, err);
}

static bool parse_value(ThOption *o, const char *text, ThError *err)
{
    const ThOptionSpec *s = o->spec;
    switch (s->type) {
    case TH_INT:
        if (!th_integer_evaluate(text, &o->integer))
            return bad_value(s, text, err);
        o->real = (double)o->integer;
        return within(o, text, err);
    case TH_REAL:
        return parse_real(text, &o->real) ? within(o, text, err) : bad_value(s, text, err);
    case TH_FLAG:
        return parse_flag(text, &o->integer) || bad_value(s, text, err);
    case TH_CHOICE:
        o->integer = th_choice_index(s->choices, text, strlen(text));
        return o->integer >= 0 || bad_value(s, text, err);
    case TH_RANGE:
        return th_range_parse(&o->range, text, err) && within(o, text, err);
    case TH_STRING:
        break;
    }
    return true;
}

/* Gives an option a value that fits, with its text. */
static bool put_value(ThOption *o, const ThOption *value, const char *text, bool given,
                      ThError *err)
{
    ThOption fresh = *value;
    fresh.text = th_strdup(text, err);
    if (!fresh.text)
        return false;
    fresh.given = given;
    free(o->text);
    *o = fresh;
    return true;
}

static bool set_value(ThOption *o, const char *text, bool given, ThError *err)
{
    ThOption fresh = *o;
    text = current_word(o->spec, text);
    if (!parse_value(&fresh, text, err))
        return false;
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", fresh.integer);
    return put_value(o, &fresh, o->spec->type == TH_INT ? digits : text, given, err);
}

const char *th_option_renamed(const char *was, size_t i)
{
    for (size_t k = 0; k < sizeof renamed / sizeof *renamed; k++)
        if (strcmp(renamed[k].was, was) == 0 && i-- == 0)
            return renamed[k].is;
    return NULL;
}

static ThOption *find_exact(const ThOptions *o, const char *name)
{
    for (size_t i = 0; i < o->n; i++)
        if (strcmp(o->item[i].spec->name, name) == 0)
            return &o->item[i];
    return NULL;
}

/* By its name, or by one that it had once. */
static ThOption *find(const ThOptions *o, const char *name)
{
    ThOption *item = find_exact(o, name);
    const char *now;
    for (size_t i = 0; !item && (now = th_option_renamed(name, i)); i++)
        item = find_exact(o, now);
    return item;
}

bool th_options_init(ThOptions *o, const ThOptionSpec *specs, ThError *err)
{
    *o = (ThOptions){0};
    return th_options_add(o, specs, err);
}

bool th_options_add(ThOptions *o, const ThOptionSpec *specs, ThError *err)
{
    size_t n = count_specs(specs), before = o->n, cap = o->n;
    if (!th_grow(&o->item, &cap, o->n + n, sizeof *o->item, err))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (find_exact(o, specs[i].name))
            continue;
        ThOption *item = &o->item[o->n];
        *item = (ThOption){.spec = &specs[i], .integer = specs[i].type == TH_CHOICE ? -1 : 0};
        if (specs[i].fallback && !set_value(item, specs[i].fallback, false, err)) {
            while (o->n > before)
                free(o->item[--o->n].text);
            return false;
        }
        o->n++;
    }
    return true;
}

bool th_options_copy(ThOptions *to, const ThOptions *from, ThError *err)
{
    *to = (ThOptions){0};
    to->item = th_copy(from->item, from->n, sizeof *from->item, err);
    if (!to->item)
        return false;
    to->n = from->n;
    for (size_t i = 0; i < to->n; i++)
        to->item[i].text = NULL;
    for (size_t i = 0; i < to->n; i++) {
        if (from->item[i].text && !(to->item[i].text = th_strdup(from->item[i].text, err))) {
            th_options_free(to);
            return false;
        }
    }
    return true;
}

void th_options_free(ThOptions *o)
{
    for (size_t i = 0; i < o->n; i++)
        free(o->item[i].text);
    free(o->item);
    *o = (ThOptions){0};
}

static bool unknown_option(const ThOptions *o, const char *name, ThError *err)
{
    enum { FEW = 12 }; /* are listed, where none of them is near */
    ThText list TH_OWNED(th_text_free) = {0};
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < o->n; i++) {
        th_text_printf(&list, "%s%s", i ? ", " : "", o->item[i].spec->name);
        if (n < sizeof names / sizeof *names)
            names[n++] = o->item[i].spec->name;
    }
    const char *near = th_nearest(name, names, n);
    if (o->n == 0)
        th_fail(err, TH_EUSAGE, "unknown option '%s': no options are taken here", name);
    else if (near || o->n > FEW)
        th_fail(err, TH_EUSAGE, "unknown option '%s'", name);
    else
        th_fail(err, TH_EUSAGE, "unknown option '%s'; the %s %s", name,
                o->n == 1 ? "only option is" : "options are", th_text_string(&list));
    if (near)
        th_hint(err, "did you mean %s=?", near);
    return false;
}

bool th_options_set(ThOptions *o, const char *name, const char *value, ThError *err)
{
    ThOption *item = find(o, name);
    return item ? set_value(item, value, true, err) : unknown_option(o, name, err);
}

/* Sets an option of a type to a number, or numbers, whose text is made from them. */
static bool set_numbers(ThOptions *o, const char *name, const ThOption *value, const char *text,
                        ThError *err)
{
    ThOption *item = find(o, name);
    if (!item)
        return unknown_option(o, name, err);
    ThOption fresh = *item;
    fresh.integer = value->integer;
    fresh.real = value->real;
    fresh.range = value->range;
    return within(&fresh, text, err) && put_value(item, &fresh, text, true, err);
}

bool th_options_set_int(ThOptions *o, const char *name, long long value, ThError *err)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", value);
    ThOption *item = find(o, name);
    if (item && item->spec->type != TH_INT)
        return bad_value(item->spec, text, err);
    ThOption v = {.integer = value, .real = (double)value};
    return set_numbers(o, name, &v, text, err);
}

bool th_options_set_real(ThOptions *o, const char *name, double value, ThError *err)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    ThOption *item = find(o, name);
    if (item && item->spec->type == TH_INT && value == floor(value) && fabs(value) < 0x1p53)
        return th_options_set_int(o, name, (long long)value, err);
    if (item && (item->spec->type != TH_REAL || !isfinite(value)))
        return bad_value(item->spec, text, err);
    ThOption v = {.real = value};
    return set_numbers(o, name, &v, text, err);
}

bool th_options_set_range(ThOptions *o, const char *name, ThRange value, ThError *err)
{
    char text[80];
    snprintf(text, sizeof text, "%lld..%lld:%lld", value.lo, value.hi, value.step);
    ThOption *item = find(o, name);
    if (item && (item->spec->type != TH_RANGE || value.lo > value.hi || value.step < 1))
        return bad_value(item->spec, text, err);
    ThOption v = {.range = value};
    return set_numbers(o, name, &v, text, err);
}

bool th_options_set_at(ThOptions *o, const char *name, const char *value, int line, int col,
                       ThError *err)
{
    if (!th_options_set(o, name, value, err))
        return false;
    ThOption *item = find(o, name);
    item->line = line;
    item->col = col;
    return true;
}

static const ThOption *need(const ThOptions *o, const char *name)
{
    const ThOption *item = find(o, name);
    assert(item && "option asked for is not in its table");
    return item;
}

bool th_option_error(const ThOptions *o, const char *name, ThError *err)
{
    const ThOption *item = need(o, name);
    if (err && err->code != TH_OK && err->line == 0 && err->col == 0) {
        err->line = item->line;
        err->col = item->col;
    }
    return false;
}

bool th_option_known(const ThOptions *o, const char *name)
{
    return find(o, name) != NULL;
}

bool th_option_given(const ThOptions *o, const char *name)
{
    return need(o, name)->given;
}

long long th_option_int(const ThOptions *o, const char *name)
{
    return need(o, name)->integer;
}

double th_option_real(const ThOptions *o, const char *name)
{
    return need(o, name)->real;
}

bool th_option_flag(const ThOptions *o, const char *name)
{
    return need(o, name)->integer != 0;
}

ThRange th_option_range(const ThOptions *o, const char *name)
{
    return need(o, name)->range;
}

const char *th_option_text(const ThOptions *o, const char *name)
{
    return need(o, name)->text;
}

static bool has_value(const ThOptions *o, const char *name)
{
    return need(o, name)->text != NULL;
}

long long th_option_int_or(const ThOptions *o, const char *name, long long otherwise)
{
    return has_value(o, name) ? th_option_int(o, name) : otherwise;
}

double th_option_real_or(const ThOptions *o, const char *name, double otherwise)
{
    return has_value(o, name) ? th_option_real(o, name) : otherwise;
}

const char *th_option_text_or(const ThOptions *o, const char *name, const char *otherwise)
{
    return has_value(o, name) ? th_option_text(o, name) : otherwise;
}

int th_option_choice(const ThOptions *o, const char *name)
{
    const ThOption *item = need(o, name);
    assert(item->spec->type == TH_CHOICE);
    return (int)item->integer;
}

char *th_options_format(const ThOptions *o, ThError *err)
{
    ThText t = {0};
    for (size_t i = 0; i < o->n; i++) {
        const ThOption *item = &o->item[i];
        const char *fallback = item->spec->fallback;
        if (!item->text || (fallback && strcmp(item->text, fallback) == 0))
            continue;
        th_text_printf(&t, "%s%s=", t.size ? " " : "", item->spec->name);
        th_text_symbol(&t, item->text);
    }
    return th_text_take(&t, err);
}
