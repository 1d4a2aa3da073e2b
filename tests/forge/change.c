#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change_impl.h"

const char *const change_kind_name[CHANGE_KINDS] = {
    "files",  "headers", "numbers",      "weights",  "read-outs",
    "claims", "slack",   "permutations", "widening", "cancelling units"};

/* What is tried with every subject before all else; each is a weak place of something. */
static const ChangeKind first[CHANGE_FIRST] = {CANCELLING, IN_CLAIM, IN_READ_OUT, IN_NUMBERS,
                                               CANCELLING, IN_CLAIM, CANCELLING,  IN_READ_OUT,
                                               WIDENING,   IN_SLACK};

void change_note(Change *x, const char *what, long at)
{
    size_t n = strlen(x->what);
    snprintf(x->what + n, sizeof x->what - n, "%s%s %ld", n ? ", " : "", what, at);
}

int change_below(Change *x, int n)
{
    return (int)th_rng_below(&x->r, (uint64_t)n);
}

/* ---- numbers --------------------------------------------------------------------------------- */

double change_number(Change *x, double was, double other)
{
    static const double odd[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, 0,   1e300,
                                 -1e300,      5e-324,   1000,      1001};
    double by = pow(10, -9 + 10 * th_rng_uniform(&x->r));
    switch (change_below(x, 8)) {
    case 0:
        return 0;
    case 1:
        return -was;
    case 2:
        return other;
    case 3:
        return odd[change_below(x, 9)];
    case 4:
        return was * pow(10, change_below(x, 13) - 6);
    default:
        return was * (1 + (change_below(x, 2) ? by : -by));
    }
}

static void change_reals(Change *x, double *a, int n, const char *what)
{
    int at = change_below(x, n);
    change_note(x, what, at);
    a[at] = change_number(x, a[at], a[change_below(x, n)]);
}

static void change_integers(Change *x, int *a, int n, int low, int high, const char *what)
{
    int at = change_below(x, n);
    change_note(x, what, at);
    if (n > 0 && high >= low)
        a[at] = low + change_below(x, high - low + 1);
}

/* ---- files ----------------------------------------------------------------------------------- */

static json_t *section(Change *x, json_t *from)
{
    json_t *at = from, *next = NULL;
    for (int deep = 0; deep < 4 && (json_is_object(at) || json_is_array(at)); deep++) {
        if (deep > 0 && change_below(x, 3) == 0)
            return at;
        int n = (int)(json_is_object(at) ? json_object_size(at) : json_array_size(at));
        int i = n > 0 ? change_below(x, n) : 0;
        if (json_is_array(at))
            next = json_array_get(at, (size_t)i);
        else
            for (void *it = json_object_iter(at); it; it = json_object_iter_next(at, it))
                if (i-- == 0)
                    next = json_object_iter_value(it);
        if (!next)
            return at;
        at = next;
    }
    return at;
}

static void change_array(Change *x, json_t *a)
{
    size_t n = json_array_size(a), i = n ? (size_t)change_below(x, (int)n) : 0,
           j = n ? (size_t)change_below(x, (int)n) : 0;
    change_note(x, "array", (long)i);
    if (n == 0)
        return;
    json_t *kept = json_deep_copy(json_array_get(a, i));
    switch (change_below(x, 4)) {
    case 0:
        json_array_remove(a, i);
        json_decref(kept);
        return;
    case 1:
        json_array_insert_new(a, j, kept);
        return;
    case 2:
        json_array_set(a, i, json_array_get(a, j));
        json_array_set_new(a, j, kept);
        return;
    default:
        json_array_set_new(a, j, kept);
    }
}

static void change_file(Change *x, json_t *file)
{
    json_t *at = section(x, file);
    if (change_below(x, 12) == 0) { /* a section of another */
        const Subject *from = &x->all[change_below(x, SUBJECTS)];
        const char *key = NULL;
        json_t *value;
        int n = change_below(x, (int)json_object_size(file));
        json_object_foreach(file, key, value) if (n-- == 0) break;
        change_note(x, key ? key : "", from - x->all);
        json_t *other = from->file && key ? json_object_get(from->file, key) : NULL;
        if (other)
            json_object_set_new(file, key, json_deep_copy(other));
        else if (key)
            json_object_del(file, key);
    } else if (json_is_array(at))
        change_array(x, at);
    else if (json_is_integer(at)) {
        change_note(x, "integer", (long)json_integer_value(at));
        json_integer_set(at, json_integer_value(at) + change_below(x, 5) - 2);
    } else if (json_is_real(at)) {
        change_note(x, "real", 0);
        double to = change_number(x, json_real_value(at), 1);
        json_real_set(at, isfinite(to) ? to : 1e308);
    }
}

/* Answers that are not asked, or are what is said anyway. */
static void spoil_answers(Change *x, ThProofCertificate *c)
{
    int to = change_below(x, c->n_classes + 1) - 1;
    change_note(x, "all answers", to);
    for (int q = 0; q < c->n_states; q++)
        c->answer[q] = to;
}

/* All sets are smaller or larger. */
static void change_radii(Change *x, ThProofCertificate *c)
{
    double by = pow(10, 1.5 * th_rng_uniform(&x->r) - 1);
    change_note(x, "all radii, per cent", (long)(100 * by));
    for (int i = 0; i < c->n_labels; i++)
        c->radius[i] *= by;
}

enum { CHANGE_ANSWERS = 10, CHANGE_RADII };

static void change_numbers(Change *x, ThProofCertificate *c, int which)
{
    int states = c->n_states + c->n_domain;
    switch (which) {
    case 0:
        change_reals(x, c->centre, c->n_labels * c->dim, "centre");
        break;
    case 1:
    case 2:
        change_reals(x, c->radius, c->n_labels, "radius");
        break;
    case 3:
        change_reals(x, &c->slack, 1, "slack");
        break;
    case 4:
        if (c->shape)
            change_reals(x, c->shape, c->n_labels * c->dim * c->dim, "shape");
        break;
    case 5:
        change_integers(x, c->next, c->n_states * c->n_symbols, 0, c->n_states - 1, "next");
        break;
    case 6:
        change_integers(x, c->answer, c->n_states, -1, c->n_classes - 1, "answer");
        break;
    case 7:
        change_integers(x, c->map, c->n_labels * states, 0, c->n_states - 1, "map");
        break;
    case 8:
        change_integers(x, &c->start, 1, 0, c->n_states - 1, "start");
        break;
    case 9:
        if (c->n_domain > 0)
            change_integers(x, c->inside, c->n_domain, 0, 1, "inside");
        break;
    case CHANGE_ANSWERS:
        spoil_answers(x, c);
        break;
    default:
        change_radii(x, c);
    }
}

/* Format, kind, slack, sizes. */
static void change_header(Change *x, json_t *file)
{
    static const char *const key[] = {"format", "kind", "slack", "dim", "start", "answer"};
    static const char *const text[] = {
        "tapehead certificate 1", "tapehead certificate 3", "sets", "algebra", "table", ""};
    static const double real[] = {0, 1e-300, 5e-324, -1, 1e-12, 1e300};
    int at = change_below(x, 6), to = change_below(x, 6);
    json_t *was = json_object_get(file, key[at]);
    change_note(x, key[at], to);
    if (json_is_string(was))
        json_string_set(was, text[to]);
    else if (json_is_real(was))
        json_real_set(was, real[to]);
    else if (json_is_integer(was))
        json_integer_set(was, json_integer_value(was) + to - 3);
    else if (to > 2)
        json_object_del(file, key[at]);
    if (change_below(x, 4) == 0) { /* what another kind of certificate has */
        json_object_set_new(file, "kind", json_string(text[2 + change_below(x, 3)]));
        json_object_set_new(file, "ball", json_real(pow(10, change_below(x, 7) - 5)));
        json_object_set_new(file, "radius", json_real(pow(10, change_below(x, 7) - 5)));
    }
}

/* Returns new: the subject's certificate with so many changes in its file, or NULL: it is none any
 * more. */
static ThProofCertificate *certificate(Change *x, int edits, bool header)
{
    ThError err = {0};
    json_t *file = json_deep_copy(x->s->file);
    for (int i = 0; i < edits; i++)
        change_file(x, file);
    if (header)
        change_header(x, file);
    bool written = file && json_dump_file(file, x->path, JSON_REAL_PRECISION(17)) == 0;
    json_decref(file);
    return written ? th_proof_certificate_read(x->path, &err) : NULL;
}

ThProofCertificate *change_nothing(Change *x)
{
    return certificate(x, 0, false);
}

/* ---- claims ---------------------------------------------------------------------------------- */

static void exchange_names(Change *x, char **names, int n)
{
    int a = change_below(x, n), b = change_below(x, n);
    char *kept = names[a];
    change_note(x, "names", a);
    names[a] = names[b];
    names[b] = kept;
}

/* Returns new: the same answers, but others, or none, where the length is odd. */
static ThDfa *odd_others(const ThDfa *d, int turn)
{
    int n = d->n_states, k = d->n_symbols;
    ThDfa *to = th_dfa_new(2 * n, k, d->n_classes + (turn == 0), NULL);
    for (int i = 0; i < 2 * n * k; i++)
        to->next[i] = d->next[i % (n * k)] + (i < n * k ? n : 0);
    for (int q = 0; q < 2 * n; q++)
        to->label[q] = q < n       ? d->label[q]
                       : turn == 0 ? d->n_classes
                                   : (d->label[q - n] + turn) % d->n_classes;
    to->start = d->start;
    return to;
}

/* Makes the claim of what is asked now. */
static void claim(Change *x, double slack)
{
    ThError err = {0};
    const ThProofAsked asked = {
        .task = &x->asked, .machine = x->machine, .domain = x->domain, .slack = slack};
    if (x->claim != x->s->claim)
        th_proof_claim_free(x->claim);
    x->claim = th_proof_claim_new(x->m, &asked, NULL, &err);
}

static void ask_odd_others(Change *x)
{
    x->anew = true;
    th_dfa_free(x->other);
    x->other = odd_others(x->machine, (change_below(x, 5) + 1) % 5 % 3);
    change_note(x, "odd lengths", x->other->n_classes);
}

/* Names of its own, an automaton of its own. */
static void own_claim(Change *x, char **symbol, char **label)
{
    const ThSignature *was = &x->s->task->signature;
    x->changed = true;
    memcpy(symbol, was->symbol, (size_t)was->n_symbols * sizeof *symbol);
    memcpy(label, was->label, (size_t)was->n_classes * sizeof *label);
    x->asked.symbol = symbol;
    x->asked.label = label;
    x->other = th_dfa_copy(x->machine, NULL);
}

static char *symbol[64], *label[64];

static void change_claim(Change *x)
{
    const ThSignature *was = &x->s->task->signature;
    own_claim(x, symbol, label);
    switch (x->first ? 6 : change_below(x, 7)) {
    case 0:
        exchange_names(x, symbol, was->n_symbols);
        break;
    case 1:
        exchange_names(x, label, was->n_classes);
        break;
    case 2:
        change_integers(x, x->other->next, x->other->n_states * x->other->n_symbols, 0,
                        x->other->n_states - 1, "asked next");
        break;
    case 3:
        change_integers(x, x->other->label, x->other->n_states, 0, x->other->n_classes - 1,
                        "asked answer");
        break;
    case 4:
        change_note(x, "all strings", 0);
        x->domain = NULL;
        break;
    case 5:
        x->asked.target = was->target == TH_TARGET_EVERY ? TH_TARGET_FINAL : TH_TARGET_EVERY;
        change_note(x, "target", x->asked.target);
        break;
    default:
        ask_odd_others(x);
    }
    x->machine = x->other;
    claim(x, x->s->claim->slack);
}

static void exchange_columns(int *next, int rows, int n, int a, int b)
{
    for (int i = 0; i < rows; i++) {
        int kept = next[i * n + a];
        next[i * n + a] = next[i * n + b];
        next[i * n + b] = kept;
    }
}

static void exchange_values(int *v, int n, int a, int b)
{
    for (int i = 0; i < n; i++)
        v[i] = v[i] == a ? b : v[i] == b ? a : v[i];
}

/* Two symbols, or two answers, change places in what is asked, and mostly in the certificate, whose
 * names may follow, too. */
static ThProofCertificate *permute(Change *x)
{
    ThProofCertificate *c = change_nothing(x);
    bool answers = change_below(x, 2), both = change_below(x, 4) > 0,
         named = change_below(x, 3) == 0;
    own_claim(x, symbol, label);
    int n = answers ? x->asked.n_classes : x->asked.n_symbols, a = change_below(x, n),
        b = change_below(x, n);
    change_note(x, answers ? "answers" : "symbols", 10 * a + b);
    if (answers)
        exchange_values(x->other->label, x->other->n_states, a, b);
    else
        exchange_columns(x->other->next, x->other->n_states, n, a, b);
    if (c && both && answers)
        exchange_values(c->answer, c->n_states, a, b);
    else if (c && both)
        exchange_columns(c->next, c->n_states + c->n_domain, n, a, b);
    if (c && named) {
        char **name = answers ? c->class_name : c->symbol, *kept = name[a];
        name[a] = name[b];
        name[b] = kept;
    }
    x->machine = x->other;
    claim(x, x->s->claim->slack);
    return c;
}

/* A certificate of what is true of strings of even length, and a claim about others, too. */
static ThProofCertificate *widen(Change *x)
{
    x->strings = subject_even_lengths(x->machine->n_symbols);
    x->domain = x->strings;
    own_claim(x, symbol, label);
    ask_odd_others(x);
    x->machine = x->other;
    claim(x, x->s->claim->slack);
    ThProofCertificate *c = x->claim ? subject_certify(x->m, x->claim) : NULL;
    int way = change_below(x, 4);
    change_note(x, "widened", way);
    if (way == 0)
        x->domain = NULL;
    else if (way == 1)
        x->strings->label[1] = 1;
    else
        x->strings->next[change_below(x, 2 * x->strings->n_symbols)] = way - 2;
    for (int q = 0; c && change_below(x, 2) && q < c->n_domain; q++)
        c->inside[q] = 1;
    claim(x, x->s->claim->slack);
    return c;
}

/* More than was proved: the file says so, or says what it did. */
static ThProofCertificate *ask_more(Change *x)
{
    ThProofCertificate *c = change_nothing(x);
    double slack = pow(10, -5 * th_rng_uniform(&x->r));
    change_note(x, "slack, 1000 log", (long)(1000 * log10(slack)));
    claim(x, slack);
    if (c && change_below(x, 2))
        c->slack = change_below(x, 2) ? slack : slack * th_rng_uniform(&x->r);
    if (c && change_below(x, 2))
        change_radii(x, c);
    return c;
}

/* ---- one change ------------------------------------------------------------------------------ */

static ChangeKind draw_kind(Change *x)
{
    static const int share[CHANGE_KINDS] = {80, 12, 30, 20, 20, 15, 8, 8, 2, 5};
    int n = change_below(x, 200), kind = 0;
    while (n >= share[kind])
        n -= share[kind++];
    return (ChangeKind)kind;
}

void change_begin(Change *x, const Subject *all, const Subject *s, uint64_t number)
{
    *x = (Change){.number = number, .all = all, .s = s, .m = s->model, .claim = s->claim};
    x->r = th_rng(number, "forge", 0);
    x->longest = HUGE_VAL;
    x->certain = 0;
    if (s->kind == MACHINE)
        return;
    x->asked = s->task->signature;
    x->machine = th_task_machine(s->task, &(ThError){0});
    x->domain = s->domain;
    x->formula = s->formula;
    if (s->kind == PROGRAM)
        x->machine = x->other = subject_counter(&x->formula);
}

void change_undo(Change *x)
{
    th_dfa_free(x->other);
    th_dfa_free(x->strings);
    if (x->claim != x->s->claim)
        th_proof_claim_free(x->claim);
    if (x->m != x->s->model)
        th_model_free(x->m);
}

/* The sum of a's begins elsewhere, and so many a's are claimed, or one more or less. */
static void change_count(Change *x)
{
    int round = (int)(x->number / SUBJECTS), is = 2 + (x->first ? round / 2 : change_below(x, 4));
    int said = is + (x->first ? -(round % 2) : change_below(x, 3) - 1);
    own_claim(x, symbol, label);
    change_beginning(x, is);
    th_dfa_free(x->other);
    x->other = th_dfa_new(said + 1, 2, 2, NULL);
    for (int q = 0; q <= said; q++) {
        x->other->next[2 * q] = q < said ? q + 1 : q;
        x->other->next[2 * q + 1] = q;
        x->other->label[q] = q == said;
    }
    x->machine = x->other;
    change_note(x, "a's claimed", said);
    claim(x, x->s->claim->slack);
}

/* Another formula is claimed: off by one, or of another kind. */
static void change_formula(Change *x)
{
    static const char *const signs[] = {"=", "<=", ">="};
    SubjectFormula *f = &x->formula;
    x->changed = true;
    f->most += change_below(x, 3) - 1;
    f->more += change_below(x, 4) ? 0 : change_below(x, 2);
    f->sign = signs[change_below(x, 3)];
    f->nested = change_below(x, 8) ? f->nested : !f->nested;
    th_dfa_free(x->other);
    x->machine = x->other = subject_counter(f);
    change_note(x, "formula", 100 * f->nested + 10 * f->more + f->most);
}

static void change_of_program(Change *x)
{
    int n = x->first ? (int)(x->number / SUBJECTS) : change_below(x, 10);
    x->kind = n % 5 == 0 ? IN_READ_OUT : n % 5 == 1 ? IN_CLAIM : IN_WEIGHTS;
    if (n == 0)
        change_to_ties(x);
    else if (n == 5)
        change_read_out(x);
    else if (n % 5 > 1)
        change_hard(x);
    if (n % 5 == 1 || change_below(x, 4) == 0)
        change_formula(x);
}

static void change_of_hard(Change *x)
{
    bool mean = strcmp(th_option_text(&x->m->options, "attention"), "average") == 0;
    int n = x->first ? mean : change_below(x, 10);
    x->kind = n == 0 ? IN_READ_OUT : n < 3 ? IN_CLAIM : IN_WEIGHTS;
    if (n == 0 && change_below(x, 3) == 0)
        change_to_ties(x);
    else if (n == 0)
        change_read_out(x);
    else if (n < 3 && mean)
        change_count(x);
    else if (n < 3)
        change_claim(x);
    else if (x->s->kind == SOFT && change_below(x, 2))
        change_steep(x);
    else
        change_hard(x);
}

/* Of subjects whose proof is made from the model alone. */
static void change_model(Change *x)
{
    int n = change_below(x, 10);
    if (n == 0 && x->s->kind != BUILT) {
        x->kind = IN_CLAIM;
        change_claim(x);
    } else if (x->s->kind == BUILT && (n < 3 || (x->first && x->kind == CANCELLING))) {
        x->kind = CANCELLING;
        change_cancelling(x);
    } else if (x->first || n == 3) {
        x->kind = IN_READ_OUT;
        change_read_out(x);
    } else {
        x->kind = IN_WEIGHTS;
        if (strcmp(x->m->kind->name, "lrnn") == 0)
            change_shrink(x);
        else
            change_weights(x, 1 + change_below(x, 3));
    }
}

static void change_the_claim(Change *x)
{
    x->kind = IN_CLAIM;
    change_claim(x);
}

static ThProofCertificate *change_sets(Change *x)
{
    bool tree = strcmp(x->m->kind->name, "regulargpt") == 0;
    ThProofCertificate *c = NULL;
    switch (x->kind) {
    case IN_FILE:
        return certificate(x, 1 + change_below(x, 2), false);
    case IN_HEADER:
        if (change_below(x, 2))
            change_read_out(x);
        return certificate(x, 0, true);
    case IN_NUMBERS:
        c = change_nothing(x);
        for (int i = 1 + change_below(x, 2); c && i > 0; i--)
            change_numbers(x, c, x->first ? CHANGE_RADII : change_below(x, 14));
        return c;
    case PERMUTATION:
        return permute(x);
    case IN_SLACK:
        return ask_more(x);
    case WIDENING:
        return tree ? widen(x) : permute(x);
    case IN_WEIGHTS:
        change_weights(x, 1 + change_below(x, 3));
        break;
    case IN_READ_OUT:
        change_read_out(x);
        break;
    case CANCELLING:
        if (tree)
            change_cancelling(x);
        else
            change_the_claim(x);
        break;
    default:
        change_the_claim(x);
    }
    bool anew = x->anew || x->m != x->s->model || change_below(x, 60) == 0;
    if (anew)
        return x->claim ? subject_certify(x->m, x->claim) : NULL;
    c = change_nothing(x);
    if (c && x->kind == IN_READ_OUT)
        change_numbers(x, c, x->first ? CHANGE_ANSWERS : change_below(x, 14));
    return c;
}

ThProofCertificate *change_make(Change *x)
{
    uint64_t round = x->number / SUBJECTS;
    x->first = round < CHANGE_FIRST;
    x->kind = x->first ? first[round] : draw_kind(x);
    if (x->s->kind == SETS)
        return change_sets(x);
    if (x->s->kind == HARD || x->s->kind == SOFT)
        change_of_hard(x);
    else if (x->s->kind == PROGRAM)
        change_of_program(x);
    else
        change_model(x);
    return x->s->kind == OPEN && x->claim ? subject_certify(x->m, x->claim) : NULL;
}
