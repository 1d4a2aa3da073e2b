/* Proofs of the same in other words: symbols, classes and states in another order, words backwards,
 * a domain of all strings; models whose table is right and whose answers are not. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "edges.h"
#include "lab/evaluate.h"
#include "proof/check/quantize.h"

/* ---- the snapped model ----------------------------------------------------------------------- */

/* A model that says one class whatever comes has a right table, and as many wrong answers as there
 * are labels of other classes. */
static void test_quantized_answers(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_task("output", "labels=final", S3);
    for (int k = -1; k < 3; k++) {
        ThModel *m = compiled(t);
        if (k >= 0)
            weights(m, "head_bias", NULL)[k] += 100;
        ThProofClaim *claim = claim_of(m, t->machine, NULL, 0);
        ThProofQuantized *q = th_proof_quantize(m, claim, 100, 1, NULL, &err);
        th_proof_claim_free(claim);
        int wrong = 0;
        for (int i = 0; k >= 0 && i < q->labels->n; i++)
            wrong += q->labels->answer[i] != k;
        assert_int_equal(q->wrong, wrong);
        assert_true((q->word != NULL) == (wrong > 0));
        assert_true(k < 0 || q->answer == k);
        th_proof_quantized_free(q);
        th_model_free(m);
    }
    th_task_free(t);
}

/* A coordinate that is greater in all centres read as 1 than in all read as 0; *most <- the
 * greatest of these. */
static int telling(const ThProofQuantized *q, double *most)
{
    for (int i = 0; i < q->dim; i++) {
        double zero = -HUGE_VAL, one = HUGE_VAL;
        for (int k = 0; k < q->labels->n; k++) {
            double x = q->centre[k * q->dim + i];
            zero = q->labels->answer[k] == 0 ? fmax(zero, x) : zero;
            one = q->labels->answer[k] == 1 ? fmin(one, x) : one;
        }
        *most = zero;
        if (one > zero + 0.1 && fabs(zero) > 0)
            return i;
    }
    fail();
    return -1;
}

/* The last class leads by what a product with one number rounds: the table, of real numbers, has
 * it, and a run in single precision the first, which is due.  The model is wrong where a run says
 * so. */
static void test_quantized_runs(void **state)
{
    (void)state;
    const ThTapeBounds in_double = {.runs = TH_TAPE_DOUBLE};
    ThError err = {0};
    ThTask *t = made_task("parity", "", NULL);
    ThModel *m = compiled(t);
    ThProofClaim *claim = claim_of(m, t->machine, NULL, 0);
    ThProofQuantized *q = th_proof_quantize(m, claim, 100, 1, NULL, &err);
    int n;
    double at = 0;
    float *head = weights(m, "head", &n), *bias = weights(m, "head_bias", NULL), by = 1.1F;
    const int i = telling(q, &at);
    memset(head, 0, (size_t)n * sizeof *head);
    while ((double)((float)at * by) >= at * (double)by)
        by = nextafterf(by, 2);
    head[2 * i + 1] = by;
    bias[0] = (float)at * by;
    bias[1] = 0;
    th_proof_quantized_free(q);
    for (int k = 0; k < 3; k++) { /* in float, in double, and with less to be rounded */
        m->bounds = k == 1 ? &in_double : NULL;
        bias[0] = k == 2 ? nextafterf(bias[0], -HUGE_VALF) : bias[0];
        q = th_proof_quantize(m, claim, 100, 1, NULL, &err);
        assert_true(q && q->wrong > 0);
        assert_int_equal(q->word != NULL, k > 0);
        assert_true(k == 0 || (q->right == 0 && q->answer == 1));
        th_proof_quantized_free(q);
    }
    th_proof_claim_free(claim);
    th_model_free(m);
    th_task_free(t);
}

/* ---- other words ----------------------------------------------------------------------------- */

/* Of a model that answers after every symbol the last answer is the one to the word, not one of
 * those before it. */
static void test_last_answer(void **state)
{
    (void)state;
    enum { LONGEST = 64 };
    ThError err = {0};
    ThTask *t = made_task("output", "labels=every", S3);
    int longer = 0, answer[LONGEST];
    for (int k = 0; k < 6; k++) {
        ThModel *m = compiled(t);
        int n, d = (int)th_option_int(&m->options, "dim");
        float *row = weights(m, "embedding", &n);
        for (int i = 0; i < d; i++) { /* two symbols exchanged */
            float *a = row + k % 3 * d + i, *b = row + (k + 1) % 3 * d + i, kept = *a;
            *a = *b;
            *b = kept;
        }
        ThProof *p = proof_of(m, t->machine, 1e-6);
        assert_int_equal(p->verdict, TH_PROOF_WRONG);
        assert_true(p->length <= LONGEST);
        assert_true(th_lab_predict(m, p->word, p->length, answer, &err));
        assert_int_equal(p->said, answer[p->length - 1]);
        assert_int_equal(p->right, th_dfa_class(t->machine, p->word, (size_t)p->length));
        assert_int_not_equal(p->said, p->right);
        longer += p->length > 1;
        th_proof_free(p);
        th_model_free(m);
    }
    assert_true(longer > 0);
    th_task_free(t);
}

/* Another table, or other states or classes for the same, are another language. */
static void test_other_language(void **state)
{
    (void)state;
    ThTask *t = made_task("output", "labels=final", S3);
    ThModel *m = compiled(t);
    const int *next = t->machine->next;
    for (int turn = 0; turn < 3; turn++) {
        ThDfa *d = th_dfa_copy(t->machine, NULL);
        for (int i = 0; i < d->n_states * d->n_symbols; i++)
            d->next[i] = turn == 0 ? next[(i + 1) % (d->n_states * d->n_symbols)] : next[i];
        d->start = turn == 1 ? (d->start + 1) % d->n_states : d->start;
        for (int q = 0; turn == 2 && q < d->n_states; q++)
            d->label[q] = (d->label[q] + 1) % 3;
        ThProof *p = proof_of(m, d, 1e-6);
        assert_int_equal(p->verdict, TH_PROOF_WRONG);
        th_proof_free(p);
        th_dfa_free(d);
    }
    th_model_free(m);
    th_task_free(t);
}

/* ---- words backwards ------------------------------------------------------------------------- */

enum { MAPS = 6, STATES = 3 };

/* to <- the map of what reads a symbol first and then does as `after`. */
static void read_first(const ThDfa *d, const int *after, int symbol, int *to)
{
    for (int q = 0; q < STATES; q++)
        to[q] = after[d->next[q * d->n_symbols + symbol]];
}

/* Returns new: of the words that d reads backwards; its states are the maps of d's words. */
static ThTask *backwards(const ThDfa *d)
{
    int map[MAPS + 1][STATES] = {{0, 1, 2}}, n = 1;
    char text[2000];
    size_t used = (size_t)snprintf(text, sizeof text, "start m0");
    for (int i = 0; i < n; i++) {
        for (int a = 0; a < 3; a++) {
            int to = 0;
            read_first(d, map[i], a, map[n]);
            while (memcmp(map[to], map[n], sizeof *map) != 0)
                to++;
            n += to == n;
            assert_true(n <= MAPS);
            used += (size_t)snprintf(text + used, sizeof text - used, "\nm%d %c -> m%d", i,
                                     "abc"[a], to);
        }
    }
    for (int i = 0; i < STATES * n; i++) /* classes in the order that d has */
        if (d->label[map[i % n][d->start]] == i / n)
            used += (size_t)snprintf(text + used, sizeof text - used, "\noutput m%d %c", i % n,
                                     "XYZ"[i / n]);
    assert_int_equal(n, MAPS);
    return made_task("output", "labels=final", text);
}

/* A model says of every word what is asked of it backwards. */
static void check_backwards(const ThModel *m, const ThDfa *d)
{
    ThError err = {0};
    int word[6] = {0}, turned[6], length = 1, answer; /* next_word writes one more */
    do {
        for (int i = 0; i < length; i++)
            turned[i] = word[length - 1 - i];
        assert_true(th_lab_predict(m, word, length, &answer, &err));
        assert_int_equal(answer, th_dfa_class(d, turned, (size_t)length));
    } while (next_word(word, &length, 3, 5));
}

/* The model of words read backwards is proved of these, by as many sets, and of nothing else: a
 * proof that takes products the wrong way round would change the two. */
static void test_backwards(void **state)
{
    (void)state;
    ThTask *t[2] = {made_task("output", "labels=final", S3)};
    t[1] = backwards(t[0]->machine);
    assert_memory_equal(t[1]->signature.label[1], t[0]->signature.label[1], 2);
    ThModel *m[2] = {compiled(t[0]), compiled(t[1])};
    check_backwards(m[1], t[0]->machine);
    int sets[2];
    for (int i = 0; i < 4; i++) {
        shake_all(m[i / 2], 0.0001, 0, 0, (uint64_t)i);
        ThProof *p = proof_of(m[i / 2], t[i % 2]->machine, 1e-6);
        bool same = i / 2 == i % 2;
        assert_int_equal(p->verdict, same ? TH_PROOF_PROVED : TH_PROOF_WRONG);
        if (same) {
            ThProofCertificate *c = certificate_of(p, m[i / 2]);
            assert_true(holds(c, m[i / 2]));
            assert_false(holds(c, m[1 - i / 2]));
            sets[i / 2] = p->n;
            th_proof_certificate_free(c);
        }
        th_proof_free(p);
    }
    assert_int_equal(sets[0], sets[1]);
    for (int i = 0; i < 2; i++) {
        th_model_free(m[i]);
        th_task_free(t[i]);
    }
}

/* ---- the same in another order --------------------------------------------------------------- */

/* Symbols and classes in another order are the same proof of the same model. */
static void test_permuted(void **state)
{
    (void)state;
    static const int to[] = {2, 0, 1};
    ThTask *t = made_task("output", "labels=final", S3);
    ThModel *m = compiled(t);
    shake_all(m, 0.0003, 0.004, 0, 1);
    ThProof *p = proof_of(m, t->machine, 1e-6);
    int n, d = (int)th_option_int(&m->options, "dim");
    float *row = weights(m, "embedding", &n), *head = weights(m, "head", NULL);
    float *bias = weights(m, "head_bias", NULL), kept[3];
    ThDfa *machine = th_dfa_copy(t->machine, NULL);
    for (int i = 0; i <= d; i++) {
        float *line = i < d ? head + i * 3 : bias;
        memcpy(kept, line, sizeof kept);
        for (int k = 0; k < 3; k++)
            line[to[k]] = kept[k];
        for (int k = 0; i < d && k < 3; k++)
            kept[k] = row[k * d + i];
        for (int k = 0; i < d && k < 3; k++)
            row[to[k] * d + i] = kept[k];
    }
    for (int q = 0; q < machine->n_states; q++) {
        machine->label[q] = to[t->machine->label[q]];
        for (int a = 0; a < 3; a++)
            machine->next[q * 3 + to[a]] = t->machine->next[q * 3 + a];
    }
    ThProof *other = proof_of(m, machine, 1e-6);
    assert_int_equal(other->verdict, TH_PROOF_PROVED);
    assert_int_equal(other->n, p->n);
    assert_true(fabs(other->room / p->room - 1) < 0.1);
    ThProofCertificate *c = certificate_of(other, m);
    assert_true(holds(c, m));
    c->answer[0] = (c->answer[0] + 1) % 3;
    assert_false(holds(c, m));
    th_proof_certificate_free(c);
    th_proof_free(p);
    th_proof_free(other);
    th_dfa_free(machine);
    th_model_free(m);
    th_task_free(t);
}

/* The states of a certificate have numbers that mean nothing, its start among them. */
static void test_states_renumbered(void **state)
{
    (void)state;
    static const int to[] = {1, 2, 0};
    ThTask *t = made_task("output", "labels=final", S3);
    ThModel *m = compiled(t);
    ThProof *p = proof_of(m, t->machine, 1e-6);
    ThProofCertificate *c = certificate_of(p, m), *was = certificate_of(p, m);
    c->start = to[was->start];
    for (int q = 0; q < 3; q++) {
        c->answer[to[q]] = was->answer[q];
        for (int a = 0; a < 3; a++)
            c->next[to[q] * 3 + a] = to[was->next[q * 3 + a]];
        for (int i = 0; i < c->n_labels; i++)
            c->map[i * 3 + to[q]] = to[was->map[i * 3 + q]];
    }
    assert_true(holds(c, m));
    for (int q = 1; q < 3; q++) {
        int start = c->start;
        c->start = (start + q) % 3;
        assert_false(holds(c, m));
        c->start = start;
    }
    th_proof_certificate_free(c);
    th_proof_certificate_free(was);
    th_proof_free(p);
    th_model_free(m);
    th_task_free(t);
}

/* A domain of all strings changes nothing. */
static void test_all_strings(void **state)
{
    (void)state;
    ThError err = {0};
    ThTask *t = made_task("output", "labels=final", S3);
    ThModel *m = compiled(t);
    shake_all(m, 0.0003, 0.004, 0, 2);
    ThDfa *all = th_dfa_new(1, 3, 2, &err);
    all->label[0] = 1;
    ThProof *p = proof_of(m, t->machine, 1e-6);
    ThProof *q = proof_in(m, t->machine, all, 1e-6);
    assert_int_equal(q->verdict, TH_PROOF_PROVED);
    assert_int_equal(q->n, p->n);
    assert_true(q->room == p->room);
    assert_memory_equal(q->radius, p->radius, (size_t)p->n * sizeof *p->radius);
    ThProofCertificate *c = certificate_of(q, m);
    assert_true(holds(c, m));
    th_proof_certificate_free(c);
    th_proof_free(p);
    th_proof_free(q);
    th_dfa_free(all);
    th_model_free(m);
    th_task_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quantized_answers), cmocka_unit_test(test_quantized_runs),
        cmocka_unit_test(test_last_answer),       cmocka_unit_test(test_other_language),
        cmocka_unit_test(test_backwards),         cmocka_unit_test(test_permuted),
        cmocka_unit_test(test_states_renumbered), cmocka_unit_test(test_all_strings),
    };
    return cmocka_run_group_tests_name("proof_words", tests, NULL, NULL);
}
