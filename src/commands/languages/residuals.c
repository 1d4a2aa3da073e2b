/* residuals.c - words that no automaton may lead to one state. */

#include "commands/languages/languages.h"

static const ThOptionSpec options[] = {
    {"length", TH_INT, NULL, 0, 1000, NULL,
     "symbols of words and of endings at most; as many as can be tried, up to 8"},
    TH_LANGUAGE_ALPHABET_OPTION,
    TH_LANGUAGE_STEPS_OPTION,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* The greatest length up to 8 with not too many words behind words. */
static int longest(int symbols)
{
    int length = 0;
    double sum = 1;
    for (double power = symbols; length < 8; power *= symbols, length++) {
        sum += power;
        if (4 * sum * sum > TH_LANGUAGE_MOST_TRIED)
            break;
    }
    return length;
}

/* Returns new: a word as text, ε for the empty one. */
static char *word_text(const ThLanguage *l, const int *word, int n, ThError *err)
{
    int symbols;
    char *const *symbol = th_language_symbols(l, &symbols);
    ThText t = {0};
    if (n == 0)
        th_text_add(&t, "ε");
    th_symbols_write(&t, symbol, symbols, word, n);
    return th_text_take(&t, err);
}

static bool show_words(ShSession *s, const ThLanguage *l, const ThLanguageResiduals *r, int length,
                       ThError *err)
{
    sh_table(s, "words", "word:s length:i ending:s");
    for (int i = 0; i < r->n; i++) {
        size_t at = (size_t)i * (size_t)length;
        char *word TH_OWNED(free) = word_text(l, r->word + at, r->size[i], err);
        char *ending TH_OWNED(free) = word_text(l, r->ending + at, r->ending_size[i], err);
        if (!word || !ending)
            return false;
        sh_row(s, word, (long long)r->size[i], i ? ending : "-");
    }
    sh_table_end(s);
    return true;
}

static void say_growth(ShSession *s, const ThLanguageResiduals *r, int length)
{
    int n = length;
    while (n > 0 && r->up_to[n - 1] == r->n)
        n--;
    sh_say_folded(
        s, "%d word%s of up to %d symbol%s: no deterministic, complete automaton has fewer states",
        r->n, sh_plural(r->n), length, sh_plural(length));
    if (n == length && length > 0)
        sh_say_folded(
            s, "the last length has brought new ones: a sign of no regular language, no proof");
    else
        sh_say_folded(
            s, "those of more than %d symbol%s have brought no new one, which proves nothing", n,
            sh_plural(n));
    sh_results(s, "words:i length:i last:i growing:b", (long long)r->n, (long long)length,
               (long long)n, n == length && length > 0);
}

SH_COMMAND(
    residuals, .group = "languages",
    .summary = "find words that no automaton may lead to one state: evidence against regularity",
    .detail =
        "Any two of the words become a member and a non-member behind some common ending: a "
        "deterministic automaton needs a state for each (Myhill and Nerode).  All words of up to "
        "length= symbols are looked at with all endings of up to as many.  Beside each "
        "stands the shortest ending that tells it from the one before.\n\n"
        "Of a regular language the number stops growing at the states of its minimal complete "
        "automaton; of another it grows for ever, like that of a^n b^n with every length.  A "
        "finite part of it is evidence and no proof: $growing says whether the last length "
        "has brought new ones, $words is a lower bound in any case.",
    .example = "grammar g { S -> a S b | epsilon }\n"
               "residuals g length=3\n"
               "#> word  length  ending\n"
               "#> ε          0  -\n"
               "#> a          1  ε\n"
               "#> b          1  b\n"
               "#> aa         2  bb\n"
               "#> ab         2  ε\n"
               "#> aaa        3  ε\n"
               "#> aab        3  b\n"
               "#> 7 words of up to 3 symbols: no deterministic, complete automaton has fewer\n"
               "#>   states\n"
               "#> the last length has brought new ones: a sign of no regular language, no proof",
    .results = "words length last growing", .args = {{A_LANGUAGE, "A", 0}}, .options = options,
    .flags = C_PAGED)
{
    const ShOperand *o = &call->operand[0];
    ThLanguage *l TH_OWNED(th_language_free) =
        sh_language_with(s, o->object, &call->options, NULL, err);
    ThLanguageResiduals r TH_OWNED(th_language_residuals_free) = {0};
    int symbols = 0, length = 0;
    if (l) {
        th_language_symbols(l, &symbols);
        length = th_option_given(&call->options, "length")
                     ? (int)th_option_int(&call->options, "length")
                     : longest(symbols);
    }
    bool ok = l && th_language_residuals(l, length, sh_stop(s), &r, err) &&
              show_words(s, l, &r, length, err);
    if (ok)
        say_growth(s, &r, length);
    return ok || sh_error_inside(err, o);
}
