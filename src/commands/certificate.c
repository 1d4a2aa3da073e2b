/* certificate.c - proofs that a model is a machine, as files, and checking them again. */
#include "commands/proofs.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "commands/modelling.h"

/* ---- proof ----------------------------------------------------------------------------------- */

static void show_done(void *context, long long products)
{
    sh_progress(context, "%lld products", products);
}

static void set_proof(ShSession *s, const ThCompileClaim *claim, const ThCompileProof *p)
{
    sh_result_int(s, "elements", p->elements);
    sh_result_int(s, "products", p->products);
    sh_result_real(s, "radius", claim->radius);
    sh_result_real(s, "slack", claim->slack);
    sh_result_real(s, "error", p->error);
    sh_result_real(s, "stretch", p->stretch);
    sh_result_real(s, "margin", p->margin);
    sh_result_int(s, "levels", p->levels);
    sh_result_flag(s, "right", p->right);
    sh_result_flag(s, "closed", p->closed);
}

static void say_proof(ShSession *s, const ThCompileClaim *claim, const ThCompileProof *p,
                      const ThModel *m)
{
    if (!p->right) {
        sh_say(s, "  NOT proved: %s\n", p->why);
        return;
    }
    sh_say(s,
           "  %lld products of the %d elements checked: each to within %.2g, a change\n"
           "  of the factors counts by at most %.2g, every answer has room of %.2g\n",
           p->products, p->elements, p->error, p->stretch, p->margin);
    if (p->closed)
        sh_say(s, "  proved: right at every length, even where each product is off by %.2g\n",
               claim->slack);
    else
        sh_say(s, "  proved: right up to length %.6g, where each product is off by %.2g at most\n",
               pow((double)th_option_int(&m->options, "chunk"), p->levels), claim->slack);
}

/* What rounding in single precision stays below by far, and a ball that fits into every margin. */
static const double standard_slack = 1e-5, standard_radius = 1e-3;

bool sh_prove(ShSession *s, const ThModel *m, const ThCompileTruth *truth, double products,
              ThCompileProof *p, ThError *err)
{
    ThCompileClaim claim = {standard_radius, standard_slack, products, sh_stop(s), s, show_done};
    if (!th_compile_prove(m, truth, &claim, p, err))
        return false;
    set_proof(s, &claim, p);
    say_proof(s, &claim, p, m);
    return p->right || th_fail(err, TH_EVALUE, "the model is not proved right: %s", p->why);
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Returns new: names between blanks. */
static char *join(char *const *name, int n, ThError *err)
{
    ThText t = {0};
    for (int i = 0; i < n; i++)
        th_text_printf(&t, "%s%s", i ? " " : "", name[i]);
    return th_text_take(&t, err);
}

/* Numbers between blanks. */
static char *join_numbers(const int *number, int n, ThError *err)
{
    ThText t = {0};
    for (int i = 0; i < n; i++)
        th_text_printf(&t, "%s%d", i ? " " : "", number[i]);
    return th_text_take(&t, err);
}

/* For every state what is answered there, the number of a class or all bits, and where the symbols
 * lead. */
static bool table_machine(ShSession *s, const ThDfa *d, const int *bits, int n_bits, ThError *err)
{
    bool ok = true;
    sh_table(s, "machine", "state:i answer:s next:s");
    for (int q = 0; ok && q < d->n_states; q++) {
        char *answer = bits ? join_numbers(bits + q * n_bits, n_bits, err)
                            : join_numbers(&d->label[q], 1, err);
        char *next = join_numbers(d->next + q * d->n_symbols, d->n_symbols, err);
        ok = answer && next;
        if (ok)
            sh_row(s, (long long)q, answer, next);
        free(answer);
        free(next);
    }
    sh_table_end(s);
    return ok;
}

static void write_fingerprint(const ThModel *m, char to[17])
{
    snprintf(to, 17, "%016llx", (unsigned long long)th_compile_fingerprint(m));
}

static bool set_names(ShSession *s, const ThModel *m, ThError *err)
{
    const ThSignature *g = &m->signature;
    char print[17];
    char *symbols = join(g->symbol, g->n_symbols, err);
    char *classes = symbols ? join(g->label, g->n_classes, err) : NULL;
    write_fingerprint(m, print);
    if (classes) {
        sh_result_text(s, "weights", print);
        sh_result_text(s, "symbols", symbols);
        sh_result_text(s, "answers", classes);
        sh_result_text(s, "asked", sh_target_name(g->target));
    }
    free(symbols);
    bool ok = classes != NULL;
    free(classes);
    return ok;
}

SH_COMMAND(
    certificate, .group = "models",
    .summary = "prove that a compiled model answers as a task does, at every length",
    .detail = "The proof of compile, from the model's weights and the task's machine; the model "
              "may have been loaded, or trained on.  With > \"FILE.json\" it becomes a file that "
              "check verifies again: the machine, the radius within which vectors stay, the error "
              "that each product may have, and a number that the weights add up to.",
    .example = "compile parity as m > \"said.txt\"\n"
               "task p = recognize parity\n"
               "certificate m on p > \"parity.json\"\n"
               "check file \"parity.json\" model=m\n"
               "#> parity.json: a certificate, and it holds\n"
               "#>   4 products of the 2 elements checked: each to within 1.7e-08, a change\n"
               "#>   of the factors counts by at most 4e-06, every answer has room of 0.71\n"
               "#>   proved: right at every length, even where each product is off by 1e-05",
    .results = "elements products radius slack error stretch margin levels right closed "
               "weights symbols answers asked start",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}})
{
    const ThModel *m = call->operand[0].object->as.model;
    const ThTask *t = call->operand[1].object->as.task;
    if (!m->bound)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                               "the model has no alphabet before it is trained or compiled");
    if (!sh_need_machine(&call->operand[1], err) ||
        !th_signature_match(&m->signature, &t->signature, err))
        return sh_error_inside(err, &call->operand[1]);
    ThMonoid *monoid =
        th_monoid_new(t->machine, (size_t)sh_setting_int(s, "limit-states"), sh_stop(s), err);
    ThCompileTruth truth = {t->machine, t->bits, monoid};
    ThCompileProof p;
    bool ok = monoid && sh_prove(s, m, &truth, 0, &p, err);
    if (ok && !p.closed)
        ok = th_fail(err, TH_EVALUE, "proved up to some length only: there is no certificate");
    ok = ok && set_names(s, m, err);
    if (ok)
        sh_result_int(s, "start", t->machine->start);
    if (ok && !sh_out(s))
        ok = table_machine(s, t->machine, t->bits, t->signature.n_classes, err);
    th_monoid_free(monoid);
    return ok || sh_error_inside(err, &call->operand[0]);
}

/* ---- checking -------------------------------------------------------------------------------- */

/* A certificate as it was read; zeros where it lacks something, which nothing passes with. */
typedef struct {
    ThDfa *machine;
    int *bits;
    double radius, slack;
    long long elements;
} Certificate;

static void free_certificate(Certificate *c)
{
    th_dfa_free(c->machine);
    free(c->bits);
}

static bool malformed(const ShOperand *file, const char *what, ThError *err)
{
    return sh_fail_operand(err, file, TH_EPARSE, "%s: the certificate's %s cannot be read",
                           file->text, what);
}

/* Exactly n numbers in 0 … most. */
static bool read_numbers(const char *text, int *number, int n, int most)
{
    for (int i = 0; text && i < n; i++) {
        char *end;
        long value = strtol(text, &end, 10);
        if (end == text || value < 0 || value > most)
            return false;
        number[i] = (int)value;
        text = end;
    }
    return text && !*text;
}

static bool read_state(Certificate *c, const json_t *row, const ThSignature *g, int q)
{
    ThDfa *d = c->machine;
    const char *answer = json_string_value(json_object_get(row, "answer"));
    const char *next = json_string_value(json_object_get(row, "next"));
    int n = g->n_classes;
    return read_numbers(next, d->next + q * d->n_symbols, d->n_symbols, d->n_states - 1) &&
           (c->bits ? read_numbers(answer, c->bits + q * n, n, 1)
                    : read_numbers(answer, d->label + q, 1, n));
}

static bool read_machine(Certificate *c, const json_t *file, const ShOperand *o,
                         const ThSignature *g, ThError *err)
{
    enum { MOST_STATES = 1 << 16 };
    const json_t *rows = json_object_get(file, "machine");
    size_t n = json_array_size(rows);
    json_int_t start = json_integer_value(json_object_get(file, "start"));
    bool bits = g->target == TH_TARGET_BITS;
    if (n == 0 || n > MOST_STATES || start < 0 || (size_t)start >= n)
        return malformed(o, "machine", err);
    c->machine = th_dfa_new((int)n, g->n_symbols, bits ? 2 : g->n_classes + 1, err);
    if (bits)
        c->bits = th_alloc(n, (size_t)g->n_classes * sizeof *c->bits, err);
    if (!c->machine || (bits && !c->bits))
        return false;
    c->machine->start = (int)start;
    for (size_t q = 0; q < n; q++)
        if (!read_state(c, json_array_get(rows, q), g, (int)q))
            return malformed(o, "machine", err);
    return true;
}

static bool same_text(const json_t *file, const char *name, const char *text)
{
    const char *there = json_string_value(json_object_get(file, name));
    return there && text && strcmp(there, text) == 0;
}

/* That it is about a model with these weights, symbols and answers. */
static bool check_names(const json_t *file, const ShOperand *o, const ThModel *m, ThError *err)
{
    const ThSignature *g = &m->signature;
    char print[17];
    write_fingerprint(m, print);
    if (!same_text(file, "command", "certificate"))
        return sh_fail_operand(err, o, TH_EPARSE, "%s: no certificate", o->text);
    if (!same_text(file, "weights", print))
        return sh_fail_operand(err, o, TH_EVALUE,
                               "%s: the certificate is about other weights than the model's",
                               o->text);
    char *symbols = join(g->symbol, g->n_symbols, err);
    char *classes = symbols ? join(g->label, g->n_classes, err) : NULL;
    bool ok = classes && same_text(file, "symbols", symbols) &&
              same_text(file, "answers", classes) &&
              same_text(file, "asked", sh_target_name(g->target));
    if (!ok)
        sh_fail_operand(err, o, TH_EVALUE,
                        "%s: the certificate is about other symbols or answers than the model's",
                        o->text);
    free(symbols);
    free(classes);
    return ok;
}

static bool read_certificate(Certificate *c, const json_t *file, const ShOperand *o,
                             const ThModel *m, ThError *err)
{
    c->radius = json_number_value(json_object_get(file, "radius"));
    c->slack = json_number_value(json_object_get(file, "slack"));
    c->elements = json_integer_value(json_object_get(file, "elements"));
    if (!check_names(file, o, m, err) || !read_machine(c, file, o, &m->signature, err))
        return false;
    return (c->radius > 0 && c->slack > 0) || malformed(o, "radius and slack", err);
}

/* Proves once more what is claimed. */
static bool verify(ShSession *s, const Certificate *c, const ShOperand *o, const ThModel *m,
                   ThError *err)
{
    ThMonoid *monoid =
        th_monoid_new(c->machine, (size_t)sh_setting_int(s, "limit-states"), sh_stop(s), err);
    ThCompileTruth truth = {c->machine, c->bits, monoid};
    ThCompileClaim claim = {c->radius, c->slack, 0, sh_stop(s), s, show_done};
    ThCompileProof p;
    bool ok = monoid && th_compile_prove(m, &truth, &claim, &p, err);
    th_monoid_free(monoid);
    if (!ok)
        return sh_error_inside(err, o);
    if (!p.right || !p.closed || p.elements != c->elements)
        return sh_fail_operand(err, o, TH_EVALUE, "%s: the certificate does not hold: %s", o->text,
                               !p.right    ? p.why
                               : !p.closed ? "vectors leave the radius"
                                           : "the monoid has another number of elements");
    set_proof(s, &claim, &p);
    sh_say(s, "%s: a certificate, and it holds\n", o->text);
    say_proof(s, &claim, &p, m);
    return true;
}

bool sh_check_certificate(ShSession *s, const ShOperand *file, const ThModel *m, ThError *err)
{
    enum { MOST_BYTES = 1 << 28 };
    size_t size;
    json_error_t problem;
    Certificate c = {0};
    if (!m->bound)
        return th_fail(err, TH_EVALUE, "the model has no alphabet before it is trained");
    char *text = th_file_read(file->text, MOST_BYTES, &size, err);
    if (!text)
        return sh_error_inside(err, file);
    json_t *object = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    free(text);
    if (!object)
        return sh_fail_operand(err, file, TH_EPARSE, "%s:%d:%d: no JSON: %.200s", file->text,
                               problem.line, problem.column, problem.text);
    bool ok = read_certificate(&c, object, file, m, err) && verify(s, &c, file, m, err);
    json_decref(object);
    free_certificate(&c);
    return ok;
}
