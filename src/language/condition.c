#include "language/condition.h"

#include <math.h>
#include <stdarg.h>

#include "language/variables.h"

typedef struct {
    enum { V_NUMBER, V_FLAG, V_TEXT } type;
    double number; /* V_FLAG: 0 or 1 */
    char *text;    /* V_TEXT, owned */
} Value;

typedef struct {
    ShSession *s;
    const char *text, *at;
    ThText *values;
    int depth;
    ThError *err;
} Parser;

static bool parse_or(Parser *p, Value *v);

static bool fail(Parser *p, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where `at` stands in the condition. */
static ShOperand place_of(const Parser *p, const char *at)
{
    ShOperand o = {.line = 1, .col = 1};
    for (const char *c = p->text; c < at; c++) {
        o.line += *c == '\n';
        o.col = *c == '\n' ? 1 : o.col + (((unsigned char)*c & 0xc0) != 0x80);
    }
    return o;
}

static bool fail(Parser *p, const char *at, const char *format, ...)
{
    char message[sizeof p->err->msg];
    ShOperand o = place_of(p, at);
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return th_fail_at(p->err, TH_EUSAGE, o.line, o.col, "%s", message);
}

static void skip_blanks(Parser *p)
{
    p->at += strspn(p->at, " \t\r\n");
}

static size_t word_length(const char *at)
{
    size_t n = 0;
    while ((at[n] >= 'a' && at[n] <= 'z') || (at[n] >= 'A' && at[n] <= 'Z') || at[n] == '_' ||
           (unsigned char)at[n] >= 0x80 || (n > 0 && at[n] >= '0' && at[n] <= '9'))
        n++;
    return n;
}

/* Steps over a mark or keyword if it comes next. */
static bool take(Parser *p, const char *what)
{
    skip_blanks(p);
    size_t n = strlen(what);
    if (strncmp(p->at, what, n) != 0 || (word_length(what) > 0 && word_length(p->at) != n))
        return false;
    p->at += n;
    return true;
}

static void note(Parser *p, const char *what, size_t n, const Value *v)
{
    th_text_add(p->values, p->values->size ? ", " : "");
    th_text_add_bytes(p->values, what, n);
    if (v->type == V_TEXT)
        th_text_printf(p->values, " = \"%s\"", v->text);
    else if (v->type == V_FLAG)
        th_text_add(p->values, v->number != 0 ? " = yes" : " = no");
    else
        th_text_printf(p->values, " = %.9g", v->number);
}

static bool compare_automata(Parser *p, const ThAutomaton *a, const ThAutomaton *b, Value *v)
{
    ThAutomatonDifference d = {0};
    size_t limit = (size_t)sh_setting_int(p->s, "limit-states");
    if (!th_automaton_compare(a, b, limit, sh_stop(p->s), &d, p->err))
        return false;
    v->type = V_FLAG;
    v->number = d.equivalent;
    if (!d.equivalent) {
        th_text_add(p->values, p->values->size ? ", " : "");
        th_text_printf(p->values, "they differ on %s", *d.word ? d.word : "the empty word");
    }
    free(d.word);
    return true;
}

/* One argument of a call: an automaton expression up to `,` or `)`. */
static ThAutomaton *parse_automaton(Parser *p)
{
    skip_blanks(p);
    const char *start = p->at;
    int depth = 0;
    bool string = false;
    for (; *p->at && (string || depth > 0 || !strchr(",)", *p->at)); p->at++)
        if (*p->at == '\\' && string && p->at[1])
            p->at++;
        else if (*p->at == '"')
            string = !string;
        else if (!string)
            depth += (*p->at == '(') - (*p->at == ')');
    char *text TH_OWNED(free) = th_strndup(start, (size_t)(p->at - start), p->err);
    ShOperand o = {.kind = A_AUTOMATON_EXPRESSION, .text = text, .line = 1};
    o.col = (int)(start - p->text) + 1;
    return text ? sh_automaton_value(p->s, &o, p->err) : NULL;
}

static bool parse_equivalent(Parser *p, Value *v)
{
    if (!take(p, "("))
        return fail(p, p->at, "expected '(' after equivalent");
    ThAutomaton *a TH_OWNED(th_automaton_free) = parse_automaton(p);
    if (a && !take(p, ","))
        return fail(p, p->at, "expected ',' between the two automata");
    ThAutomaton *b TH_OWNED(th_automaton_free) = a ? parse_automaton(p) : NULL;
    if (b && !take(p, ")"))
        return fail(p, p->at, "expected ')'");
    return b && compare_automata(p, a, b, v);
}

static bool unknown_name(Parser *p, const char *start, const char *name)
{
    const ShFigures *f = &p->s->out.figures;
    const char *names[64];
    size_t n = 0;
    ThText list TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; i < f->n && n < 64; i++) {
        names[n++] = f->item[i].name;
        th_text_printf(&list, "%s%s", i ? ", " : "", f->item[i].name);
    }
    const char *near = th_nearest(name, names, n);
    fail(p, start, "the last result has no '%s'", name);
    if (near)
        th_hint(p->err, "did you mean %s?", near);
    else if (n > 0)
        th_hint(p->err, "it has %s", list.data);
    else
        th_hint(p->err, "no command has set a result yet");
    return false;
}

static bool figure(Parser *p, const char *start, size_t n, Value *v)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)n, start);
    ShFigureValue f = sh_variable(p->s, name);
    if (!f.kind)
        return unknown_name(p, start, name);
    v->type = strchr("sl", f.kind) ? V_TEXT : f.kind == 'b' ? V_FLAG : V_NUMBER;
    v->number = f.real;
    if (v->type == V_TEXT && !(v->text = th_strdup(f.text, p->err)))
        return false;
    note(p, start, n, v);
    return true;
}

/* defined(NAME) */
static bool parse_defined(Parser *p, Value *v)
{
    char name[64];
    if (!take(p, "("))
        return fail(p, p->at, "expected '(' after defined");
    skip_blanks(p);
    size_t n = word_length(p->at);
    if (n == 0)
        return fail(p, p->at, "expected the name of a variable here");
    snprintf(name, sizeof name, "%.*s", (int)n, p->at);
    p->at += n;
    v->type = V_FLAG;
    v->number = sh_variable(p->s, name).kind != 0;
    note(p, name, strlen(name), v);
    return take(p, ")") || fail(p, p->at, "expected ')'");
}

static bool parse_name(Parser *p, Value *v)
{
    static const char *const words[] = {"no", "yes", "false", "true"};
    const char *start = p->at;
    size_t n = word_length(start);
    p->at += n;
    for (int i = 0; i < 4; i++) {
        if (strlen(words[i]) == n && memcmp(words[i], start, n) == 0) {
            v->type = V_FLAG;
            v->number = i % 2;
            return true;
        }
    }
    if (n == 10 && memcmp(start, "equivalent", n) == 0 && p->at[strspn(p->at, " \t")] == '(')
        return parse_equivalent(p, v);
    if (n == 7 && memcmp(start, "defined", n) == 0 && p->at[strspn(p->at, " \t")] == '(')
        return parse_defined(p, v);
    return figure(p, start, n, v);
}

/* $NAME or ${NAME}. */
static bool parse_inserted(Parser *p, Value *v)
{
    const char *start = p->at++, *name = p->at += *p->at == '{';
    size_t n = 0;
    while (sh_is_name_byte((unsigned char)name[n]))
        n++;
    p->at += n;
    if (n == 0 || (start[1] == '{' && *p->at++ != '}'))
        return fail(p, start, "expected a name behind this '$'");
    return figure(p, name, n, v);
}

static bool parse_text(Parser *p, Value *v)
{
    const char *start = p->at;
    ThText text TH_OWNED(th_text_free) = {0};
    size_t n = 1;
    while (start[n] && start[n] != '"')
        n += start[n] == '\\' && start[n + 1] ? 2 : 1;
    p->at = start + n + (start[n] == '"');
    char *inside TH_OWNED(free) = th_strndup(start + 1, n - 1, p->err);
    ShOperand o = place_of(p, start);
    bool ok =
        inside && (sh_insert_string(p->s, inside, &text, p->err) || sh_error_inside(p->err, &o));
    v->type = V_TEXT;
    v->text = ok ? th_text_take(&text, p->err) : NULL;
    return v->text != NULL;
}

static bool parse_number(Parser *p, Value *v)
{
    char *stop, text[64];
    long long whole;
    size_t n = strspn(p->at, "0123456789_eE^");
    snprintf(text, sizeof text, "%.*s", (int)n, p->at);
    v->number = strtod(p->at, &stop);
    const char *end = stop;
    if (n < sizeof text && p->at[n] != '.' && th_integer_read(text, &whole)) {
        v->number = (double)whole;
        end = p->at + n;
    }
    if (end == p->at || word_length(end) > 0)
        return fail(p, p->at, "expected a number, a name or a text here");
    p->at = end;
    return true;
}

static bool parse_factor(Parser *p, Value *v)
{
    skip_blanks(p);
    if (++p->depth > 200)
        return fail(p, p->at, "the condition is nested too deeply");
    bool ok;
    if (take(p, "(")) {
        ok = parse_or(p, v) && (take(p, ")") || fail(p, p->at, "expected ')'"));
    } else if (take(p, "-")) {
        ok = parse_factor(p, v);
        if (ok && v->type != V_NUMBER)
            ok = fail(p, p->at, "only a number can be negative");
        v->number = -v->number;
    } else if (*p->at == '$') {
        ok = parse_inserted(p, v);
    } else if (*p->at == '"') {
        ok = parse_text(p, v);
    } else if (word_length(p->at) > 0) {
        ok = parse_name(p, v);
    } else {
        ok = parse_number(p, v);
    }
    p->depth--;
    return ok;
}

/* Operators of one kind, from the left; both sides must be numbers. */
static bool parse_chain(Parser *p, Value *v, const char *signs, bool (*operand)(Parser *, Value *))
{
    bool ok = operand(p, v);
    while (ok && (skip_blanks(p), *p->at && strchr(signs, *p->at))) {
        const char *at = p->at++;
        Value w = {0};
        ok = operand(p, &w);
        if (ok && (v->type == V_TEXT || w.type == V_TEXT))
            ok = fail(p, at, "'%c' needs numbers on both sides", *at);
        free(w.text);
        v->type = ok ? V_NUMBER : v->type;
        v->number = *at == '+'   ? v->number + w.number
                    : *at == '-' ? v->number - w.number
                    : *at == '*' ? v->number * w.number
                                 : v->number / w.number;
    }
    return ok;
}

static bool parse_product(Parser *p, Value *v)
{
    return parse_chain(p, v, "*/", parse_factor);
}

static bool parse_sum(Parser *p, Value *v)
{
    return parse_chain(p, v, "+-", parse_product);
}

static bool holds(const char *op, double order)
{
    bool equal = op[1] == '=' && order == 0;
    return op[0] == '='   ? order == 0
           : op[0] == '!' ? order != 0
           : op[0] == '<' ? order < 0 || equal
                          : order > 0 || equal;
}

/* Negative, zero or positive; NaN where there is no order. */
static double compare_values(const Value *v, const Value *w)
{
    if (v->type == V_TEXT) {
        int order = strcmp(v->text, w->text);
        return order < 0 ? -1 : order > 0;
    }
    return v->number == w->number ? 0 : v->number - w->number; /* infinities are equal */
}

static bool parse_comparison(Parser *p, Value *v)
{
    static const char *const ops[] = {"==", "!=", "<=", ">=", "<", ">"};
    const char *op = NULL;
    if (!parse_sum(p, v))
        return false;
    skip_blanks(p);
    const char *at = p->at;
    for (size_t i = 0; !op && i < sizeof ops / sizeof *ops; i++)
        if (take(p, ops[i]))
            op = ops[i];
    if (!op && *at == '=')
        return fail(p, at, "'=' alone compares nothing") ||
               th_hint(p->err, "equality is written ==");
    if (!op)
        return true;
    Value w = {0};
    bool ok = parse_sum(p, &w);
    if (ok && (v->type == V_TEXT) != (w.type == V_TEXT))
        ok = fail(p, at, "'%s' compares a text with a number", op);
    if (ok) {
        double order = compare_values(v, &w);
        bool result = isnan(order) ? op[0] == '!' : holds(op, order);
        free(v->text);
        *v = (Value){.type = V_FLAG, .number = result};
    }
    free(w.text);
    return ok;
}

static bool need_truth(Parser *p, const Value *v, const char *at)
{
    return v->type == V_FLAG || fail(p, at, "expected a condition here, not a value");
}

static bool parse_not(Parser *p, Value *v)
{
    if (!take(p, "not"))
        return parse_comparison(p, v);
    skip_blanks(p);
    const char *at = p->at;
    if (++p->depth > 200)
        return fail(p, p->at, "the condition is nested too deeply");
    bool ok = parse_not(p, v) && need_truth(p, v, at);
    p->depth--;
    v->number = v->number == 0;
    return ok;
}

/* and, or: both sides are always read, so that mistakes show. */
static bool parse_junction(Parser *p, Value *v, const char *word, bool (*next)(Parser *, Value *))
{
    skip_blanks(p);
    const char *at = p->at;
    if (!next(p, v))
        return false;
    while (take(p, word)) {
        Value w = {0};
        skip_blanks(p);
        const char *right = p->at;
        bool ok = next(p, &w) && need_truth(p, v, at) && need_truth(p, &w, right);
        free(w.text);
        if (!ok)
            return false;
        bool both = v->number != 0 && w.number != 0, either = v->number != 0 || w.number != 0;
        v->number = word[0] == 'a' ? both : either;
    }
    return true;
}

static bool parse_and(Parser *p, Value *v)
{
    return parse_junction(p, v, "and", parse_not);
}

static bool parse_or(Parser *p, Value *v)
{
    return parse_junction(p, v, "or", parse_and);
}

bool sh_condition(ShSession *s, const char *text, bool *result, ThText *values, ThError *err)
{
    Parser p = {.s = s, .text = text, .at = text, .values = values, .err = err};
    Value v = {0};
    bool ok = parse_or(&p, &v);
    skip_blanks(&p);
    if (ok && *p.at)
        ok = fail(&p, p.at, "unexpected text after the condition");
    ok = ok && need_truth(&p, &v, text);
    *result = ok && v.number != 0;
    free(v.text);
    return ok;
}
