#include "proof/check/windows.h"

#include <math.h>

#include "automata/words/growth.h"
#include "models/ablation.h"
#include "proof/check/chunk.h"
#include "proof/check/decoder.h"
#include "proof/check/string_boxes.h"
#include "proof/map_impl.h"
#include "proof/provable.h"
#include "proof/prover.h"

typedef ThProofDecoder Net;

bool th_proof_windows_fit(const ThModel *m)
{
    const ThOptions *o = &m->options;
    if (!th_proof_decoder_known(m, "hard_alibi") || !th_option_flag(o, "causal"))
        return false;
    long long heads = th_option_int(o, "heads"), layers = th_option_int(o, "layers");
    return heads <= TH_PROOF_CHILDREN &&
           th_option_int_or(o, "window_heads", (heads + 1) / 2) == heads &&
           th_option_int_or(o, "window_layers", layers) >= layers;
}

/* Symbols that an answer depends on. */
static int reach_of(const ThModel *m)
{
    int heads = (int)th_option_int(&m->options, "heads");
    int layers = (int)th_option_int(&m->options, "layers"), reach = layers * (heads - 1) + 1;
    return reach;
}

/* f->logit <- what is read behind a string, in arithmetic that rounds by `unit`. */
static void answer(Net *f, const int *word, int n, double unit)
{
    f->unit = unit;
    th_proof_decoder_embed(f, word, n);
    for (int layer = 0; layer < f->layers; layer++)
        th_proof_decoder_layer(f, layer, n);
    th_proof_decoder_read(f, n - 1);
}

/* ---- all strings ----------------------------------------------------------------------------- */

/* Where automaton and domain can be, with how they got there: a word of `length` symbols, the last
 * of which is `symbol` behind `from`. */
typedef struct {
    int state, place, length, from, symbol;
} Point;

typedef struct {
    Net *f;
    const ThProofClaim *claim;
    ThProofWindows *out;
    Point *point; /* in the order of their lengths, the start first */
    int n_points;
    int said; /* to the last string: a class, or -1 */
} Look;

static int step(const ThDfa *d, int q, int symbol)
{
    return d ? d->next[q * d->n_symbols + symbol] : 0;
}

static bool find_points(Look *k, ThError *err)
{
    const ThDfa *m = k->claim->machine, *d = k->claim->domain;
    const int places = d ? d->n_states : 1;
    size_t all = (size_t)m->n_states * (size_t)places;
    bool *seen TH_OWNED(free) = th_alloc(all, sizeof *seen, err);
    k->point = th_alloc(all, sizeof *k->point, err);
    if (!seen || !k->point)
        return false;
    k->point[k->n_points++] = (Point){m->start, d ? d->start : 0, 0, -1, -1};
    seen[m->start * places + k->point[0].place] = true;
    for (int i = 0; i < k->n_points; i++)
        for (int a = 0; a < m->n_symbols; a++) {
            Point to = {step(m, k->point[i].state, a), step(d, k->point[i].place, a),
                        k->point[i].length + 1, i, a};
            if (seen[to.state * places + to.place])
                continue;
            seen[to.state * places + to.place] = true;
            k->point[k->n_points++] = to;
        }
    return true;
}

/* Keeps a string that is not surely answered right (said -1: nothing is sure), behind what leads to
 * a point: the shortest, but one that is surely wrong before all that are not known. */
static bool keep(Look *k, const Point *p, const int *word, int n, int right, int said, ThError *err)
{
    ThProofWindows *w = k->out;
    int length = p->length + n;
    bool wrong = said >= 0;
    if (w->word && (w->wrong != wrong ? w->wrong : w->length <= length))
        return true;
    int *all = th_alloc((size_t)length, sizeof *all, err);
    if (!all)
        return false;
    memcpy(all + p->length, word, (size_t)n * sizeof *word);
    for (const Point *at = p; at->from >= 0; at = &k->point[at->from])
        all[at->length - 1] = at->symbol;
    free(w->word);
    w->word = all;
    w->length = length;
    w->wrong = wrong;
    w->right = right;
    w->answer = said;
    return true;
}

/* What is asked behind a point and a string: a class, or -1. */
static int class_behind(const Look *k, const Point *p, const int *word, int n)
{
    const ThDfa *m = k->claim->machine, *d = k->claim->domain;
    int q = p->state, place = p->place;
    for (int a = 0; a < n; a++) {
        q = step(m, q, word[a]);
        place = step(d, place, word[a]);
    }
    return m->label[q] >= k->f->n_classes || (d && d->label[place] == 0) ? -1 : m->label[q];
}

/* Compares the answer to a string, behind the first points, with the automaton's. */
static bool compare(Look *k, const int *word, int n, ThError *err)
{
    double lead, in_float;
    answer(k->f, word, n, TH_PROOF_POINT_UNITS[1]);
    int run = th_proof_decoder_surely(k->f, &in_float);
    for (int c = 0; c < k->f->n_classes; c++)
        k->out->rounding = fmax(k->out->rounding, k->f->logit[c].off);
    answer(k->f, word, n, TH_PROOF_POINT_UNITS[0]);
    int said = th_proof_decoder_surely(k->f, &lead);
    k->out->strings++;
    for (int i = 0; i < (n < k->out->reach ? 1 : k->n_points); i++) {
        int class = class_behind(k, &k->point[i], word, n);
        if (class < 0)
            continue;
        k->out->answers++;
        k->out->in_float &= run == class;
        k->out->lead = fmin(k->out->lead, lead);
        if (said != class && !keep(k, &k->point[i], word, n, class, said, err))
            return false;
    }
    return true;
}

static bool compare_all(Look *k, ThStop *stop, ThError *err)
{
    int *word TH_OWNED(free) = th_alloc((size_t)k->out->reach, sizeof *word, err);
    for (int n = 1; word && n <= k->out->reach; n++) {
        int i;
        memset(word, 0, (size_t)n * sizeof *word);
        do {
            if (th_stopped_at(stop, (size_t)k->out->strings, "strings", err) ||
                !compare(k, word, n, err))
                return false;
            for (i = n - 1; i >= 0 && ++word[i] == k->f->n_symbols; i--)
                word[i] = 0;
        } while (i >= 0);
    }
    return word != NULL;
}

/* What is wrong in real numbers must be so of the model itself, whose run may say something else.
 */
static bool ask(Look *k, ThError *err)
{
    ThProofWindows *w = k->out;
    int said = 0;
    if (!w->wrong)
        return true;
    if (!th_proof_ask(k->f->m, w->word, w->length, &said, err))
        return false;
    w->wrong = said != w->right;
    w->answer = said;
    return true;
}

static const double MOST_STRINGS = 1e6;

static bool few(const ThModel *m, int reach, ThError *err)
{
    const double all = pow(m->signature.n_symbols, reach);
    return all <= MOST_STRINGS ||
           th_fail(err, TH_ELIMIT,
                   "an answer depends on the last %d symbols: %.3g strings of them are too many",
                   reach, all) ||
           th_hint(err, "fewer heads or layers read fewer symbols: layers (heads - 1) + 1");
}

bool th_proof_windows_logits(const ThModel *m, const int *word, int n, bool in_float, double *at,
                             double *off, ThError *err)
{
    Net *f TH_OWNED(free) = th_proof_decoder_new(m, n, 0, err);
    if (!f)
        return false;
    answer(f, word, n, TH_PROOF_POINT_UNITS[in_float]);
    for (int c = 0; c < f->n_classes; c++) {
        at[c] = f->logit[c].at;
        off[c] = f->logit[c].off;
    }
    return true;
}

/* *f and *w: returns new, of a model whose numbers are those of a proof. */
static bool begin(const ThModel *m, int reach, double slack, Net **f, ThProofWindows **w,
                  ThError *err)
{
    if (!th_model_whole(m, "a proof", err) || !th_proof_moderate(&m->params, err) ||
        !(*f = th_proof_decoder_new(m, reach, slack, err)) || !(*w = th_alloc(1, sizeof **w, err)))
        return false;
    **w = (ThProofWindows){.reach = reach, .in_float = true, .lead = HUGE_VAL};
    return true;
}

/* Keeps what has been found, where nothing failed. */
static ThProofWindows *end(Look *k, bool ok, ThError *err)
{
    ok = ok && ask(k, err);
    free(k->point);
    if (k->out) {
        k->out->holds = ok && !k->out->word;
        k->out->in_float &= k->out->holds;
    }
    return TH_KEEP_IF(ok, k->out, th_proof_windows_free);
}

ThProofWindows *th_proof_windows(const ThModel *m, const ThProofClaim *claim, double slack,
                                 ThStop *stop, ThError *err)
{
    if (!th_proof_windows_fit(m))
        return th_null(th_fail(err, TH_EVALUE, "the model sees more than windows"));
    Net *f TH_OWNED(free) = NULL;
    Look k = {.claim = claim};
    bool ok = few(m, reach_of(m), err) && begin(m, reach_of(m), slack, &f, &k.out, err);
    k.f = f;
    ok = ok && find_points(&k, err) && compare_all(&k, stop, err);
    return end(&k, ok, err);
}

/* ---- strings by themselves ------------------------------------------------------------------- */

bool th_proof_strings_fit(const ThModel *m)
{
    if (!th_proof_decoder_known(m, NULL) || th_proof_decoder_known(m, "none") ||
        th_proof_windows_fit(m) || th_option_int(&m->options, "heads") > TH_PROOF_CHILDREN)
        return false;
    bool causal = th_option_flag(&m->options, "causal");
    return causal ||
           (m->signature.target == TH_TARGET_FINAL && !th_proof_decoder_known(m, "hard_alibi"));
}

/* Returns new: the acceptor of strings about which something is asked. */
static ThDfa *asked_of(const ThProofClaim *c, ThStop *stop, ThError *err)
{
    static const bool both[] = {false, false, false, true};
    ThDfa *m = th_dfa_copy(c->machine, err);
    for (int q = 0; m && q < m->n_states; q++)
        m->label[q] = m->label[q] < c->asked.n_classes;
    if (m)
        m->n_classes = 2;
    if (!m || !c->domain)
        return m;
    ThDfa *d = th_dfa_product(m, c->domain, both, 0, stop, err);
    th_dfa_free(m);
    return d;
}

static bool no_longest(const ThModel *m, ThError *err)
{
    const ThProofProvable *p = th_proof_provable_kind(m->kind->name);
    return th_fail(err, TH_EVALUE,
                   "no proof is known of models of kind %s about strings of any length: %s",
                   m->kind->name, p ? p->why : "") ||
           th_hint(err, "domain= names strings of up to 64 symbols, which can be proved: "
                        "automaton d = regex \"(a|b){1,12}\"");
}

/* *longest <- the most symbols of a string about which something is asked. */
static bool find_longest(const ThModel *m, const ThProofClaim *c, int *longest, ThStop *stop,
                         ThError *err)
{
    ThWordsGrowth g;
    ThDfa *asked TH_OWNED(th_dfa_free) = asked_of(c, stop, err);
    if (!asked || !th_dfa_growth(asked, &g, stop, err))
        return false;
    *longest = g.longest;
    if (g.empty || (g.finite && g.longest == 0))
        return th_fail(err, TH_EVALUE, "nothing is asked about the strings that are meant");
    if (!g.finite)
        return no_longest(m, err);
    if (g.longest > TH_PROOF_CHILDREN)
        return th_fail(err, TH_EVALUE, "strings have up to %d symbols, and proofs %d at most",
                       g.longest, TH_PROOF_CHILDREN);
    int table = th_params_find(&m->params, "position");
    if (table >= 0 && m->params.item[table].rows < g.longest)
        return th_fail(err, TH_EVALUE, "the model has %d positions, and strings %d symbols",
                       m->params.item[table].rows, g.longest);
    return true;
}

static bool in_float(const Look *k)
{
    return k->f->unit == TH_PROOF_POINT_UNITS[1];
}

static void compare_one(void *context, const int *word, int n, int class, bool *sure)
{
    Look *k = context;
    ThProofWindows *w = k->out;
    double lead;
    answer(k->f, word, n, k->f->unit);
    k->said = th_proof_decoder_surely(k->f, &lead);
    *sure = k->said == class;
    for (int c = 0; *sure && in_float(k) && c < k->f->n_classes; c++)
        w->rounding = fmax(w->rounding, k->f->logit[c].off);
    if (*sure && !in_float(k))
        w->lead = fmin(w->lead, lead);
}

/* Keeps what is not sure, and ends where it is surely wrong, or was only to be known of floats. */
static bool leave_open(void *context, const int *word, int n, int class, bool *end, ThError *err)
{
    Look *k = context;
    const Point start = {.from = -1};
    if (in_float(k)) {
        *end = true;
        k->out->in_float = false;
        return true;
    }
    if (!keep(k, &start, word, n, class, k->said, err))
        return false;
    *end = k->out->wrong;
    return true;
}

/* In double precision, and where that is sure in single. */
static bool compare_boxes(Look *k, int longest, ThStop *stop, ThError *err)
{
    ThProofWindows *w = k->out;
    const ThProofBoxesHow how = {k->f, k->claim,    longest,   (long long)MOST_STRINGS,
                                 k,    compare_one, leave_open};
    ThProofBoxesFound found, of_floats;
    k->f->unit = TH_PROOF_POINT_UNITS[0];
    bool ok = th_proof_boxes(&how, &found, stop, err);
    w->strings = w->answers = (long long)fmin(found.strings, (double)TH_PROOF_MOST_COUNTED);
    w->boxes = found.boxes;
    w->lead = fmin(w->lead, found.lead);
    k->f->unit = TH_PROOF_POINT_UNITS[1];
    if (!ok || w->word)
        return ok;
    ThError too_many = {0};
    ok = th_proof_boxes(&how, &of_floats, stop, &too_many);
    w->in_float &= ok;
    return ok || too_many.code == TH_ELIMIT || th_fail_as(err, &too_many);
}

ThProofWindows *th_proof_strings(const ThModel *m, const ThProofClaim *claim, double slack,
                                 ThStop *stop, ThError *err)
{
    if (!th_proof_strings_fit(m))
        return th_null(th_fail(err, TH_EVALUE, "its heads do not see whole strings"));
    Net *f TH_OWNED(free) = NULL;
    Look k = {.claim = claim};
    int longest;
    bool ok =
        find_longest(m, claim, &longest, stop, err) && begin(m, longest, slack, &f, &k.out, err);
    k.f = f;
    ok = ok && compare_boxes(&k, longest, stop, err);
    return end(&k, ok, err);
}

void th_proof_windows_free(ThProofWindows *w)
{
    if (w)
        free(w->word);
    free(w);
}
