/* Formulas with sums of counts: which words they are true of is told by looking at all positions.
 */
#include "automata/logic/formula.h"
#include "language/language_counting.h"
#include "language/language_text.h"

typedef struct {
    ThAutomatonFormula formula;
    char *text;
} Counting;

typedef struct {
    ThLanguageText text;
    const ThToken *formula;
} Parser;

static const char *const keywords[] = {"alphabet", "formula"};

static void free_data(void *data)
{
    Counting *c = data;
    th_automaton_formula_free(&c->formula);
    TH_FREE(c->text, c);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_statement(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    bool given = p->formula != NULL;
    if (keyword == 0)
        return true;
    if (keyword > 1)
        return th_language_unexpected(&p->text, s.first, "alphabet or formula");
    if (!th_language_once(&p->text, s, &given))
        return false;
    p->formula = s.first + 1;
    if (p->formula == s.end || p->formula->kind != TH_TOKEN_STRING)
        return th_language_unexpected(&p->text, p->formula, "a formula in quotes");
    return th_language_end(&p->text, s, s.first + 2);
}

/* An error inside the formula stands as far behind its quote in the block. */
static bool read_formula(Parser *p, Counting *c)
{
    ThError own = {0}, *err = p->text.err;
    ThLanguage *l = p->text.l;
    if (!th_automaton_formula_letters(&c->formula, l->symbol, l->n_symbols, err))
        return false;
    if (!th_automaton_counting_read(&c->formula, c->text, &own))
        return own.code == TH_EPARSE ? th_fail_at(err, own.code, p->formula->line,
                                                  p->formula->col + own.col, "%s", own.msg)
                                     : th_fail(err, own.code, "%s", own.msg);
    for (size_t i = (size_t)l->n_symbols; i < c->formula.letters; i++)
        if (th_language_symbol(l, c->formula.letter[i], err) < 0)
            return false;
    return true;
}

static bool parse(ThLanguage *l, const char *text, ThError *err)
{
    static ThLanguagePass *const pass[] = {read_statement};
    Parser p = {.text = {.l = l, .keyword = keywords, .n_keywords = 2, .err = err}};
    Counting *c = l->data = th_alloc(1, sizeof *c, err);
    bool ok = c && th_language_read_block(&p.text, text, pass, 1, &p) &&
              (p.formula || th_language_fail_at_end(&p.text, "no formula"));
    if (ok)
        c->text = th_strdup(th_language_token_text(&p.text, p.formula), err);
    ok = ok && c->text && read_formula(&p, c);
    th_tokens_free(&p.text.tokens);
    return ok;
}

static void write(ThText *t, const ThLanguage *l)
{
    th_language_write_alphabet(t, l);
    th_text_add(t, "  formula ");
    th_text_quoted(t, ((const Counting *)l->data)->text);
    th_text_add(t, "\n");
}

/* ---- asking ---------------------------------------------------------------------------------- */

static bool member(const ThLanguage *l, ThLanguageWord word, ThStop *stop, ThLanguageAnswer *answer,
                   ThError *err)
{
    const Counting *c = l->data;
    bool is = false,
         ok = th_automaton_formula_judge(&c->formula, word.symbol, word.n, &is, stop, err);
    *answer = is ? TH_LANGUAGE_YES : TH_LANGUAGE_NO;
    return ok;
}

bool th_language_is_counting(const ThLanguage *l)
{
    return l->kind == &th_language_kind_counting;
}

const char *th_language_counting_formula(const ThLanguage *l)
{
    return ((const Counting *)l->data)->text;
}

char *th_language_counting_program(const ThLanguage *l, const char *name, ThError *err)
{
    return th_automaton_formula_program(&((const Counting *)l->data)->formula, name, err);
}

const ThLanguageKind th_language_kind_counting = {
    .name = "counting",
    .parse = parse,
    .write = write,
    .free_data = free_data,
    .member = member,
};
