/* Which tensor of a file plays which part, and the model that it is. */
#include <ctype.h>

#include "base/file.h"
#include "formats/models/exchange_impl.h"
#include "formats/models/metadata.h"
#include "formats/notes.h"

/* ---- names ----------------------------------------------------------------------------------- */

static bool begins(const char *name, const char *with)
{
    return strncmp(name, with, strlen(with)) == 0;
}

static bool rename_to(ThFormatArray *a, const char *to, const char *rest, ThError *err)
{
    ThText t = {0};
    th_text_add(&t, to);
    th_text_add(&t, rest);
    char *name = th_text_take(&t, err);
    if (name) {
        free(a->name);
        a->name = name;
    }
    return name != NULL;
}

/* Names that begin with `from` begin with `to` afterwards; *n (may be NULL) counts them. */
static bool rename_all(ThFormatArrays *a, const char *from, const char *to, size_t *n, ThError *err)
{
    for (size_t i = 0; i < a->n; i++) {
        if (!begins(a->item[i].name, from))
            continue;
        if (n)
            ++*n;
        if (!rename_to(&a->item[i], to, a->item[i].name + strlen(from), err))
            return false;
    }
    return true;
}

/* What compilers and parallel runs put before all names. */
static bool strip_wrappers(ThFormatArrays *a, ThError *err)
{
    static const char *const wrappers[] = {"_orig_mod.", "module."};
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
            if (!rename_all(a, wrappers[i], "", NULL, err))
                return false;
    return true;
}

/* One line of a map, "role = name". */
static bool follow_line(ThFormatArrays *a, char *line, int number, const char *path, ThError *err)
{
    static const char *const roles[] = {"net", "embedding", "positions", "hidden", "head"};
    char role[64], name[256], from[260], to[68];
    size_t n = 0, i = 0;
    line[strcspn(line, "#\r\n")] = '\0';
    if (line[strspn(line, " \t")] == '\0')
        return true;
    if (sscanf(line, " %63[a-z] = %255s", role, name) != 2)
        return th_fail(err, TH_EPARSE, "%s:%d: not ROLE = NAME", path, number);
    while (i < sizeof roles / sizeof *roles && strcmp(roles[i], role) != 0)
        i++;
    if (i == sizeof roles / sizeof *roles)
        return th_fail(err, TH_EPARSE, "%s:%d: unknown role '%s'", path, number, role);
    snprintf(from, sizeof from, "%s.", name);
    snprintf(to, sizeof to, "%s.", role);
    return rename_all(a, from, to, &n, err) &&
           (n > 0 ||
            th_fail(err, TH_EVALUE, "%s:%d: no tensor begins with '%s'", path, number, from));
}

static bool follow_map(ThFormatImport *in, ThError *err)
{
    enum { MOST = 1 << 16 };
    size_t n;
    int number = 1;
    const char *path = th_option_text(in->options, "map");
    char *text TH_OWNED(free) = path ? th_file_read(path, MOST, &n, err) : NULL, *rest = text;
    bool ok = !path || text;
    for (char *line = rest; ok && rest && *line; line = rest, number++) {
        rest = line + strcspn(line, "\n");
        rest += *rest == '\n' ? 1 : 0;
        ok = follow_line(in->arrays, line, number, path, err);
    }
    return ok;
}

/* ---- parts ----------------------------------------------------------------------------------- */

static bool is_weight(const ThFormatArray *a)
{
    return a->dims == 2 && th_ends_with(a->name, ".weight");
}

static bool has_role(const ThFormatArray *a)
{
    static const char *const names[] = {"embedding.weight", "positions.weight", "hidden.weight",
                                        "head.weight"};
    bool any = begins(a->name, "net.");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        any |= strcmp(a->name, names[i]) == 0;
    return any;
}

static bool has_bias(const ThFormatArrays *a, const ThFormatArray *weight)
{
    char name[512];
    snprintf(name, sizeof name, "%.*sbias", (int)(strlen(weight->name) - strlen("weight")),
             weight->name);
    return th_format_arrays_find(a, name) != NULL;
}

/* The module of a weight gets a role's name. */
static bool call(ThFormatImport *in, const ThFormatArray *weight, const char *role, ThError *err)
{
    char from[512], to[32];
    snprintf(from, sizeof from, "%.*s", (int)(strlen(weight->name) - strlen("weight")),
             weight->name);
    snprintf(to, sizeof to, "%s.", role);
    return rename_all(in->arrays, from, to, NULL, err);
}

/* Does a name fit a pattern, in which %d stands for a number?  *number: it, or -1. */
static bool fits(const char *pattern, const char *name, int *number)
{
    size_t n = strcspn(pattern, "%");
    char *end;
    *number = -1;
    if (strncmp(pattern, name, n) != 0)
        return false;
    if (!pattern[n])
        return !name[n];
    long long layer = strtoll(name + n, &end, 10);
    *number = layer < 0 || layer > 4096 ? 0 : (int)layer;
    return isdigit((unsigned char)name[n]) && strcmp(pattern + n + 2, end) == 0;
}

/* Is it the rest of a name of the network's tensors, or of what is refused by name? */
static bool is_of(const ThFormatLayout *l, const char *rest)
{
    int number;
    for (const ThFormatRow *const *list = l->rows; *list; list++)
        for (const ThFormatRow *r = *list; r->parameter; r++)
            if (begins(r->tensor, "net.") && fits(r->tensor + strlen("net."), rest, &number))
                return true;
    return l->gates > 0 && (th_ends_with(rest, "_reverse") || begins(rest, "weight_hr_"));
}

/* The module that has the tensor that only its kind has. */
static bool find_network(ThFormatImport *in, ThError *err)
{
    const ThFormatLayout *l = in->layout;
    const char *found = NULL;
    for (size_t i = 0; i < in->arrays->n; i++) {
        const char *name = in->arrays->item[i].name;
        bool whole = strcmp(name, l->mark + 1) == 0;
        if (!whole && !th_ends_with(name, l->mark))
            continue;
        if (found)
            return th_fail(err, TH_EVALUE, "two modules may be the network: '%s' and '%s'",
                           th_format_shown_name(found).text, th_format_shown_name(name).text) ||
                   th_hint(err, "map=FILE, with a line net = NAME, says which; help load");
        found = name;
    }
    if (!found)
        return th_fail(err, TH_EVALUE, "no tensor's name ends with %s: this is no %s", l->mark + 1,
                       l->module) ||
               th_hint(err, "kind= says what it is; help weights has the names");
    char from[512];
    snprintf(from, sizeof from, "%.*s", (int)(strlen(found) - strlen(l->mark) + 1), found);
    for (size_t i = 0, n = strlen(from); i < in->arrays->n; i++) {
        ThFormatArray *a = &in->arrays->item[i];
        if (begins(a->name, from) && is_of(in->layout, a->name + n) &&
            !rename_to(a, "net.", a->name + n, err))
            return false;
    }
    return true;
}

/* The tensor of a parameter, by a row of the table; NULL: there is no such row or tensor. */
static ThFormatArray *tensor_of(const ThFormatImport *in, const char *parameter)
{
    int number;
    for (const ThFormatRow *const *list = in->layout->rows; *list; list++)
        for (const ThFormatRow *r = *list; r->parameter; r++)
            for (size_t i = 0; strcmp(r->parameter, parameter) == 0 && i < in->arrays->n; i++)
                if (fits(r->tensor, in->arrays->item[i].name, &number))
                    return &in->arrays->item[i];
    return NULL;
}

/* The weight without a bias whose rows are as wide as what the network reads; if there are several,
 * the one that is called so. */
static bool find_embedding(ThFormatImport *in, size_t inputs, ThError *err)
{
    const ThFormatArray *found = NULL;
    size_t candidates = 0;
    bool open = in->layout->gates > 0 || !tensor_of(in, "embedding");
    for (size_t i = 0; open && i < in->arrays->n; i++) {
        const ThFormatArray *a = &in->arrays->item[i];
        if (!is_weight(a) || has_role(a) || a->shape[1] != inputs || has_bias(in->arrays, a))
            continue;
        candidates++;
        if (!found || strstr(a->name, "emb"))
            found = a;
    }
    bool sure = found && (candidates == 1 || strstr(found->name, "emb"));
    if (sure && !call(in, found, "embedding", err))
        return false;
    in->embedding = in->layout->gates > 0 ? th_format_arrays_find(in->arrays, "embedding.weight")
                                          : tensor_of(in, "embedding");
    if (in->embedding)
        in->embedding->used = true;
    return true;
}

static bool has_hidden(const ThFormatLayout *l)
{
    for (const ThFormatRow *const *list = l->rows; *list; list++)
        for (const ThFormatRow *r = *list; r->parameter; r++)
            if (strcmp(r->tensor, "hidden.weight") == 0)
                return true;
    return false;
}

/* What is left: a head of one layer, or of two. */
static bool find_heads(ThFormatImport *in, size_t dim, ThError *err)
{
    const ThFormatArray *left[2] = {0};
    size_t n = 0;
    if (th_format_arrays_find(in->arrays, "head.weight"))
        return true;
    for (size_t i = 0; i < in->arrays->n; i++)
        if (is_weight(&in->arrays->item[i]) && !has_role(&in->arrays->item[i])) {
            if (n < 2)
                left[n] = &in->arrays->item[i];
            n++;
        }
    if (n == 2 && (left[0]->shape[1] != dim || left[1]->shape[1] != left[0]->shape[0] ||
                   (left[1]->shape[1] == dim && left[0]->shape[0] == dim &&
                    strcmp(left[0]->name, left[1]->name) > 0))) {
        const ThFormatArray *first = left[1];
        left[1] = left[0];
        left[0] = first;
    }
    if (n == 1)
        return call(in, left[0], "head", err);
    if (n == 0 && in->layout->gates == 0 && th_option_choice(in->options, "answers") == 2)
        return true; /* tied to the embeddings */
    if (n == 2 && has_hidden(in->layout) && left[0]->shape[1] == dim &&
        left[1]->shape[1] == left[0]->shape[0]) {
        char last[512];
        snprintf(last, sizeof last, "%s", left[1]->name);
        return call(in, left[0], "hidden", err) &&
               call(in, th_format_arrays_find(in->arrays, last), "head", err);
    }
    th_fail(err, TH_EVALUE,
            n == 0 ? "no tensor is the weight of a head" : "it is not clear what the head is");
    return th_hint(err, "map=FILE, with lines head = NAME and hidden = NAME, says it; help load");
}

/* What a recurrent network here is not. */
static bool refuse_variants(const ThFormatImport *in, ThError *err)
{
    static const char *const others[][2] = {{".mixer.dt_bias", "a Mamba-2"},
                                            {".attn.gk_proj.0.weight", "a gated linear attention"}};
    for (size_t i = 0; i < in->arrays->n; i++) {
        const char *name = in->arrays->item[i].name;
        ThFormatShownName shown = th_format_shown_name(in->arrays->item[i].known);
        if (begins(name, "net.") && th_ends_with(name, "_reverse"))
            return th_fail(err, TH_EVALUE,
                           "the tensor '%s' is of a network that reads in both directions; those "
                           "here read forwards",
                           shown.text);
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            if (in->layout->gates == 0 && th_ends_with(name, others[k][0]))
                return th_fail(err, TH_EVALUE, "the tensor '%s' is of %s, which no model here is",
                               shown.text, others[k][1]);
        if (begins(name, "net.weight_hr_"))
            return th_fail(err, TH_EVALUE,
                           "the tensor '%s' projects the state (proj_size=), which is not known "
                           "here",
                           shown.text);
    }
    return true;
}

/* The kind whose gates there are, for a hint. */
static bool check_gates(const ThFormatImport *in, const ThFormatArray *w, ThError *err)
{
    size_t n, dim = w->shape[1];
    const ThFormatLayout *l = th_format_layouts(&n);
    if (w->dims == 2 && w->shape[0] == (size_t)in->layout->gates * dim)
        return true;
    th_fail(err, TH_EVALUE, "the tensor '%s' is %s, and kind=%s wants %zu x %zu",
            th_format_shown_name(w->known).text, th_format_shape(w->shape, w->dims).text,
            in->layout->kind, (size_t)in->layout->gates * dim, dim);
    for (size_t i = 0; w->dims == 2 && i < n; i++)
        if (l[i].gates > 0 && w->shape[0] == (size_t)l[i].gates * dim)
            return th_hint(err, "it is a %s's: kind=%s", l[i].module, l[i].kind);
    return false;
}

/* A table of positions, or a buffer of them: of (1, n, d) or (n, 1, d), too. */
static bool find_positions(ThFormatImport *in, size_t dim, ThError *err)
{
    for (size_t i = 0; i < in->arrays->n; i++) {
        ThFormatArray *a = &in->arrays->item[i];
        bool called = strstr(a->name, "pos") || strcmp(a->name, "pe") == 0 ||
                      th_ends_with(a->name, ".pe") || th_ends_with(a->name, ".pe.weight");
        if (!called || has_role(a) || a->dims < 2 || a->shape[a->dims - 1] != dim ||
            has_bias(in->arrays, a))
            continue;
        a->shape[0] = a->n / dim;
        a->shape[1] = dim;
        a->dims = 2;
        return rename_to(a, "positions.weight", "", err);
    }
    return true;
}

/* Kernels of convolutions, (channels, 1, taps), are matrices here, and the state before the first
 * symbol is a vector. */
static void flatten_kernels(ThFormatArrays *a)
{
    for (size_t i = 0; i < a->n; i++)
        if (a->item[i].dims == 3 && th_ends_with(a->item[i].name, ".a0")) {
            a->item[i].shape[0] = a->item[i].n;
            a->item[i].dims = 1;
        } else if (a->item[i].dims == 3 && a->item[i].shape[1] == 1) {
            a->item[i].shape[1] = a->item[i].shape[2];
            a->item[i].dims = 2;
        }
}

/* Gives tensors the names of the table by what they look like: sets in->embedding and in->dim. */
static bool find_parts(ThFormatImport *in, ThError *err)
{
    char name[64];
    const ThFormatLayout *l = in->layout;
    flatten_kernels(in->arrays);
    if (!strip_wrappers(in->arrays, err) || !follow_map(in, err) || !find_network(in, err) ||
        !refuse_variants(in, err))
        return false;
    snprintf(name, sizeof name, "net%s", l->mark);
    const ThFormatArray *key = th_format_arrays_find(in->arrays, name);
    if (!key || key->dims != 2)
        return th_fail(err, TH_EVALUE, "the tensor '%s' is no matrix", l->mark + 1);
    if (l->gates > 0 && !check_gates(in, key, err))
        return false;
    in->dim = key->shape[0] < key->shape[1] ? key->shape[0] : key->shape[1];
    const ThFormatArray *ih = th_format_arrays_find(in->arrays, "net.weight_ih_l0");
    if (l->gates > 0 && (!ih || ih->dims != 2))
        return th_fail(err, TH_EVALUE, "the tensor 'weight_ih_l0' is missing");
    return (l->gates > 0 || find_positions(in, in->dim, err)) &&
           find_embedding(in, ih ? ih->shape[1] : in->dim, err) && find_heads(in, in->dim, err);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Sets options of the model from "key=value key=value". */
static bool set_fixed(ThOptions *o, const char *values, ThError *err)
{
    char text[128], *rest = text;
    snprintf(text, sizeof text, "%s", values);
    for (char *pair; (pair = strtok_r(rest, " ", &rest));) {
        char *value = strchr(pair, '=');
        *value++ = '\0';
        if (!th_options_set(o, pair, value, err))
            return false;
    }
    return true;
}

static int count_layers(const ThFormatImport *in)
{
    int layers = 0, number;
    for (const ThFormatRow *const *list = in->layout->rows; *list; list++)
        for (const ThFormatRow *r = *list; r->parameter; r++)
            for (size_t i = 0; i < in->arrays->n; i++)
                if (fits(r->tensor, in->arrays->item[i].name, &number) && number >= layers)
                    layers = number + 1;
    return layers > 0 ? layers : 1;
}

static bool set_flag(ThOptions *o, const char *name, bool on, ThError *err)
{
    return th_options_set(o, name, on ? "yes" : "no", err);
}

/* What shapes say of a linear recurrence: an option, the tensor of a parameter, which of its sizes,
 * and in what that is counted. */
static const struct {
    const char *option, *parameter;
    size_t at;
    const char *unit;
} sizes[] = {
    {"state", "layer%d.decay", 1, NULL},         {"expand", "layer%d.decay", 0, "dim"},
    {"rank", "layer%d.time", 1, NULL},           {"steps", "layer%d.key", 0, "dim"},
    {"heads", "layer%d.rate", 0, "steps"},       {"mlp_width", "layer%d.feed_forward.up", 0, NULL},
    {"block", "layer%d.transition.up", 0, "dim"}};
static const char *const parts[][2] = {
    {"convolution", "layer%d.convolution"}, {"gate", "layer%d.gate"}, {"forget", "layer%d.decay"}};

static bool set_linear(const ThFormatImport *in, ThOptions *o, ThError *err)
{
    bool ok = in->embedding || th_fail(err, TH_EVALUE, "no tensor is the embedding of the symbols");
    for (size_t i = 0; ok && i < sizeof sizes / sizeof *sizes; i++) {
        const ThFormatArray *a = tensor_of(in, sizes[i].parameter);
        bool known = th_option_known(o, sizes[i].option);
        if (known && !a && th_option_text(o, sizes[i].option))
            return th_fail(err, TH_EVALUE, "no tensor tells %s=", sizes[i].option) ||
                   th_hint(err, "help weights has the names of a %s", in->layout->module);
        if (!known || !a || a->dims != 2)
            continue;
        size_t unit = sizes[i].unit ? (size_t)th_option_int(o, sizes[i].unit) : 1;
        ok = a->shape[sizes[i].at] % unit == 0 ||
             th_fail(err, TH_EVALUE, "the tensor '%s' is %s, and %zu is no multiple of %s=%zu",
                     th_format_shown_name(a->known).text, th_format_shape(a->shape, a->dims).text,
                     a->shape[sizes[i].at], sizes[i].unit, unit);
        ok = ok &&
             th_options_set_int(o, sizes[i].option, (long long)(a->shape[sizes[i].at] / unit), err);
    }
    for (size_t i = 0; ok && i < sizeof parts / sizeof *parts; i++)
        if (th_option_known(o, parts[i][0]))
            ok = set_flag(o, parts[i][0], tensor_of(in, parts[i][1]), err);
    return ok;
}

/* What the tensors of a transformer say. */
static bool set_transformer(const ThFormatImport *in, ThOptions *o, ThError *err)
{
    const ThFormatArray *up = tensor_of(in, "layer%d.feed_forward.up");
    const ThFormatArray *positions = tensor_of(in, "position");
    bool rope = strstr(in->layout->options, "position=rope") != NULL;
    size_t wide = up && in->dim > 0 ? up->n / in->dim : 0;
    if (!in->embedding)
        return th_fail(err, TH_EVALUE, "no tensor is the embedding of the symbols") ||
               th_hint(err, "map=FILE, with a line embedding = NAME, says which; help load");
    if (wide == 0)
        return th_fail(err, TH_EVALUE, "no tensor is the first matrix of a feed-forward layer");
    if (positions && !th_options_set_int(o, "longest", (long long)positions->shape[0], err))
        return false;
    return th_options_set_int(o, "mlp_width", (long long)wide, err) &&
           th_options_set(o, "position",
                          positions ? "learned"
                          : rope    ? "rope"
                                    : "none",
                          err) &&
           set_flag(o, "head_bias", th_format_arrays_find(in->arrays, "head.bias"), err) &&
           set_flag(o, "final_norm", tensor_of(in, "final_norm.gain"), err) &&
           (th_format_arrays_find(in->arrays, "head.weight") ||
            th_options_set(o, "head", "tied", err));
}

static bool set_sizes(const ThFormatImport *in, ThOptions *o, ThError *err)
{
    static const char *const same[] = {"activation", "head",         "head_activation",
                                       "heads",      "norm",         "causal",
                                       "scale",      "norm_epsilon", "eigenvalues"};
    const ThFormatArray *hidden = th_format_arrays_find(in->arrays, "hidden.weight");
    bool recurrent = in->layout->gates > 0, gpt = strcmp(in->layout->model, "gpt") == 0;
    bool ok = set_fixed(o, in->layout->options, err) &&
              th_options_set_int(o, "dim", (long long)in->dim, err) &&
              th_options_set_int(o, "layers", count_layers(in), err) &&
              (!hidden || !recurrent ||
               th_options_set_int(o, "head_hidden", (long long)hidden->shape[0], err)) &&
              (recurrent || (gpt ? set_transformer : set_linear)(in, o, err)) &&
              (recurrent || th_format_exchange_config(in, o, err));
    for (size_t i = 0; ok && i < sizeof same / sizeof *same; i++)
        if (th_option_given(in->options, same[i]) && (recurrent || strcmp(same[i], "head") != 0))
            ok = th_options_set(o, same[i], th_option_text(in->options, same[i]), err);
    if (ok && gpt && !th_option_given(o, "heads"))
        return th_fail(err, TH_EUSAGE, "heads= is missing: no tensor tells how many there are");
    return ok;
}

/* Names of a list: its words, or, where it has no blank and may, its characters. */
static bool split(const char *text, bool characters, int *n, char ***names, ThError *err)
{
    size_t length = strlen(text), size;
    *names = th_alloc(length + 1, sizeof **names, err);
    bool words = !characters || strchr(text, ' ');
    for (const char *c = text; *names && *(c += strspn(c, " ")); c += size) {
        size = words ? strcspn(c, " ") : th_utf8_next(c, strlen(c), NULL);
        size = size ? size : 1;
        (*names)[*n] = th_strndup(c, size, err);
        if (!(*names)[(*n)++])
            return false;
        for (int i = 0; i + 1 < *n; i++)
            if (strcmp((*names)[i], (*names)[*n - 1]) == 0)
                return th_fail(err, TH_EUSAGE, "'%s' is there twice", (*names)[i]);
    }
    return *names != NULL;
}

static bool make_signature(const ThFormatImport *in, ThSignature *s, ThError *err)
{
    const ThOptions *o = in->options;
    const char *symbols = th_option_text(o, "symbols"), *classes = th_option_text(o, "classes");
    int answers = th_option_choice(o, "answers");
    if (!symbols || !*symbols)
        return th_fail(err, TH_EUSAGE, "symbols= is missing: the alphabet, as symbols=\"ab\"");
    s->next = answers == 2;
    s->target = answers == 0 ? TH_TARGET_FINAL : TH_TARGET_EVERY;
    if (s->next == (classes != NULL))
        return th_fail(err, TH_EUSAGE,
                       s->next ? "with answers=next the classes are the symbols"
                               : "classes= is missing, as classes=\"reject accept\"");
    return split(symbols, true, &s->n_symbols, &s->symbol, err) &&
           split(s->next ? symbols : classes, s->next, &s->n_classes, &s->label, err);
}

/* As many rows of the embedding, or columns of what is one-hot, as there are symbols. */
static bool check_alphabet(const ThFormatImport *in, const ThSignature *s, ThError *err)
{
    const ThFormatArray *e = in->embedding;
    const ThFormatArray *ih = th_format_arrays_find(in->arrays, "net.weight_ih_l0");
    size_t there = e ? e->shape[0] : ih ? ih->shape[1] : 0;
    size_t named = in->first + (size_t)s->n_symbols;
    if (there == named)
        return true;
    if (there > named) {
        th_format_note(in->notes, "%s %zu of %zu %s are no symbol's", e ? "rows" : "columns",
                       there - (size_t)s->n_symbols, there, e ? "embeddings" : "inputs");
        return true;
    }
    th_fail(err, TH_EVALUE, "%d symbols from number %zu on are named, and there are %zu %s",
            s->n_symbols, in->first, there, e ? "embeddings" : "one-hot inputs");
    return e || th_hint(err, "where the inputs are embeddings, map=FILE says which: a line "
                             "embedding = NAME");
}

static bool ignored(const char *list, const char *name)
{
    for (const char *c = list ? list : ""; *(c += strspn(c, " ")); c += strcspn(c, " "))
        if (strncmp(name, c, strcspn(c, " ")) == 0)
            return true;
    return false;
}

/* Buffers that old files have, and which no training changes. */
static bool is_mask(const char *name)
{
    static const char *const ends[] = {".attn.bias", ".attn.masked_bias", ".attention.bias",
                                       ".attention.masked_bias", ".rotary_emb.inv_freq"};
    bool any = false;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        any |= th_ends_with(name, ends[i]);
    return any;
}

/* A tensor that plays no part would be one that was forgotten. */
static bool check_unused(const ThFormatImport *in, ThError *err)
{
    for (size_t i = 0; i < in->arrays->n; i++) {
        const ThFormatArray *a = &in->arrays->item[i];
        ThFormatShownName shown = th_format_shown_name(a->known);
        if (a->used || a->whole || is_mask(a->known))
            continue;
        if (!ignored(th_option_text(in->options, "ignore"), a->known))
            return th_fail(err, TH_EVALUE, "the tensor '%s' (%s) has no part in this network",
                           shown.text, th_format_shape(a->shape, a->dims).text) ||
                   th_hint(err, "if it is not needed: ignore=\"%s\"", shown.text);
    }
    return true;
}

static bool build(ThFormatImport *in, ThError *err)
{
    ThOptions o TH_OWNED(th_options_free) = {0};
    ThSignature s TH_OWNED(th_signature_free) = {0};
    const ThModelKind *kind = th_model_kind(in->layout->model);
    return make_signature(in, &s, err) && find_parts(in, err) && check_alphabet(in, &s, err) &&
           th_options_init(&o, kind->options, err) && set_sizes(in, &o, err) &&
           (in->m = th_model_new(kind, &o, err)) && th_model_bind(in->m, &s, 0, err) &&
           th_format_exchange_fill(in, err) && check_unused(in, err);
}

/* Where its parameters are from, as show says. */
static bool note_origin(const ThFormatImport *in, ThError *err)
{
    ThText t = {0};
    th_text_printf(&t, "of a %s", in->layout->module);
    in->m->training.task = th_text_take(&t, err);
    return in->m->training.task != NULL;
}

/* What can be compared at once with the answer there. */
static bool note_example(const ThFormatImport *in, ThError *err)
{
    const ThSignature *s = &in->m->signature;
    ThModelTrace *t TH_OWNED(th_model_trace_free) = th_model_trace(in->m, (int[]){0}, 1, err);
    ThText text TH_OWNED(th_text_free) = {0};
    for (int i = 0; t && i < t->n_classes && i < 4; i++)
        th_text_printf(&text, "%s%s %.4g", i ? ", " : "", s->label[i], t->output[i]);
    if (t)
        th_format_note(in->notes, "after '%s' the logits are %s: compare them with %s's",
                       s->symbol[0], th_text_string(&text), in->layout->module);
    th_format_note(in->notes, "answers are read behind the last symbol itself, without padding");
    return t != NULL;
}

ThModel *th_format_exchange_load(const char *path, const ThOptions *o, ThText *notes, ThError *err)
{
    size_t n;
    const ThFormatLayout *layouts = th_format_layouts(&n);
    ThFormatArrays arrays TH_OWNED(th_format_arrays_free) = {0};
    ThFormatImport in = {.layout = &layouts[th_option_choice(o, "kind")],
                         .path = path,
                         .options = o,
                         .arrays = &arrays,
                         .first = (size_t)th_option_int(o, "first"),
                         .notes = notes};
    if (th_format_arrays_load(path, &arrays, err) && build(&in, err) && note_origin(&in, err) &&
        note_example(&in, err))
        return in.m;
    th_model_free(in.m);
    return NULL;
}
