#include "base/symbols.h"

bool th_symbols_single(char *const *symbol, int n)
{
    for (int i = 0; i < n; i++) {
        size_t size = strlen(symbol[i]);
        if (size == 0 || th_utf8_next(symbol[i], size, NULL) != size)
            return false;
    }
    return true;
}

static int find(char *const *symbol, int n, const char *name, size_t size)
{
    for (int i = 0; i < n; i++)
        if (strncmp(symbol[i], name, size) == 0 && symbol[i][size] == '\0')
            return i;
    return -1;
}

int th_symbols_find(char *const *symbol, int n, const char *name)
{
    return find(symbol, n, name, strlen(name));
}

bool th_symbols_same(char *const *a, int n_a, char *const *b, int n_b)
{
    bool same = n_a == n_b;
    for (int i = 0; same && i < n_a; i++)
        same = strcmp(a[i], b[i]) == 0;
    return same;
}

/* Bytes of a prefix of whole characters that is short enough for a message. */
static size_t shown(const char *name, size_t size)
{
    size_t used = 0;
    while (used < size && used < 40)
        used += th_utf8_next(name + used, size - used, NULL);
    return used;
}

static void hint_alphabet(char *const *symbol, int n, ThError *err)
{
    ThText list TH_OWNED(th_text_free) = {0};
    for (int i = 0; i < n && list.size < 160; i++) {
        th_text_add(&list, i ? " " : "");
        th_text_symbol(&list, symbol[i]);
        if (list.size >= 160 && i + 1 < n)
            th_text_add(&list, " ...");
    }
    if (!list.failed)
        th_hint(err, "the alphabet is %s", n ? list.data : "empty");
}

/* The size of the symbol at s: a character, or everything up to the next blank. */
static size_t symbol_size(const char *s, size_t left, bool single)
{
    return single ? th_utf8_next(s, left, NULL) : strcspn(s, " \t\n\r");
}

/* Reads the words of input into word (room for strlen(input)).  Returns their number, or -1. */
static int read_word(char *const *symbol, int n, const char *input, int *word, ThError *err)
{
    bool single = th_symbols_single(symbol, n);
    size_t left = strlen(input);
    int length = 0, col = 1;
    for (const char *s = input; left > 0;) {
        if (!single && strchr(" \t\n\r", *s)) {
            s++, left--, col++;
            continue;
        }
        size_t size = symbol_size(s, left, single);
        int a = find(symbol, n, s, size);
        if (a < 0) {
            th_fail_at(err, TH_EVALUE, 0, col, "symbol \"%.*s\" is not in the alphabet",
                       (int)shown(s, size), s);
            hint_alphabet(symbol, n, err);
            return -1;
        }
        word[length++] = a;
        col += single ? 1 : (int)th_utf8_length(symbol[a]);
        s += size;
        left -= size;
    }
    return length;
}

int *th_symbols_read(char *const *symbol, int n, const char *input, int *length, ThError *err)
{
    size_t size = strlen(input);
    if (!th_utf8_valid(input, size))
        return th_null(th_fail(err, TH_EVALUE, "the input is not valid UTF-8"));
    if (size > INT32_MAX)
        return th_null(th_fail(err, TH_EVALUE, "the input is too long (%zu bytes)", size));
    int *word = th_alloc(size, sizeof *word, err);
    if (!word)
        return NULL;
    int count = read_word(symbol, n, input, word, err);
    if (count < 0) {
        free(word);
        return NULL;
    }
    *length = count;
    return word;
}

char **th_symbols_list(const char *list, bool one, int *n, ThError *err)
{
    size_t size = strlen(list);
    char **name = th_alloc(size + 1, sizeof *name + 2, err);
    char *at = name ? (char *)(name + size + 1) : NULL;
    bool single = !one && !list[strcspn(list, " \t\n\r")];
    *n = 0;
    while (name && *list) {
        size_t bytes = one ? size : symbol_size(list, strlen(list), single);
        if (bytes > 0) {
            /* The block is zeroed: every name has its end. */
            memcpy(at, list, bytes); // NOLINT(bugprone-not-null-terminated-result)
            name[(*n)++] = at;
            at += bytes + 1;
        }
        list += bytes;
        if (!one && !single)
            list += strspn(list, " \t\n\r");
        else if (bytes == 0)
            break;
    }
    return name;
}

void th_symbols_write(ThText *t, char *const *symbol, int n, const int *word, int length)
{
    th_symbols_write_at(t, symbol, n, word, length, -1);
}

char *th_symbols_text(char *const *symbol, int n, const int *word, int length, ThError *err)
{
    ThText t = {0};
    th_symbols_write(&t, symbol, n, word, length);
    return th_text_take(&t, err);
}

void th_symbols_write_at(ThText *t, char *const *symbol, int n, const int *word, int length, int at)
{
    bool single = th_symbols_single(symbol, n);
    for (int i = 0; i < length; i++) {
        if (i && !single)
            th_text_add(t, " ");
        if (i == at)
            th_text_printf(t, "[%s]", symbol[word[i]]);
        else
            th_text_add(t, symbol[word[i]]);
    }
}

bool th_symbols_next(int *word, int length, int n_symbols)
{
    for (int i = length; i-- > 0;) {
        if (++word[i] < n_symbols)
            return true;
        word[i] = 0;
    }
    return false;
}
