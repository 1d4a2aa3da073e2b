/* Pushdown automata as blocks, and as languages by way of their grammars. */
#include "language/pushdown.h"

#include "automata/core/build.h"
#include "language/language_text.h"
#include "language/pushdown_impl.h"

const char *th_pushdown_state(const ThPushdown *p, int q)
{
    return th_intern_at(&p->state, (size_t)q, NULL);
}

const char *th_pushdown_symbol(const ThPushdown *p, int x)
{
    return th_intern_at(&p->on_stack, (size_t)x, NULL);
}

static void free_data(void *data)
{
    ThPushdown *p = data;
    th_intern_free(&p->state);
    th_intern_free(&p->on_stack);
    TH_FREE(p->rule, p->stack, p->accepts, p);
}

/* ---- reading --------------------------------------------------------------------------------- */

typedef enum { START, BOTTOM, ALPHABET, ACCEPT, EMPTY, N_KEYWORDS } Keyword;
static const char *const keywords[N_KEYWORDS] = {"start", "bottom", "alphabet", "accept", "empty"};

typedef struct {
    ThLanguageText text;
    ThPushdown *p;
} Parser;

/* The number of a name in a table of states or symbols of the stack; marks are such symbols, too.
 */
static bool read_name(Parser *p, ThIntern *in, const ThToken *t, const char *what, int *x)
{
    char mark[2] = {t->kind, '\0'};
    bool name = th_token_is_name(t);
    const char *text = name ? th_language_token_text(&p->text, t) : mark;
    size_t index;
    if (t->kind == TH_TOKEN_ARROW || t->kind == TH_TOKEN_END || t->kind == '\n' ||
        (!name && in == &p->p->state))
        return th_language_unexpected(&p->text, t, what);
    *x = th_intern(in, text, strlen(text) + 1, &index, p->text.err) ? (int)index : -1;
    return *x >= 0;
}

/* Symbols of the stack up to a token; the sign of the empty word is none. */
static bool read_part(Parser *p, const ThToken *t, const ThToken *end, ThPushdownPart *part)
{
    ThPushdown *d = p->p;
    part->from = (int)d->n_stack;
    for (; t < end; t++) {
        if (th_language_is_empty_sign(&p->text, t))
            continue;
        if (!th_grow(&d->stack, &d->stack_cap, d->n_stack + 1, sizeof *d->stack, p->text.err) ||
            !read_name(p, &d->on_stack, t, "a symbol of the stack", &d->stack[d->n_stack]))
            return false;
        d->n_stack++;
    }
    part->n = (int)d->n_stack - part->from;
    return true;
}

/* FROM SYMBOL [TAKEN …] -> TO [PUT …]; the bottom comes first, without a name of its own as Z. */
static bool read_rule(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    ThPushdown *d = p->p;
    ThPushdownRule r = {0};
    const ThToken *t = s.first, *arrow = t;
    while (arrow < s.end && arrow->kind != TH_TOKEN_ARROW)
        arrow++;
    size_t index;
    if (!d->bottom && !th_intern(&d->on_stack, "Z", 2, &index, p->text.err))
        return false;
    if (keyword < N_KEYWORDS)
        return true;
    if (!read_name(p, &d->state, t++, "a state", &r.from))
        return false;
    if (t >= arrow)
        return th_language_unexpected(&p->text, t, "a symbol, or epsilon");
    r.symbol = th_language_is_empty_sign(&p->text, t) ? -1 : th_language_token_symbol(&p->text, t);
    if (r.symbol < 0 && !th_language_is_empty_sign(&p->text, t))
        return false;
    if (arrow == s.end)
        return th_language_unexpected(&p->text, arrow, "'->'");
    if (!read_part(p, t + 1, arrow, &r.pop) ||
        !read_name(p, &d->state, arrow + 1, "a state", &r.to) ||
        !read_part(p, arrow + 2, s.end, &r.push) ||
        !th_grow(&d->rule, &d->rule_cap, d->n_rules + 1, sizeof r, p->text.err))
        return false;
    d->rule[d->n_rules++] = r;
    return true;
}

static bool read_declaration(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    ThPushdown *d = p->p;
    const ThToken *t = s.first + 1;
    bool start = keyword == START, begun = d->state.n > 0;
    int x;
    d->by_emptied = d->by_emptied || keyword == EMPTY;
    if (start || keyword == BOTTOM)
        if (!th_language_once(&p->text, s, start ? &begun : &d->bottom) ||
            !read_name(p, start ? &d->state : &d->on_stack, t++, "a name", &x))
            return false;
    return (!start && keyword != BOTTOM && keyword != EMPTY) || th_language_end(&p->text, s, t);
}

static bool read_accept(void *context, int keyword, ThStatement s)
{
    Parser *p = context;
    size_t known = p->p->state.n;
    int q = 0;
    if (!p->p->accepts &&
        !(p->p->accepts = th_alloc(known + 1, sizeof *p->p->accepts, p->text.err)))
        return false;
    for (const ThToken *t = s.first + 1; keyword == ACCEPT && t < s.end; t++) {
        if (!read_name(p, &p->p->state, t, "a state", &q))
            return false;
        if ((size_t)q >= known && q > 0)
            return th_language_token_fail(&p->text, t, "no rule leads to or from state ", "");
        p->p->accepts[q] = true;
    }
    return true;
}

static bool check(Parser *p)
{
    const ThPushdown *d = p->p;
    bool some = d->by_emptied;
    for (size_t q = 0; q < d->state.n; q++)
        some = some || d->accepts[q];
    if (d->state.n == 0)
        return th_language_fail_at_end(&p->text, "no start state");
    return some || th_language_fail_at_end(&p->text, "no state accepts") ||
           th_hint(p->text.err, "accept Q; or empty: by the empty stack");
}

/* Of no words there is no grammar, but an automaton. */
static ThLanguage *no_words(const ThLanguage *l, ThError *err)
{
    ThAutomatonBuild b = {0};
    th_automaton_build_start(&b, th_automaton_build_state(&b, "none"));
    for (int i = 0; i < l->n_symbols; i++)
        th_automaton_build_symbol(&b, l->symbol[i]);
    ThAutomaton *a TH_OWNED(th_automaton_free) = th_automaton_build_finish(&b, err);
    return a ? th_language_of_automaton(a, 0, NULL, err) : NULL;
}

/* The grammar, which answers; the one error of values that there can be is that no word is
 * accepted. */
static bool find_grammar(ThLanguage *l, ThError *err)
{
    ThError own = {0};
    char *text TH_OWNED(free) = th_pushdown_grammar(l, &own);
    l->as = text                    ? th_language_parse("grammar", text, &own)
            : own.code == TH_EVALUE ? no_words(l, &own)
                                    : NULL;
    return l->as || th_fail(err, own.code, "%s", own.msg);
}

static bool parse(ThLanguage *l, const char *text, ThError *err)
{
    static ThLanguagePass *const pass[] = {read_declaration, read_rule, read_accept};
    Parser p = {.text = {.l = l, .keyword = keywords, .n_keywords = N_KEYWORDS, .err = err}};
    l->data = p.p = th_alloc(1, sizeof *p.p, err);
    bool ok = p.p && th_language_read_block(&p.text, text, pass, 3, &p) && check(&p) &&
              find_grammar(l, err);
    th_tokens_free(&p.text.tokens);
    return ok;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void write_part(ThText *t, const ThPushdown *d, ThPushdownPart part)
{
    for (int i = 0; i < part.n; i++) {
        th_text_add(t, " ");
        th_language_write_symbol(t, th_pushdown_symbol(d, d->stack[part.from + i]));
    }
}

static void write(ThText *t, const ThLanguage *l)
{
    const ThPushdown *d = l->data;
    th_language_write_alphabet(t, l);
    th_text_add(t, "  start ");
    th_text_symbol(t, th_pushdown_state(d, 0));
    th_text_add(t, "\n  bottom ");
    th_language_write_symbol(t, th_pushdown_symbol(d, 0));
    for (size_t q = 0; q < d->state.n; q++)
        if (d->accepts[q]) {
            th_text_add(t, "\n  accept ");
            th_text_symbol(t, th_pushdown_state(d, (int)q));
        }
    th_text_add(t, d->by_emptied ? "\n  empty" : "");
    for (size_t i = 0; i < d->n_rules; i++) {
        const ThPushdownRule *r = &d->rule[i];
        th_text_add(t, "\n  ");
        th_text_symbol(t, th_pushdown_state(d, r->from));
        th_text_add(t, " ");
        if (r->symbol < 0)
            th_text_add(t, "epsilon");
        else
            th_language_write_symbol(t, l->symbol[r->symbol]);
        write_part(t, d, r->pop);
        th_text_add(t, " -> ");
        th_text_symbol(t, th_pushdown_state(d, r->to));
        write_part(t, d, r->push);
    }
    th_text_add(t, "\n");
}

bool th_language_is_pushdown(const ThLanguage *l)
{
    return l->kind == &th_language_kind_pushdown;
}

static void add_part(ThText *t, const ThPushdown *d, ThPushdownPart part)
{
    for (int i = 0; i < part.n; i++)
        th_text_printf(t, "%s%s", i ? " " : "", th_pushdown_symbol(d, d->stack[part.from + i]));
    th_text_add(t, part.n ? "" : "\xce\xb5");
}

/* Labels "a | X / Y Z": what is read, taken from the stack, and put there. */
static ThAutomaton *picture(const ThLanguage *l, ThError *err)
{
    const ThPushdown *d = l->data;
    ThAutomatonBuild b = {0};
    for (size_t q = 0; q < d->state.n; q++)
        th_automaton_build_state(&b, th_pushdown_state(d, (int)q));
    th_automaton_build_start(&b, 0);
    for (size_t q = 0; q < d->state.n; q++)
        if (d->accepts[q])
            th_automaton_build_accept(&b, (int)q);
    for (size_t i = 0; i < d->n_rules; i++) {
        const ThPushdownRule *r = &d->rule[i];
        ThText label TH_OWNED(th_text_free) = {0};
        th_text_printf(&label, "%s | ", r->symbol < 0 ? "\xce\xb5" : l->symbol[r->symbol]);
        add_part(&label, d, r->pop);
        th_text_add(&label, " / ");
        add_part(&label, d, r->push);
        int symbol = th_automaton_build_symbol(&b, label.data ? label.data : "");
        th_automaton_build_arc(&b,
                               (ThAutomatonArc){r->from, symbol, r->to, TH_AUTOMATON_NO_OUTPUT});
    }
    return th_automaton_build_finish(&b, err);
}

const ThLanguageKind th_language_kind_pushdown = {
    .name = "pushdown",
    .parse = parse,
    .write = write,
    .free_data = free_data,
    .picture = picture,
    .states = th_pushdown_states,
    .track = th_pushdown_track,
};
