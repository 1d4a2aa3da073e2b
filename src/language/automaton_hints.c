/* automaton_hints.c - what was meant where an expression of automata is written as elsewhere:
 * union(a, b), a + b, !a, a*, determinise a, "a*". */
#include "language/automaton_hints.h"

#include "language/operand.h"
#include "language/variables.h"

/* What others call an operation, and how it is written here: between arguments, or as a name. */
typedef struct {
    const char *word, *here;
} Other;

static const Other between[] = {
    {"union", " | "},     {"unite", " | "},      {"intersection", " & "},
    {"intersect", " & "}, {"difference", " - "}, {"minus", " - "},
    {NULL, NULL}};
static const Other names[] = {{"complement", "~"},
                              {"negate", "~"},
                              {"not", "~"},
                              {"and", "&"},
                              {"or", "|"},
                              {"determinise", "determinize"},
                              {"minimise", "minimize"},
                              {"kleene", "star"},
                              {"concatenate", "concat"},
                              {NULL, NULL}};

static const char *other(const Other *table, const char *word, size_t n)
{
    for (; table->word; table++)
        if (strlen(table->word) == n && memcmp(table->word, word, n) == 0)
            return table->here;
    return NULL;
}

static size_t word_length(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end &&
           (strchr("_.'$", p[n]) || (unsigned char)p[n] >= 0x80 || (p[n] >= '0' && p[n] <= '9') ||
            ((p[n] | 32) >= 'a' && (p[n] | 32) <= 'z')))
        n++;
    return n;
}

static size_t string_length(const char *p, const char *end)
{
    size_t n = 1;
    while (p + n < end && p[n] != '"')
        n += p[n] == '\\' && p + n + 1 < end ? 2 : 1;
    return p + n < end ? n + 1 : (size_t)(end - p);
}

/* Behind a bracket that opens at p: where the one is that closes it, or the end. */
static const char *closing(const char *p, const char *end)
{
    int depth = 0;
    for (; p < end; p += *p == '"' ? string_length(p, end) : 1) {
        depth += (*p == '(') - (*p == ')');
        if (depth == 0)
            return p;
    }
    return end;
}

static char last_of(const ThText *t)
{
    size_t n = t->size;
    while (n > 0 && t->data[n - 1] == ' ')
        n--;
    return n > 0 ? t->data[n - 1] : '\0';
}

static void rewrite(const char *p, const char *end, ThText *to);

/* The arguments of union(…) with its operator between them. */
static void rewrite_between(const char *p, const char *end, const char *operator, ThText * to)
{
    th_text_add(to, "(");
    for (const char *from = p; p <= end; p += p < end && *p == '"' ? string_length(p, end) : 1) {
        if (p < end && *p == '(')
            p = closing(p, end);
        if (p >= end || *p == ',') {
            while (from < p && *from == ' ')
                from++;
            rewrite(from, p < end ? p : end, to);
            th_text_add(to, p < end ? operator: "");
            from = p + 1;
        }
    }
    th_text_add(to, ")");
}

/* A word, and its arguments; returns what follows. */
static const char *rewrite_word(const char *p, const char *end, ThText *to)
{
    size_t n = word_length(p, end);
    const char *next = p + n, *here = other(names, p, n);
    bool call = next < end && *next == '(';
    const char *close = call ? closing(next, end) : next;
    const char *operator= call ? other(between, p, n) : NULL;
    if (operator) {
        rewrite_between(next + 1, close, operator, to);
        return close + (close < end);
    }
    if (call && n == 5 && memcmp(p, "regex", 5) == 0) {
        th_text_add(to, "regex ");
        th_text_add_bytes(to, next + 1, (size_t)(close - next - 1));
        return close + (close < end);
    }
    bool star = !here && next < end && *next == '*';
    th_text_add(to, star ? "star(" : "");
    th_text_add_bytes(to, here ? here : p, here ? strlen(here) : n);
    th_text_add(to, star ? ")" : "");
    return next + star;
}

static void rewrite(const char *p, const char *end, ThText *to)
{
    while (p < end) {
        if (*p == '"') {
            size_t n = string_length(p, end);
            char before = last_of(to);
            th_text_add(to, !before || strchr("|&~(-", before) ? "regex " : "");
            th_text_add_bytes(to, p, n);
            p += n;
        } else if (word_length(p, end) > 0) {
            p = rewrite_word(p, end, to);
        } else {
            bool twice = (*p == '&' || *p == '|') && p + 1 < end && p[1] == *p;
            th_text_add_bytes(to, *p == '+' ? "|" : *p == '!' ? "~" : p, 1);
            p += 1 + twice;
        }
    }
}

/* determinize a: the call that it stands for; nothing where something else stands there. */
static void rewrite_command(const char *p, const char *end, ThText *to)
{
    size_t n = word_length(p, end);
    const char *here = other(names, p, n), *operator= other(between, p, n), *q = p + n;
    ThText arguments TH_OWNED(th_text_free) = {0};
    while (q < end) {
        size_t blanks = strspn(q, " "), word = word_length(q + blanks, end);
        if (blanks == 0 || word == 0)
            break;
        th_text_add(&arguments, q == p + n ? "" : operator? operator: ", ");
        th_text_add_bytes(&arguments, q + blanks, word);
        q += blanks + word;
    }
    if (q == end && arguments.data && operator)
        th_text_add(to, arguments.data);
    else if (q == end && arguments.data)
        th_text_printf(to, "%.*s(%s)", (int)(here ? strlen(here) : n), here ? here : p,
                       arguments.data);
}

static bool is_automaton(ShSession *s, const char *text)
{
    enum { MOST = 10000 };
    ThError ignored = {0};
    ThAutomaton *a TH_OWNED(th_automaton_free) =
        text ? sh_automaton_within(s, text, MOST, &ignored) : NULL;
    return a != NULL;
}

char *sh_automaton_meant(ShSession *s, const char *text)
{
    enum {
        TYPED = 1000
    }; /* what is longer nobody typed; brackets are gone through level by level */
    size_t length = strnlen(text, TYPED + 1);
    const char *end = text + length;
    if (length > TYPED)
        return NULL;
    for (int command = 0; command < 2; command++) {
        ThText t = {0};
        (command ? rewrite_command : rewrite)(text, end, &t);
        char *meant = th_text_take(&t, NULL);
        size_t n = meant ? strlen(meant) : 0;
        /* (a | b) by itself needs no brackets. */
        if (n > 2 && *meant == '(' && closing(meant, meant + n) == meant + n - 1) {
            memmove(meant, meant + 1, n - 2);
            meant[n - 2] = '\0';
        }
        if (n > 0 && is_automaton(s, meant))
            return meant;
        free(meant);
    }
    return NULL;
}

/* Returns new: regex "a*" for a*, where no arithmetic is written so; or NULL. */
static char *regex_meant(ShSession *s, const char *text)
{
    if (strpbrk(text, " \"") || strchr("0123456789", *text) ||
        !(strchr(text, '|') || strchr("*?", text[strlen(text) - 1])))
        return NULL;
    char *meant = th_printed(NULL, "regex \"%s\"", text);
    if (meant && is_automaton(s, meant))
        return meant;
    free(meant);
    return NULL;
}

bool sh_hint_automaton(ShSession *s, const char *statement, ThError *err)
{
    char name[SH_NAME] = "C";
    const char *text = statement;
    size_t n = word_length(text, text + strlen(text)), blanks = strspn(text + n, " ");
    if (n > 0 && n < sizeof name && text[n + blanks] == '=' && text[n + blanks + 1] != '=') {
        snprintf(name, sizeof name, "%.*s", (int)n, text);
        text += n + blanks + 1;
        text += strspn(text, " ");
    }
    bool free_name = *text != '"' && !sh_command_begins(name, strlen(name));
    char *meant TH_OWNED(free) = free_name ? sh_automaton_meant(s, text) : NULL;
    if (!meant && free_name && *text)
        meant = regex_meant(s, text);
    if (meant && err) {
        *err->hint = '\0';
        th_hint(err, "automaton %s = %s is that automaton", name, meant);
    }
    return meant != NULL;
}
