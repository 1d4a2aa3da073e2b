/* certificate_file.c - certificates as files of JSON. */
#include "proof/check/certificate_impl.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>

#include "base/file.h"

static const char FORMAT[] = "tapehead certificate 2";
enum { MOST = 100000 /* of any count in a file */ };

/* ---- writing --------------------------------------------------------------------------------- */

static json_t *integers(const int *value, size_t n)
{
    json_t *to = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(to, json_integer(value[i]));
    return to;
}

static json_t *numbers(const double *value, size_t n)
{
    json_t *to = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(to, json_real(value[i]));
    return to;
}

static json_t *names(char *const *name, int n)
{
    json_t *to = json_array();
    for (int i = 0; i < n; i++)
        json_array_append_new(to, json_string(name[i]));
    return to;
}

static json_t *hexadecimal(uint64_t value)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, value);
    return json_string(text);
}

static json_t *labels_of(const ThProofCertificate *c)
{
    json_t *to = json_array();
    size_t states = (size_t)c->n_states, domain = (size_t)c->n_domain, dim = (size_t)c->dim;
    for (size_t i = 0; i < (size_t)c->n_labels; i++) {
        json_t *label = json_object();
        json_object_set_new(label, "kind", json_string(c->complete[i] ? "complete" : "edge"));
        const int *map = c->map + i * (states + domain);
        json_object_set_new(label, "map", integers(map, states));
        if (domain > 0)
            json_object_set_new(label, "places", integers(map + states, domain));
        json_object_set_new(label, "radius", json_real(c->radius[i]));
        json_object_set_new(label, "centre", numbers(c->centre + i * dim, dim));
        if (c->shape)
            json_object_set_new(label, "shape", numbers(c->shape + i * dim * dim, dim * dim));
        json_array_append_new(to, label);
    }
    return to;
}

static json_t *domain_object(const ThProofCertificate *c)
{
    size_t n = (size_t)c->n_domain, symbols = (size_t)c->n_symbols;
    json_t *to = json_object();
    json_object_set_new(to, "start", json_integer(c->first));
    json_object_set_new(to, "next", integers(c->next + (size_t)c->n_states * symbols, n * symbols));
    json_object_set_new(to, "inside", integers(c->inside, n));
    return to;
}

static json_t *document(const ThProofCertificate *c)
{
    size_t states = (size_t)c->n_states;
    json_t *to = json_object();
    json_object_set_new(to, "format", json_string(FORMAT));
    json_object_set_new(to, "kind", json_string(th_proof_method_name(c->method)));
    json_object_set_new(to, "weights", hexadecimal(c->weights));
    json_object_set_new(to, "digest", hexadecimal(c->digest));
    json_object_set_new(to, "dim", json_integer(c->dim));
    json_object_set_new(to, "slack", json_real(c->slack));
    json_object_set_new(to, "symbols", names(c->symbol, c->n_symbols));
    json_object_set_new(to, "classes", names(c->class_name, c->n_classes));
    if (c->formula) {
        json_object_set_new(to, "formula", json_string(c->formula));
        return to;
    }
    json_object_set_new(to, "start", json_integer(c->start));
    json_object_set_new(to, "next", integers(c->next, states * (size_t)c->n_symbols));
    json_object_set_new(to, "answer", integers(c->answer, states));
    if (c->n_domain > 0)
        json_object_set_new(to, "domain", domain_object(c));
    if (c->bits)
        json_object_set_new(to, "bits", integers(c->bits, th_proof_certificate_bits(c)));
    if (c->method == TH_PROOF_BY_ALGEBRA || c->ball > 0)
        json_object_set_new(to, c->method == TH_PROOF_BY_ALGEBRA ? "radius" : "length",
                            json_real(c->ball));
    if (c->method == TH_PROOF_BY_SETS)
        json_object_set_new(to, "labels", labels_of(c));
    return to;
}

bool th_proof_certificate_write(const ThProofCertificate *c, const char *path, ThError *err)
{
    json_t *all = document(c);
    char *text TH_OWNED(free) = json_dumps(all, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(all);
    if (!text)
        return th_fail(err, TH_ENOMEM, "out of memory for a certificate");
    ThFile f = {0};
    FILE *out = th_file_begin(&f, path, err);
    if (out) {
        fputs(text, out);
        fputc('\n', out);
    }
    return out && th_file_commit(&f, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool read_integers(const json_t *from, int *to, size_t n, long long least, long long most)
{
    if (json_array_size(from) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(from, i);
        long long value = json_integer_value(x);
        if (!json_is_integer(x) || value < least || value > most)
            return false;
        to[i] = (int)value;
    }
    return true;
}

static bool read_numbers(const json_t *from, double *to, size_t n)
{
    if (json_array_size(from) != n)
        return false;
    for (size_t i = 0; i < n; i++) {
        const json_t *x = json_array_get(from, i);
        to[i] = json_number_value(x);
        if (!json_is_number(x) || !isfinite(to[i]))
            return false;
    }
    return true;
}

static bool read_names(const json_t *from, char **to, size_t n, ThError *err)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = json_string_value(json_array_get(from, i));
        if (!name || !(to[i] = th_strdup(name, err)))
            return false;
    }
    return true;
}

static bool read_hexadecimal(const json_t *from, uint64_t *to)
{
    const char *text = json_string_value(from);
    return text && strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16 &&
           sscanf(text, "%" SCNx64, to) == 1;
}

/* States of the domain; nothing where there is none. */
static bool read_places(const ThProofCertificate *c, const json_t *from, int *to, size_t n)
{
    return read_integers(from, to, n, c->n_states, c->n_states + c->n_domain - 1);
}

static bool read_domain(ThProofCertificate *c, const json_t *from)
{
    size_t n = (size_t)c->n_domain, symbols = (size_t)c->n_symbols;
    if (!from)
        return true;
    json_t *start = json_pack("[O?]", json_object_get(from, "start"));
    bool ok = read_places(c, start, &c->first, 1) &&
              read_places(c, json_object_get(from, "next"), c->next + (size_t)c->n_states * symbols,
                          n * symbols) &&
              read_integers(json_object_get(from, "inside"), c->inside, n, 0, 1);
    json_decref(start);
    return ok;
}

static bool read_label(ThProofCertificate *c, const json_t *from, size_t i)
{
    const char *kind = json_string_value(json_object_get(from, "kind"));
    size_t states = (size_t)c->n_states, domain = (size_t)c->n_domain, dim = (size_t)c->dim;
    int *map = c->map + i * (states + domain);
    const json_t *shape = json_object_get(from, "shape"), *radius = json_object_get(from, "radius");
    if (!kind || (strcmp(kind, "complete") != 0 && strcmp(kind, "edge") != 0) ||
        !json_is_number(radius) || (shape != NULL) != (c->shape != NULL))
        return false;
    c->complete[i] = strcmp(kind, "complete") == 0;
    c->radius[i] = json_number_value(radius);
    return read_integers(json_object_get(from, "map"), map, states, 0, c->n_states - 1) &&
           read_places(c, json_object_get(from, "places"), map + states, domain) &&
           read_numbers(json_object_get(from, "centre"), c->centre + i * dim, dim) &&
           (!shape || read_numbers(shape, c->shape + i * dim * dim, dim * dim));
}

static bool read_counts(ThProofCertificate *c, const json_t *from)
{
    const json_t *labels = json_object_get(from, "labels");
    size_t count[] = {(size_t)json_integer_value(json_object_get(from, "dim")),
                      json_array_size(json_object_get(from, "answer")),
                      json_array_size(json_object_get(from, "symbols")),
                      json_array_size(json_object_get(from, "classes")), json_array_size(labels)};
    int *to[] = {&c->dim, &c->n_states, &c->n_symbols, &c->n_classes, &c->n_labels};
    bool sets = c->method == TH_PROOF_BY_SETS;
    if (!sets && labels)
        return false;
    for (size_t i = 0; i < sizeof count / sizeof *count - !sets; i++) {
        bool none = i == 1 && c->method == TH_PROOF_BY_PROGRAM;
        if (count[i] > MOST || (count[i] < 1) != none)
            return false;
        *to[i] = (int)count[i];
    }
    const json_t *domain = json_object_get(from, "domain");
    size_t inside = json_array_size(json_object_get(domain, "inside"));
    if (inside > MOST || (domain && inside == 0))
        return false;
    c->n_domain = (int)inside;
    /* What the file says must be in the file: no counts without their numbers. */
    return !sets ||
           json_array_size(json_object_get(json_array_get(labels, 0), "centre")) == count[0];
}

static bool read_method(ThProofCertificate *c, const json_t *from)
{
    const char *format = json_string_value(json_object_get(from, "format"));
    const char *kind = json_string_value(json_object_get(from, "kind"));
    for (int i = 0; format && kind && i <= TH_PROOF_BY_STRINGS; i++)
        if (strcmp(format, FORMAT) == 0 &&
            strcmp(kind, th_proof_method_name((ThProofMethod)i)) == 0) {
            c->method = (ThProofMethod)i;
            return true;
        }
    return false;
}

/* What only certificates by algebra have; and those by steps, and of soft attention. */
static bool read_algebra(ThProofCertificate *c, const json_t *from, ThError *err)
{
    const json_t *length = json_object_get(from, "length");
    if (length) {
        c->ball = json_number_value(length);
        return (c->method == TH_PROOF_BY_STEPS || c->method == TH_PROOF_BY_TABLE) &&
               json_is_number(length) && c->ball >= 1 && isfinite(c->ball) &&
               !json_object_get(from, "bits") && !json_object_get(from, "radius");
    }
    const json_t *radius = json_object_get(from, "radius"), *bits = json_object_get(from, "bits");
    c->ball = json_number_value(radius);
    if ((c->method == TH_PROOF_BY_ALGEBRA) != (json_is_number(radius) && isfinite(c->ball)))
        return false;
    if (!bits)
        return true;
    c->bits = th_alloc(th_proof_certificate_bits(c), sizeof *c->bits, err);
    return c->bits && c->method == TH_PROOF_BY_ALGEBRA &&
           read_integers(bits, c->bits, th_proof_certificate_bits(c), 0, 1);
}

/* What those by program have in place of an automaton. */
static bool read_formula(ThProofCertificate *c, const json_t *from, ThError *err)
{
    static const char *const others[] = {"start",  "next", "answer", "domain",
                                         "length", "bits", "radius"};
    const char *formula = json_string_value(json_object_get(from, "formula"));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (json_object_get(from, others[i]))
            return false;
    return formula && (c->formula = th_strdup(formula, err));
}

static bool read_names_of(ThProofCertificate *c, const json_t *from, ThError *err)
{
    return read_names(json_object_get(from, "symbols"), c->symbol, (size_t)c->n_symbols, err) &&
           read_names(json_object_get(from, "classes"), c->class_name, (size_t)c->n_classes, err) &&
           read_hexadecimal(json_object_get(from, "weights"), &c->weights) &&
           read_hexadecimal(json_object_get(from, "digest"), &c->digest);
}

static bool read_all(ThProofCertificate *c, const json_t *from, ThError *err)
{
    const json_t *labels = json_object_get(from, "labels");
    if (!read_method(c, from) || !read_counts(c, from) || !th_proof_certificate_take(c, err))
        return false;
    if (c->method == TH_PROOF_BY_PROGRAM) {
        c->slack = json_number_value(json_object_get(from, "slack"));
        return read_formula(c, from, err) && read_names_of(c, from, err);
    }
    if (!read_algebra(c, from, err))
        return false;
    size_t states = (size_t)c->n_states, square = (size_t)c->dim * (size_t)c->dim;
    if (json_object_get(json_array_get(labels, 0), "shape") &&
        !(c->shape = th_alloc((size_t)c->n_labels * square, sizeof *c->shape, err)))
        return false;
    const json_t *start = json_object_get(from, "start"), *slack = json_object_get(from, "slack");
    c->start = (int)json_integer_value(start);
    c->slack = json_number_value(slack);
    if (!json_is_integer(start) || json_integer_value(start) < 0 || c->start < 0 ||
        json_integer_value(start) >= c->n_states || !json_is_number(slack))
        return false;
    for (size_t i = 0; i < (size_t)c->n_labels; i++)
        if (!read_label(c, json_array_get(labels, i), i))
            return false;
    return read_names_of(c, from, err) &&
           read_integers(json_object_get(from, "next"), c->next, states * (size_t)c->n_symbols, 0,
                         c->n_states - 1) &&
           read_integers(json_object_get(from, "answer"), c->answer, states, -1,
                         c->n_classes - 1) &&
           read_domain(c, json_object_get(from, "domain"));
}

ThProofCertificate *th_proof_certificate_read(const char *path, ThError *err)
{
    size_t size;
    json_error_t problem;
    char *text TH_OWNED(free) = th_file_read(path, (size_t)1 << 30, &size, err);
    if (!text)
        return NULL;
    json_t *all = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    if (!all)
        return th_null(th_fail(err, TH_EPARSE, "%s:%d:%d: no JSON: %.200s", path, problem.line,
                               problem.column, problem.text));
    ThProofCertificate *c = th_alloc(1, sizeof *c, err);
    bool ok = c && read_all(c, all, err);
    json_decref(all);
    if (ok)
        return c;
    th_proof_certificate_free(c);
    return th_null(th_fail(err, TH_EVALUE, "%s is no certificate, or an incomplete one", path));
}
