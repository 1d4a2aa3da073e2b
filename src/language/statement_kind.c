#include "language/statement_kind.h"

#include "command.h"

/* Words are separated by |; a blank in them stands for any blanks. */
static const char statements[] =
    "def|not|lambda|set example|set s-op example|set selector example|show example|show s-op "
    "example|show selector example|examples on|examples off|s-op examples|selector examples|full "
    "seq";
static const char word_operators[] = "and|or|if|in";

typedef struct {
    const char *at, *end;
} Rest;

static bool next_is_one_of(Rest r, const char *characters)
{
    return r.at < r.end && *r.at && strchr(characters, *r.at);
}

static size_t word_length(Rest r)
{
    size_t n = 0;
    for (; r.at + n < r.end; n++) {
        unsigned char c = (unsigned char)r.at[n];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
        if (!letter && (c < '0' || c > '9'))
            break;
    }
    return n;
}

static Rest skip_blanks(Rest r)
{
    while (next_is_one_of(r, " \t\r\f"))
        r.at++;
    return r;
}

static bool begins_with(Rest r, const char *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        Rest behind = skip_blanks(r);
        if (words[i] == ' ' ? behind.at == r.at : r.at == r.end || *r.at != words[i])
            return false;
        r.at = words[i] == ' ' ? behind.at : r.at + 1;
    }
    return word_length(r) == 0;
}

static bool begins_with_one_of(Rest r, const char *words)
{
    for (size_t n; *words; words += n + (words[n] == '|')) {
        n = strcspn(words, "|");
        if (begins_with(r, words, n))
            return true;
    }
    return false;
}

static bool is_equation(Rest r, const char *first)
{
    return next_is_one_of(r, first) && r.at + 1 < r.end && r.at[1] == '=';
}

bool sh_shape_is_rasp(const char *text, size_t n)
{
    Rest r = {text, text + n};
    size_t length = word_length(r);
    Rest behind = {text + length, r.end}, next = skip_blanks(behind);
    bool command = sh_command_begins(text, length), blank = next.at > behind.at;
    if (sh_command_flagged(text, length, C_CONTROL))
        return false;
    bool assigns = next_is_one_of(next, "=") && !is_equation(next, "=");
    if (next_is_one_of(r, "0123456789\"([{+-") || begins_with_one_of(r, statements))
        return true;
    if (length == 0 || (command && blank && !assigns))
        return false;
    return assigns || next_is_one_of(next, command ? "([,+-*/%^<" : "([,+-*/%^<>;") ||
           is_equation(next, "=!:") || begins_with_one_of(next, word_operators);
}
