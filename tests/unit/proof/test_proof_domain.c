/* Proofs about the strings of a domain: that they are about all of these, and about no others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bound.h"
#include "given.h"
#include "lab/train.h"
#include "proof/cell/cell.h"
#include "proof/certify.h"
#include "proof/check/check.h"
#include "proof/check/quantize.h"

enum { SYMBOLS = 2, STATES = 4, LONGEST = 12 };

/* Returns new: any machine with two classes; class 1 is rare where it is asked for. */
static ThDfa *drawn_machine(ThRng *r, bool rare)
{
    ThDfa *d = th_dfa_new(1 + below(r, STATES), SYMBOLS, 2, NULL);
    for (int i = 0; i < d->n_states * SYMBOLS; i++)
        d->next[i] = below(r, d->n_states);
    for (int q = 0; q < d->n_states; q++)
        d->label[q] = below(r, rare ? 4 : 2) == 0;
    return d;
}

static bool accepts(const ThDfa *d, const int *word, int length)
{
    return th_dfa_class(d, word, (size_t)length) == 1;
}

/* ---- labels ---------------------------------------------------------------------------------- */

/* The label of a string, by the tree above it; -1 where something is missing. */
static int label_of(const ThProofLabels *l, const int *word, int length)
{
    int at[LONGEST] = {-1}, n = (length + 1) / 2, odd = length % 2;
    for (int i = 0; i < n; i++) {
        const int *later = word + 2 * i + 1 - odd;
        at[i] = i == 0 && odd ? l->single[*later] : l->pair[later[-1] * SYMBOLS + *later];
    }
    for (; n > 1; n = (n + 1) / 2)
        for (int i = 0; i < (n + 1) / 2; i++) {
            int k = 2 * i + 1 - n % 2;
            if (at[k] < 0 || (k > 0 && at[k - 1] < 0))
                return -1;
            at[i] = th_proof_labels_product(l, k > 0 ? at[k - 1] : -1, at[k]);
        }
    return at[0];
}

/* Every string of the domain has labels and its answer; and there are no more pairs of symbols, and
 * symbols alone, than its strings have at their places. */
static void check_labels(const ThDfa *machine, const ThDfa *domain)
{
    ThError err = {0};
    bool pair[SYMBOLS * SYMBOLS] = {false}, single[SYMBOLS] = {false}, any = false;
    int word[MAX_WORD], length = 0;
    ThProofLabels *l = th_proof_labels_new(machine, domain, 2, 5000, NULL, &err);
    while (next_word(word, &length, SYMBOLS, LONGEST)) {
        if (!accepts(domain, word, length))
            continue;
        any = true;
        assert_non_null(l);
        int label = label_of(l, word, length), odd = length % 2;
        assert_true(label >= 0);
        assert_int_equal(l->answer[label], th_dfa_class(machine, word, (size_t)length));
        if (odd)
            single[word[0]] = true;
        for (int i = odd; i + 1 < length; i += 2)
            pair[word[i] * SYMBOLS + word[i + 1]] = true;
    }
    assert_true(any == (l != NULL));
    if (!any)
        assert_int_equal(err.code, TH_EVALUE);
    for (int i = 0; any && i < SYMBOLS; i++)
        assert_true(single[i] == (l->single[i] >= 0));
    for (int i = 0; any && i < SYMBOLS * SYMBOLS; i++)
        assert_true(pair[i] == (l->pair[i] >= 0));
    th_proof_labels_free(l);
}

static void test_labels(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "labels", 0);
    for (int i = 0; i < 60; i++) {
        ThDfa *machine = drawn_machine(&r, false), *domain = drawn_machine(&r, i % 2);
        check_labels(machine, domain);
        th_dfa_free(machine);
        th_dfa_free(domain);
    }
}

/* Strings that other tasks can draw, and training does not see. */
static void test_arithmetic(void **state)
{
    (void)state;
    ThError err = {0};
    ThDfa *words;
    ThTask *t = made_task("modular_arithmetic", "modulus=2", NULL);
    assert_true(th_task_words(t, &words, &err));
    ThProofLabels *l = th_proof_labels_new(th_task_machine(t, &err), words, 2, 200, NULL, &err);
    assert_non_null(l);
    assert_int_equal(l->n, 9 + 8); /* *1, *0; and what +, as - does here, makes of a sum */
    for (int a = 0; a < 6; a++) {
        assert_int_equal(l->single[a], -1);
        for (int b = 0; b < 6; b++)
            assert_true((l->pair[a * 6 + b] >= 0) == (a >= 2 && a < 5 && b < 2));
    }
    th_proof_labels_free(l);
    th_dfa_free(words);
    th_task_free(t);
    t = made_task("parity", "", NULL);
    assert_true(th_task_words(t, &words, &err));
    assert_null(words);
    th_task_free(t);
}

/* All that a task draws is in its domain, and all of short strings of the domain is drawn. */
static void check_words(const char *kind, const char *settings, int length)
{
    enum { ROWS = 600 };
    ThError err = {0};
    ThDfa *words;
    ThTask *t = made_task(kind, settings, NULL);
    ThRng r = th_rng(1, kind, 0);
    ThBatch b = {.B = ROWS};
    bool drawn[1 << 10] = {false};
    int word[MAX_WORD], n = 0, drawn_length = th_task_length(t, length);
    assert_true(th_task_words(t, &words, &err) && words);
    assert_true(th_task_sample(t, &r, length, &b, &err));
    for (int i = 0; i < ROWS; i++) {
        int number = 0;
        assert_true(accepts(words, th_batch_token(&b, i), b.T));
        for (int k = 0; k < b.T; k++)
            number = number * t->signature.n_symbols + th_batch_token(&b, i)[k];
        drawn[number % (1 << 10)] = true;
    }
    while (next_word(word, &n, t->signature.n_symbols, drawn_length)) {
        int number = 0;
        for (int k = 0; k < n; k++)
            number = number * t->signature.n_symbols + word[k];
        if (n == drawn_length && accepts(words, word, n))
            assert_true(drawn[number % (1 << 10)]);
    }
    th_batch_free(&b);
    th_dfa_free(words);
    th_task_free(t);
}

static void test_words(void **state)
{
    (void)state;
    check_words("modular_arithmetic", "modulus=2", 4);
    check_words("modular_arithmetic", "modulus=2 leading_plus=no", 3);
    check_words("modular_arithmetic", "modulus=2 depth=2", 6);
    check_words("mod_arith", "modulus=3", 3);
    check_words("mod_arith", "modulus=2 labels=final", 1);
}

/* ---- proofs ---------------------------------------------------------------------------------- */

/* Returns new: that a model answers as a machine does. */
static ThProofClaim *claim_of(const ThModel *m, const ThDfa *machine, const ThDfa *domain)
{
    ThError err = {0};
    const ThProofAsked asked = {&m->signature, machine, domain, 1e-3, NULL};
    ThProofClaim *c = th_proof_claim_new(m, &asked, NULL, &err);
    if (!c)
        fail_msg("%s", err.msg);
    return c;
}

/* Of no string but the empty one nothing is claimed. */
static void claim_is_refused(const ThModel *m, const ThDfa *machine, const ThDfa *domain)
{
    ThError err = {0};
    const ThProofAsked asked = {&m->signature, machine, domain, 1e-3, NULL};
    assert_null(th_proof_claim_new(m, &asked, NULL, &err));
    assert_int_equal(err.code, TH_EVALUE);
}

static ThProof *proof_of(const ThModel *m, const ThDfa *machine, const ThDfa *domain)
{
    ThError err = {0};
    ThProofClaim *claim = claim_of(m, machine, domain);
    ThProofHow how = {.limit = 40, .seed = 1};
    ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
    th_proof_claim_free(claim);
    if (!p)
        assert_true(err.code == TH_EVALUE || err.code == TH_ELIMIT);
    return p;
}

static bool holds(const ThProofCertificate *c, const ThModel *m)
{
    ThError err = {0};
    ThProofChecked k;
    ThProofMap *f = th_proof_map_new(m, &err);
    assert_true(th_proof_check_sets(c, f, NULL, 0, NULL, &k, &err));
    th_proof_map_free(f);
    return k.holds;
}

static bool holds_signed(ThProofCertificate *c, const ThModel *m)
{
    uint64_t before = c->digest;
    c->digest = th_proof_certificate_digest(c);
    bool found = holds(c, m);
    c->digest = before;
    return found;
}

/* All of its vectors are one, and it always says the first class. */
static ThModel *constant_model(void)
{
    ThModel *m = bound("regulargpt", "dim=2 heads=1", TH_TARGET_FINAL, SYMBOLS);
    float *gain = th_params_at(&m->params, th_params_find(&m->params, "layer0.norm2.gain"));
    memset(gain, 0, 2 * sizeof *gain);
    *th_params_at(&m->params, th_params_find(&m->params, "head_bias")) += 30;
    return m;
}

/* Is there a string of the domain, not the empty one, of another class than the first?  *any: is
 * there a string at all? */
static bool is_wrong(const ThDfa *machine, const ThDfa *domain, bool *any)
{
    int word[MAX_WORD], length = 0;
    bool wrong = false;
    *any = false;
    while (next_word(word, &length, SYMBOLS, LONGEST)) {
        bool inside = accepts(domain, word, length);
        *any |= inside;
        wrong |= inside && th_dfa_class(machine, word, (size_t)length) != 0;
    }
    return wrong;
}

/* Without any one of its sets a certificate shows nothing. */
static void refuse_fewer(ThProofCertificate *c, const ThModel *m)
{
    int states = c->n_states + c->n_domain, last = c->n_labels - 1;
    for (int i = 0; i <= last; i++) {
        bool complete = c->complete[i];
        int *map = c->map + i * states, before[2 * STATES];
        memcpy(before, map, (size_t)states * sizeof *map);
        memcpy(map, c->map + last * states, (size_t)states * sizeof *map);
        c->complete[i] = c->complete[last];
        c->n_labels = last;
        assert_true(last == 0 || !holds_signed(c, m));
        c->n_labels = last + 1;
        memcpy(map, before, (size_t)states * sizeof *map);
        c->complete[i] = complete;
    }
}

/* What is said of another domain holds only if it is so. */
static void check_other_domain(ThProofCertificate *c, const ThModel *m, const ThDfa *machine,
                               ThRng *r)
{
    bool any;
    int place = below(r, c->n_domain * (SYMBOLS + 1) + 1);
    int *changed = place < c->n_domain ? c->inside + place
                   : place < c->n_domain * (SYMBOLS + 1)
                       ? c->next + c->n_states * SYMBOLS + place - c->n_domain
                       : &c->first;
    int before = *changed;
    *changed = place < c->n_domain ? !before : c->n_states + below(r, c->n_domain);
    ThDfa *domain = th_proof_certificate_domain(c, NULL);
    assert_true(*changed == before || !holds(c, m));
    assert_true(!holds_signed(c, m) || !is_wrong(machine, domain, &any));
    th_dfa_free(domain);
    *changed = before;
}

/* What a model never says is right nowhere, if anything is asked. */
static void refuse_answers(ThProofCertificate *c, const ThModel *m)
{
    for (int turn = 0; turn < 2; turn++) {
        for (int q = 0; q < c->n_states; q++)
            c->answer[q] = !c->answer[q];
        assert_true(holds_signed(c, m) == (turn == 1));
    }
}

static int swapped(const ThProofCertificate *c, int q)
{
    int last = c->n_states + c->n_domain - 1;
    return q == c->first ? last : q == last ? c->first : q;
}

/* The same domain with the start as its last state, and the last one in its place. */
static void renumber(ThProofCertificate *c)
{
    int states = c->n_states + c->n_domain, last = c->n_domain - 1, first = c->first - c->n_states;
    int to[2 * MAX_WORD], *map = c->map, inside = c->inside[last];
    for (int i = 0; i < states * SYMBOLS; i++)
        to[swapped(c, i / SYMBOLS) * SYMBOLS + i % SYMBOLS] = swapped(c, c->next[i]);
    memcpy(c->next, to, (size_t)(states * SYMBOLS) * sizeof *to);
    for (int i = 0; i < c->n_labels; i++, map += states) {
        for (int q = 0; q < states; q++)
            to[swapped(c, q)] = swapped(c, map[q]);
        memcpy(map, to, (size_t)states * sizeof *to);
    }
    c->inside[last] = c->inside[first];
    c->inside[first] = inside;
    c->first = c->n_states + last;
}

/* A file with numbers of states that are none of the domain's is none. */
static void check_ranges(ThProofCertificate *c, const char *path)
{
    int *number[] = {c->map + c->n_states, c->next + c->n_states * SYMBOLS, &c->first, c->inside};
    for (int i = 0; i < 4; i++)
        for (int side = 0; side < 2; side++) {
            ThError err = {0};
            int before = *number[i];
            *number[i] = side == 0 ? (i == 3 ? -1 : c->n_states - 1) : c->n_states + c->n_domain;
            assert_true(th_proof_certificate_write(c, path, &err));
            assert_null(th_proof_certificate_read(path, &err));
            assert_int_equal(err.code, TH_EVALUE);
            *number[i] = before;
        }
}

static void check_certificate(const ThProof *p, const ThModel *m, const ThDfa *machine,
                              const ThDfa *domain, ThRng *r)
{
    ThError err = {0};
    const char *path = "build/test_proof_domain.cert";
    int word[MAX_WORD], length = 0;
    ThProofCertificate *made = th_proof_certificate_new(p, &m->signature, &err);
    assert_true(th_proof_certificate_write(made, path, &err));
    ThProofCertificate *c = th_proof_certificate_read(path, &err);
    assert_non_null(c);
    assert_true(th_proof_certificate_digest(c) == made->digest);
    assert_true(holds(c, m));
    ThDfa *about = th_proof_certificate_domain(c, &err);
    while (next_word(word, &length, SYMBOLS, 6))
        assert_true(accepts(about, word, length) == accepts(domain, word, length));
    th_dfa_free(about);
    refuse_fewer(c, m);
    for (int i = 0; i < 12; i++)
        check_other_domain(c, m, machine, r);
    assert_true(holds(c, m));
    check_ranges(c, path);
    refuse_answers(c, m);
    renumber(c);
    assert_true(holds_signed(c, m));
    refuse_answers(c, m);
    th_proof_certificate_free(c);
    th_proof_certificate_free(made);
    remove(path);
}

/* A model that always says the same is proved where this is right, and nowhere else. */
static void test_constant(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "constant", 0);
    ThModel *m = constant_model();
    int proved = 0, refused = 0;
    for (int i = 0; i < 60; i++) {
        bool any;
        ThDfa *machine = drawn_machine(&r, true), *domain = drawn_machine(&r, i % 2);
        bool wrong = is_wrong(machine, domain, &any);
        ThProof *p = any ? proof_of(m, machine, domain) : NULL;
        if (!any)
            claim_is_refused(m, machine, domain);
        if (p && wrong) {
            assert_int_equal(p->verdict, TH_PROOF_WRONG);
            assert_true(accepts(domain, p->word, p->length));
            assert_int_equal(th_dfa_class(machine, p->word, (size_t)p->length), 1);
            refused++;
        } else if (p) {
            assert_int_equal(p->verdict, TH_PROOF_PROVED);
            check_certificate(p, m, machine, domain, &r);
            proved++;
        }
        th_proof_free(p);
        th_dfa_free(machine);
        th_dfa_free(domain);
    }
    assert_true(proved > 8 && refused > 8);
    th_model_free(m);
}

/* Pairs of symbols that never begin a string, and others that always do: aa(bb)*. */
static void test_places(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "places", 0);
    const int next[] = {1, 4, 2, 4, 4, 3, 4, 2, 4, 4};
    ThDfa *domain = th_dfa_new(5, SYMBOLS, 2, NULL), *machine = th_dfa_new(1, SYMBOLS, 2, NULL);
    memcpy(domain->next, next, sizeof next);
    domain->label[2] = 1;
    ThModel *m = constant_model();
    ThProof *p = proof_of(m, machine, domain);
    assert_int_equal(p->verdict, TH_PROOF_PROVED);
    assert_int_equal(p->labels->n, 3); /* aa(bb)* as a whole and at the edge, and (bb)* */
    check_certificate(p, m, machine, domain, &r);
    th_proof_free(p);
    th_model_free(m);
    th_dfa_free(domain);
    th_dfa_free(machine);
}

/* ---- the snapped model ------------------------------------------------------------------------
 */

/* Do two labels do the same to every state of the machine?  A domain's do not count. */
static bool same(const ThProofLabels *l, int i, int j)
{
    bool all = l->kind[i] == l->kind[j];
    for (int q = 0; all && q < l->machine->n_states; q++)
        all = th_monoid_image(l->monoid, l->element[i], q) ==
              th_monoid_image(l->monoid, l->element[j], q);
    return all;
}

/* Is what F makes of two vectors, NULL: nothing, nearest to the centre of something that is not as
 * `right` is? */
static int is_wrong_product(const ThProofQuantized *q, const ThProofMap *f, const double *x,
                            const double *y, int right)
{
    const ThProofLabels *l = q->labels;
    double z[8], least = HUGE_VAL;
    int near = -1;
    if (right < 0)
        return 0;
    assert_true(q->dim == 8 && th_proof_map_apply(f, x, y, 1, z, NULL));
    for (int i = 0; i < l->n; i++) {
        double square = 0;
        for (int k = 0; k < 8; k++)
            square += pow(z[k] - q->centre[i * 8 + k], 2);
        if (l->kind[i] == l->kind[right] && square < least) {
            least = square;
            near = i;
        }
    }
    return !same(l, near, right);
}

static int count_wrong(const ThProofQuantized *q, const ThProofMap *f)
{
    const ThProofLabels *l = q->labels;
    int wrong = 0;
    double said[2];
    for (int b = 0; b < SYMBOLS; b++) {
        wrong += is_wrong_product(q, f, NULL, f->leaf + b * 8, l->single[b]);
        for (int a = 0; a < SYMBOLS; a++)
            wrong +=
                is_wrong_product(q, f, f->leaf + a * 8, f->leaf + b * 8, l->pair[a * SYMBOLS + b]);
    }
    for (int y = 0; y < l->n; y++) {
        const double *centre = q->centre + y * 8;
        wrong += is_wrong_product(q, f, NULL, centre, l->alone[y]);
        for (int x = 0; x < l->n; x++)
            wrong += is_wrong_product(q, f, q->centre + x * 8, centre, l->product[x * l->n + y]);
        th_proof_map_logits(f, centre, said);
        wrong += l->answer[y] >= 0 && l->answer[y] != (said[1] > said[0]);
    }
    return wrong;
}

/* Labels that differ in what they do to a domain's states alone share a centre, and a product that
 * comes out as one of them is right. */
static void test_quantized_domain(void **state)
{
    (void)state;
    ThRng r = th_rng(1, "quantized", 0);
    ThModel *m = bound("regulargpt", "dim=8 heads=2", TH_TARGET_FINAL, SYMBOLS);
    ThProofMap *f = th_proof_map_new(m, NULL);
    int sharing = 0, right = 0;
    for (int i = 0; i < 40; i++) {
        bool any;
        ThDfa *machine = drawn_machine(&r, true), *domain = drawn_machine(&r, true);
        is_wrong(machine, domain, &any);
        ThProofClaim *claim = any ? claim_of(m, machine, domain) : NULL;
        ThProofQuantized *q = claim ? th_proof_quantize(m, claim, 40, 1, NULL, NULL) : NULL;
        for (int a = 0; q && a < q->labels->n; a++)
            for (int b = 0; b < a; b++) {
                bool one = memcmp(q->centre + a * 8, q->centre + b * 8, 8 * sizeof(double)) == 0;
                assert_true(one == same(q->labels, a, b));
                sharing += one;
            }
        if (q)
            assert_int_equal(q->wrong, count_wrong(q, f));
        right += q && q->wrong == 0;
        th_proof_quantized_free(q);
        th_proof_claim_free(claim);
        th_dfa_free(machine);
        th_dfa_free(domain);
    }
    assert_true(sharing > 20 && right > 0 && right < 30);
    th_proof_map_free(f);
    th_model_free(m);
}

/* ---- a trained model ------------------------------------------------------------------------- */

/* Returns new: parity of 1s, but where the first symbol is 0 the other class; and of one string, if
 * length > 0. */
static ThDfa *parity_but(const int *word, int length)
{
    enum { START, FIRST_ZERO, FIRST_ONE = 3, ALONG = 5 };
    ThDfa *d = th_dfa_new(ALONG + length, SYMBOLS, 2, NULL);
    int parity = 0;
    d->next[START * SYMBOLS] = FIRST_ZERO;
    d->next[START * SYMBOLS + 1] = FIRST_ONE + 1;
    for (int q = FIRST_ZERO; q < ALONG; q++) {
        int odd = (q - FIRST_ZERO) % 2;
        d->label[q] = q < FIRST_ONE ? !odd : odd;
        d->next[q * SYMBOLS] = q;
        d->next[q * SYMBOLS + 1] = q + (odd ? -1 : 1);
    }
    for (int i = 0; i < length; i++) { /* the states along the string */
        int q = i == 0 ? START : ALONG + i - 1, to = ALONG + i;
        parity ^= word[i];
        d->label[to] = parity ^ (i == length - 1);
        for (int a = 0; a < SYMBOLS; a++)
            d->next[to * SYMBOLS + a] = FIRST_ONE + (parity ^ a);
        d->next[q * SYMBOLS + word[i]] = to;
    }
    return d;
}

/* Wrong elsewhere, right in the domain: proved; wrong on one string: refused with it. */
static void test_trained(void **state)
{
    (void)state;
    ThError err = {0};
    static const int exceptions[][5] = {{1}, {1, 0}, {1, 1, 0}, {1, 0, 1, 1}, {1, 0, 0, 1, 0}};
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = made_model("regulargpt", "dim=16 heads=2");
    ThOptions o = {0};
    set_all(&o, th_train_options,
            "length=1..40 steps=600 batch=32 lr=3e-3 schedule=cosine noise=0.5 ramp=0.4 pull=0.3 "
            "aux=0.5 gate=0.2");
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, &err);
    while (!th_trainer_done(tr))
        assert_true(th_trainer_step(tr, &err));
    th_trainer_free(tr);
    th_options_free(&o);

    ThDfa *domain = th_dfa_new(3, SYMBOLS, 2, &err), *machine = parity_but(NULL, 0);
    const int next[] = {2, 1, 1, 1, 2, 2};
    memcpy(domain->next, next, sizeof next);
    domain->label[1] = 1; /* 1(0|1)* */
    ThProof *p = proof_of(m, machine, NULL);
    assert_int_equal(p->verdict, TH_PROOF_WRONG);
    assert_int_equal(p->word[0], 0);
    th_proof_free(p);
    p = proof_of(m, machine, domain);
    assert_int_equal(p->verdict, TH_PROOF_PROVED);
    ThProofCertificate *c = th_proof_certificate_new(p, &m->signature, &err);
    assert_true(holds(c, m));
    th_proof_certificate_free(c);
    th_proof_free(p);
    th_dfa_free(machine);
    for (int length = 1; length <= 5; length++) {
        machine = parity_but(exceptions[length - 1], length);
        p = proof_of(m, machine, domain);
        assert_int_equal(p->verdict, TH_PROOF_WRONG);
        assert_int_equal(p->length, length);
        assert_memory_equal(p->word, exceptions[length - 1], (size_t)length * sizeof *p->word);
        th_proof_free(p);
        th_dfa_free(machine);
    }
    th_dfa_free(domain);
    th_model_free(m);
    th_task_free(t);
}

/* Recurrent networks have no certificate of the kind. */
static void test_recurrent(void **state)
{
    (void)state;
    ThError err = {0};
    ThProofChecked k;
    ThModel *m = bound("rnn", "dim=2", TH_TARGET_FINAL, SYMBOLS), *tree = constant_model();
    ThDfa *all = th_dfa_new(1, SYMBOLS, 2, &err), *reject = th_dfa_new(1, SYMBOLS, 2, &err);
    all->label[0] = 1;
    assert_null(proof_of(m, reject, all));
    ThProof *p = proof_of(tree, reject, all);
    ThProofCertificate *c = th_proof_certificate_new(p, &tree->signature, &err);
    ThProofCell *g = th_proof_cell_new(m, &err);
    c->weights = g->digest;
    c->digest = th_proof_certificate_digest(c);
    assert_true(th_proof_check_sets(c, NULL, g, 0, NULL, &k, &err));
    assert_non_null(strstr(k.why, "some strings only"));
    th_proof_cell_free(g);
    th_proof_certificate_free(c);
    th_proof_free(p);
    th_dfa_free(all);
    th_dfa_free(reject);
    th_model_free(tree);
    th_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_labels),    cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_words),     cmocka_unit_test(test_constant),
        cmocka_unit_test(test_places),    cmocka_unit_test(test_trained),
        cmocka_unit_test(test_recurrent), cmocka_unit_test(test_quantized_domain),
    };
    return cmocka_run_group_tests_name("proof_domain", tests, NULL, NULL);
}
