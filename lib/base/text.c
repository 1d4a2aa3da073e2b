#include "base/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include <utf8proc.h>

void th_text_add_bytes(ThText *t, const char *bytes, size_t n)
{
    if (t->failed || !th_grow(&t->data, &t->cap, t->size + n + 1, 1, NULL)) {
        t->failed = true;
        return;
    }
    memcpy(t->data + t->size, bytes, n);
    t->size += n;
    t->data[t->size] = '\0';
}

void th_text_add(ThText *t, const char *text)
{
    th_text_add_bytes(t, text, strlen(text));
}

void th_text_vprintf(ThText *t, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    if (n < 0 || t->failed || !th_grow(&t->data, &t->cap, t->size + (size_t)n + 1, 1, NULL)) {
        t->failed = true;
    } else {
        vsnprintf(t->data + t->size, (size_t)n + 1, format, again);
        t->size += (size_t)n;
    }
    va_end(again);
}

void th_text_printf(ThText *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    th_text_vprintf(t, format, args);
    va_end(args);
}

char *th_printed(ThError *err, const char *format, ...)
{
    ThText t = {0};
    va_list args;
    va_start(args, format);
    th_text_vprintf(&t, format, args);
    va_end(args);
    return th_text_take(&t, err);
}

void th_text_number(ThText *t, double x)
{
    th_text_printf(t, "%.6g", x);
}

/* C0, DEL, C1; and what turns, isolates or ends a direction, or separates lines. */
static bool is_obeyed(int32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x61c || c == 0x200e || c == 0x200f ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* Appends the first character of n > 0 bytes, escaped where it would be obeyed; returns how many
 * bytes it takes. */
static size_t add_shown(ThText *t, const char *s, size_t n)
{
    int32_t c;
    size_t size = th_utf8_next(s, n, &c);
    if (size == 0)
        th_text_add(t, "?");
    else if (is_obeyed(c))
        th_text_printf(t, "\\u{%x}", (unsigned)c);
    else
        th_text_add_bytes(t, s, size);
    return size ? size : 1;
}

void th_text_shown(ThText *t, const char *text, size_t n)
{
    for (size_t i = 0; i < n && !t->failed;) {
        size_t plain = 0;
        while (i + plain < n && ((text[i + plain] >= 0x20 && text[i + plain] < 0x7f) ||
                                 text[i + plain] == '\n' || text[i + plain] == '\t'))
            plain++;
        th_text_add_bytes(t, text + i, plain);
        i += plain;
        if (i < n)
            i += add_shown(t, text + i, n - i);
    }
}

static bool holds_obeyed(const char *text)
{
    int32_t c;
    const char *end = text + strlen(text);
    for (size_t size; (size = th_utf8_next(text, (size_t)(end - text), &c)) > 0; text += size)
        if (is_obeyed(c))
            return true;
    return false;
}

/* Would a string insert something for this dollar sign? */
static bool is_insertion(const char *s)
{
    return s[0] == '$' && (isalnum((unsigned char)s[1]) || (s[1] && strchr("_{$", s[1])));
}

void th_text_quoted(ThText *t, const char *text)
{
    const char *end = text + strlen(text);
    th_text_add(t, "\"");
    for (const char *s = text; s < end; s++)
        if (*s == '"' || *s == '\\' || is_insertion(s))
            th_text_printf(t, "\\%c", *s);
        else if (*s == '\n')
            th_text_add(t, "\\n");
        else if (*s == '\t')
            th_text_add(t, "\\t");
        else
            s += add_shown(t, s, (size_t)(end - s)) - 1;
    th_text_add(t, "\"");
}

/* At {…} behind \u. */
static size_t read_code_point(const char *s, const char *end, ThText *to)
{
    unsigned c = 0;
    const char *p = s + 1;
    if (s >= end || *s != '{')
        return 0;
    for (; p < end && isxdigit((unsigned char)*p) && c <= 0x10ffff; p++)
        c = c * 16 + (unsigned)(*p <= '9' ? *p - '0' : (*p | 0x20) - 'a' + 10);
    if (p == end || *p != '}' || c == 0 || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    utf8proc_uint8_t bytes[4] = {0};
    if (to)
        th_text_add_bytes(to, (const char *)bytes,
                          (size_t)utf8proc_encode_char((utf8proc_int32_t)c, bytes));
    return (size_t)(p + 1 - s);
}

size_t th_escape_read(const char *s, const char *end, ThText *to)
{
    static const char from[] = "nt\\\"$", meaning[] = "\n\t\\\"$";
    if (s >= end || !*s)
        return 0;
    const char *known = strchr(from, *s);
    if (!known) {
        size_t n = *s == 'u' ? read_code_point(s + 1, end, to) : 0;
        return n ? n + 1 : 0;
    }
    if (to)
        th_text_add_bytes(to, &meaning[known - from], 1);
    return 1;
}

void th_text_unescape(ThText *to, const char *s, size_t n)
{
    const char *end = s + n;
    while (s < end) {
        size_t plain = *s == '\\' ? 0 : 1, size = plain ? 0 : th_escape_read(s + 1, end, to);
        if (size == 0)
            th_text_add_bytes(to, s, 1);
        s += 1 + size;
    }
}

void th_text_symbol(ThText *t, const char *symbol)
{
    /* Behind a bare `regex` a string would be read as a pattern. */
    if (th_is_word(symbol) && strcmp(symbol, "regex") != 0 && !holds_obeyed(symbol))
        th_text_add(t, symbol);
    else
        th_text_quoted(t, symbol);
}

void th_text_real(ThText *t, double x)
{
    char text[40];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    th_text_add(t, text);
}

void th_text_statement(ThText *t, const char *word, char *const *name, int n,
                       void (*write)(ThText *t, const char *name))
{
    th_text_printf(t, "  %s", word);
    for (int i = 0; i < n; i++) {
        th_text_add(t, " ");
        write(t, name[i]);
    }
    th_text_add(t, "\n");
}

char *th_text_take(ThText *t, ThError *err)
{
    if (!t->failed && !t->data)
        th_text_add(t, "");
    char *data = t->data;
    if (t->failed) {
        free(data);
        data = NULL;
        th_fail(err, TH_ENOMEM, "out of memory");
    }
    *t = (ThText){0};
    return data;
}

void th_text_free(ThText *t)
{
    free(t->data);
    *t = (ThText){0};
}

size_t th_utf8_next(const char *s, size_t n, int32_t *point)
{
    utf8proc_int32_t c = -1;
    if (n == 0)
        return 0;
    utf8proc_ssize_t k = utf8proc_iterate((const utf8proc_uint8_t *)s, (utf8proc_ssize_t)n, &c);
    if (k <= 0)
        return 0;
    if (point)
        *point = c;
    return (size_t)k;
}

bool th_ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && memcmp(text + n - m, end, m) == 0;
}

bool th_utf8_valid(const char *s, size_t n)
{
    while (n > 0) {
        size_t k = th_utf8_next(s, n, NULL);
        if (k == 0)
            return false;
        s += k;
        n -= k;
    }
    return true;
}

size_t th_utf8_length(const char *s)
{
    size_t count = 0;
    for (; *s; s++)
        count += ((unsigned char)*s & 0xc0) != 0x80;
    return count;
}

int th_utf8_width(const char *s)
{
    int width = 0;
    size_t left = strlen(s);
    while (left > 0) {
        int32_t c = 0;
        size_t k = th_utf8_next(s, left, &c);
        width += k ? utf8proc_charwidth(c) : 1;
        k = k ? k : 1;
        s += k;
        left -= k;
    }
    return width;
}

bool th_is_word(const char *text)
{
    if (!*text)
        return false;
    for (const char *s = text; *s; s++) {
        unsigned char c = (unsigned char)*s;
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
        bool digit = c >= '0' && c <= '9';
        if (!letter && !digit && c != '_' && c != '-' && c != '.' && c != '\'')
            return false;
    }
    return text[0] != '-' && text[0] != '.' && text[0] != '\'';
}

bool th_is_empty_word_sign(const char *text)
{
    return strcmp(text, "ε") == 0 || strcmp(text, "λ") == 0;
}

/* Optimal string alignment distance of two short byte strings. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= n; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= m; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        for (size_t j = 1; j <= m; j++) {
            size_t best = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            if (d[i - 1][j] + 1 < best)
                best = d[i - 1][j] + 1;
            if (d[i][j - 1] + 1 < best)
                best = d[i][j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    }
    return d[n][m];
}

int th_compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

enum { SHORTEST_BEGINNING = 3 }; /* characters that may stand for the one name they begin */

const char *th_nearest(const char *name, const char *const *names, size_t n)
{
    const char *best = NULL;
    size_t nearest = (strlen(name) + 2) / 3 + 1;
    for (size_t i = 0; i < n; i++) {
        size_t d = distance(name, names[i]);
        if (d > 0 && d < nearest) {
            nearest = d;
            best = names[i];
        }
    }
    if (best || strlen(name) < SHORTEST_BEGINNING)
        return best;
    for (size_t i = 0; i < n; i++) {
        if (!names[i] || strncmp(names[i], name, strlen(name)) != 0 || !names[i][strlen(name)])
            continue;
        if (best)
            return NULL;
        best = names[i];
    }
    return best;
}
