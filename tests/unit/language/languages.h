/* languages.h - twenty languages, each in several ways, and a function that knows none of them. */
#ifndef TEST_UNIT_LANGUAGE_LANGUAGES_H
#define TEST_UNIT_LANGUAGE_LANGUAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* How often a letter stands at the beginning. */
static inline int run(const char *w, int at, char letter)
{
    int n = 0;
    while (w[at + n] == letter)
        n++;
    return n;
}

static inline int all_of(const char *w, char letter)
{
    int n = 0;
    for (; *w; w++)
        n += *w == letter;
    return n;
}

static bool is_anbn(const char *w, int n)
{
    int a = run(w, 0, 'a'), b = run(w, a, 'b');
    return a == b && a + b == n;
}

static bool is_anbn1(const char *w, int n)
{
    return n > 0 && is_anbn(w, n);
}

static bool is_dyck(const char *w, int n)
{
    int depth = 0;
    for (int i = 0; i < n && depth >= 0; i++)
        depth += w[i] == 'a' ? 1 : -1;
    return depth == 0;
}

static bool is_equal(const char *w, int n)
{
    return 2 * all_of(w, 'a') == n;
}

static bool is_majority(const char *w, int n)
{
    return 2 * all_of(w, 'a') > n;
}

static bool is_palindrome(const char *w, int n)
{
    for (int i = 0; i < n / 2; i++)
        if (w[i] != w[n - 1 - i])
            return false;
    return true;
}

static bool is_even_palindrome(const char *w, int n)
{
    return n % 2 == 0 && is_palindrome(w, n);
}

static bool is_abc(const char *w, int n)
{
    int a = run(w, 0, 'a'), b = run(w, a, 'b'), c = run(w, a + b, 'c');
    return a == b && b == c && a + b + c == n;
}

static bool is_nested(const char *w, int n)
{
    int a = run(w, 0, 'a'), b = run(w, a, 'b'), c = run(w, a + b, 'a'), d = run(w, a + b + c, 'b');
    /* with b = 0 the second run of a is none, so that a^n b^n is read as a run and a last one */
    if (a + b == n)
        return a == b;
    return a + b + c + d == n && (c == 0 ? false : b == c && a == d);
}

static bool is_either(const char *w, int n)
{
    int a = run(w, 0, 'a'), b = run(w, a, 'b'), c = run(w, a + b, 'c');
    return a + b + c == n && (a == b || b == c);
}

static bool is_shuffle(const char *w, int n)
{
    int x = 0, y = 0;
    for (int i = 0; i < n && x >= 0 && y >= 0; i++) {
        x += w[i] == 'a' ? 1 : w[i] == 'b' ? -1 : 0;
        y += w[i] == 'c' ? 1 : w[i] == 'd' ? -1 : 0;
    }
    return x == 0 && y == 0;
}

static bool is_dyck2(const char *w, int n)
{
    char open[16];
    int depth = 0;
    for (int i = 0; i < n; i++) {
        if (w[i] == 'a' || w[i] == 'c')
            open[depth++] = w[i];
        else if (depth == 0 || open[--depth] + 1 != w[i])
            return false;
    }
    return depth == 0;
}

static bool is_even_as(const char *w, int n)
{
    (void)n;
    return all_of(w, 'a') % 2 == 0;
}

static bool is_abs(const char *w, int n)
{
    for (int i = 0; i < n; i++)
        if (w[i] != (i % 2 ? 'b' : 'a'))
            return false;
    return n % 2 == 0;
}

static bool is_marked(const char *w, int n)
{
    return n % 2 == 1 && w[n / 2] == 'c' && all_of(w, 'c') == 1 && is_palindrome(w, n);
}

/* One expression in prefix notation: a is a leaf, b has one operand, c two. */
static bool is_prefix(const char *w, int n)
{
    int wanted = 1;
    for (int i = 0; i < n; i++) {
        if (wanted == 0)
            return false;
        wanted += w[i] - 'b';
    }
    return wanted == 0;
}

static bool is_anb2n(const char *w, int n)
{
    int a = run(w, 0, 'a'), b = run(w, a, 'b');
    return 2 * a == b && a + b == n;
}

static bool is_ambn_more(const char *w, int n)
{
    int a = run(w, 0, 'a'), b = run(w, a, 'b');
    return a >= b && a + b == n;
}

static bool is_ambn_other(const char *w, int n)
{
    int a = run(w, 0, 'a'), b = run(w, a, 'b');
    return a != b && a + b == n;
}

static bool is_anbncm(const char *w, int n)
{
    int a = run(w, 0, 'a'), b = run(w, a, 'b'), c = run(w, a + b, 'c');
    return a == b && a + b + c == n;
}

static bool is_list(const char *w, int n)
{
    for (int i = 0; i < n; i++)
        if (w[i] != (i % 2 ? 'a' : 'b'))
            return false;
    return n % 2 == 1;
}

static const struct {
    const char *name;
    int letters;
    bool (*want)(const char *w, int n);
    bool ambiguous; /* the grammar is */
    const char *grammar, *counters;
} languages[] = {
    {"anbn", 2, is_anbn, false, "S -> a S b | eps",
     "accept p q where 0; p a -> p / +1; p b -> q / -1; q b -> q / -1"},
    {"anbn1", 2, is_anbn1, false, "S -> a S b | a b",
     "accept q where 0; p a -> p / +1; p b -> q / -1; q b -> q / -1"},
    {"dyck", 2, is_dyck, false, "S -> a S b S | epsilon",
     "accept p where 0; p a -> p / +1; p b -> p / -1"},
    {"equal", 2, is_equal, true, "S -> a S b S | b S a S | eps",
     "accept p n where 0; p a -> p / +1; p b where + -> p / -1; p b where 0 -> n / +1\n"
     "n b -> n / +1; n a where + -> n / -1; n a where 0 -> p / +1"},
    {"majority", 2, is_majority, false,
     "alphabet a b; S -> E a P; P -> A | A a P; E -> eps | a A b E | b B a E\n"
     "A -> eps | a A b A; B -> eps | b B a B",
     "accept p where +; p a -> p / +1; p b where + -> p / -1; p b where 0 -> n / +1\n"
     "n b -> n / +1; n a where + -> n / -1; n a where 0 -> p / +1"},
    {"palindromes", 2, is_palindrome, false, "S -> a S a | b S b | a | b | eps", NULL},
    {"even palindromes", 2, is_even_palindrome, false, "S -> a S a\n | b S b\n | eps", NULL},
    {"abc", 3, is_abc, false, NULL,
     "counters 2; accept p r where 0 0; p a -> p / +1 0; p b -> q / -1 +1; q b -> q / -1 +1\n"
     "q c where 0 + -> r / 0 -1; r c -> r / 0 -1"},
    {"nested", 2, is_nested, false, "S -> a S b | T; T -> b T a | eps",
     "counters 3; start p; accept p where 0 0 0; accept q where * * 0; accept r s where 0 0 *\n"
     "p a -> p / +1 0 +1; p b where * * + -> q / 0 +1 -1; p b where * * 0 -> Q / 0 +1 0\n"
     "q b where * * + -> q / 0 +1 -1; q b where * * 0 -> Q / 0 +1 0; Q b -> Q / 0 +1 0\n"
     "q a -> r / 0 -1 0; Q a -> r / 0 -1 0; r a -> r / 0 -1 0\n"
     "r b where * 0 * -> s / -1 0 0; s b -> s / -1 0 0"},
    {"either", 3, is_either, true,
     "S -> A C | D E; A -> a A b | eps; C -> c C | eps; D -> a D | eps; E -> b E c | eps",
     "counters 2; accept a d; accept x b c where 0 *; accept c f where * 0; start a\n"
     "a a -> a / +1 0; a b where + * -> b / -1 +1; a b where 0 * -> e / 0 +1; a c -> x; x c -> x\n"
     "b b where + * -> b / -1 +1; b b where 0 * -> e / 0 +1; b c where * + -> c / 0 -1\n"
     "e b -> e / 0 +1; e c where * + -> f / 0 -1; f c where * + -> f / 0 -1\n"
     "c c where * + -> c / 0 -1; c c where 0 0 -> d; d c -> d"},
    {"shuffle", 4, is_shuffle, false, NULL,
     "counters 2; accept p where 0 0\n"
     "p a -> p / +1 0; p b -> p / -1 0; p c -> p / 0 +1; p d -> p / 0 -1"},
    {"dyck2", 4, is_dyck2, false, "alphabet a b c d; S -> a S b S | c S d S | eps", NULL},
    {"even", 2, is_even_as, false, "S -> b S | a T | eps; T -> b T | a S",
     "counters 0; alphabet a b; accept p; p b -> p; p a -> q; q b -> q; q a -> p"},
    {"abs", 2, is_abs, false, "S -> a b S | eps",
     "counters 0; accept p; p a -> q; q b -> p; q a -> dead; dead a,b -> dead"},
    {"marked", 3, is_marked, false, "alphabet a b c; S -> a S a | b S b | c", NULL},
    {"prefix", 3, is_prefix, false, "S -> a | b S | c S S",
     "start p; accept e; p a where 0 -> e; p a where + -> p / -1; p b -> p; p c -> p / +1"},
    {"anb2n", 2, is_anb2n, false, "S -> a S b b | eps",
     "accept p q where 0; p a -> p / +2; p b -> q / -1; q b -> q / -1"},
    {"more", 2, is_ambn_more, false, "S -> a S | T; T -> a T b | eps",
     "accept p q; p a -> p / +1; p b -> q / -1; q b -> q / -1"},
    {"other", 2, is_ambn_other, false, "S -> a S b | A | B; A -> a A | a; B -> b B | b",
     "accept p q where +; accept r; p a -> p / +1; p b where + -> q / -1; p b where 0 -> r\n"
     "q b where + -> q / -1; q b where 0 -> r; r b -> r"},
    {"anbncm", 3, is_anbncm, false, "S -> T C; T -> a T b | eps; C -> C c | eps",
     "accept p q c where 0; p a -> p / +1; p b -> q / -1; q b -> q / -1; p c where 0 -> c\n"
     "q c where 0 -> c; c c -> c"},
    {"list", 2, is_list, false, "alphabet a b; S -> S a X | X; X -> b", NULL},
};

enum { LANGUAGES = sizeof languages / sizeof *languages };

#endif
