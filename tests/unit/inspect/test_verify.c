/* test_verify.c - models against machines: every wrong word is found, and no other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/symbols.h"
#include "compile/compile.h"
#include "proof/check/algebra.h"
#include "proof/map_impl.h"
#include "given.h"
#include "inspect/reader.h"
#include "inspect/verify.h"
#include "lab/evaluate.h"

static const ThInspectVerification usual = {
    .length = {1, 12, 1}, .words = 300, .samples = 20, .most_nodes = 10000, .seed = 1};

static ThTask *task_of(const char *kind, const ThAutomaton *a)
{
    ThOptions o;
    const ThTaskKind *k = th_task_kind(kind);
    assert_true(th_options_init(&o, k->options, NULL));
    ThTask *t = th_task_new(k, &o, &(ThTaskSource){.automaton = a}, NULL);
    th_options_free(&o);
    assert_non_null(t);
    return t;
}

static ThModel *model_of(const char *kind, const ThTask *t)
{
    ThOptions o;
    const ThModelKind *k = th_model_kind(kind);
    assert_true(th_options_init(&o, k->options, NULL));
    ThModel *m = th_model_new(k, &o, NULL);
    th_options_free(&o);
    assert_true(m && th_model_bind(m, &t->signature, 3, NULL));
    return m;
}

/* The model's answer by itself, beside that of the task's labels. */
static bool is_wrong(const ThModel *m, const ThTask *t, const int *word, int length)
{
    int said[512], token[16];
    memcpy(token, word, (size_t)length * sizeof *word);
    ThBatch b = {.B = 1, .T = length};
    assert_true(th_batch_reserve(&b, &t->signature, false, NULL));
    memcpy(b.token, token, (size_t)length * sizeof *word);
    th_task_label(t, &b);
    assert_true(th_lab_predict(m, word, length, said, NULL));
    size_t n = th_batch_answers(&t->signature, &b);
    bool wrong = false;
    for (size_t i = 0; i < n; i++)
        wrong |= b.target[i] >= 0 && b.target[i] != said[i];
    th_batch_free(&b);
    return wrong;
}

/* Counts the wrong words one by one, and compares the automaton of them with each. */
static void check_against_plain(const ThModel *m, const ThTask *t)
{
    ThInspectTruth truth = {0};
    ThInspectVerified v;
    assert_true(th_inspect_truth_of_task(&truth, &m->signature, t, NULL));
    assert_true(th_inspect_verify(m, &truth, &usual, &v, NULL));
    int word[16], k = t->signature.n_symbols;
    long long wrong = 0, words = 0;
    for (int n = 1; n <= v.all; n++) {
        memset(word, 0, sizeof word);
        do {
            bool is = is_wrong(m, t, word, n);
            if (is && wrong == 0) {
                assert_int_equal(v.n_word, n);
                assert_memory_equal(v.word, word, (size_t)n * sizeof *word);
                assert_true(v.shortest);
            }
            wrong += is;
            words++;
            assert_int_equal(th_dfa_class(v.errors, word, (size_t)n), is);
        } while (th_symbols_next(word, n, k));
    }
    assert_int_equal(v.words, words);
    assert_int_equal(v.wrong, wrong);
    assert_int_equal(th_dfa_class(v.errors, word, (size_t)v.all + 1), 0);
    assert_int_equal(th_dfa_class(v.errors, word, 0), 0);
    assert_true(4 * wrong < words || v.drawn_wrong > 0);
    assert_int_equal(v.drawn, 20 * (12 - v.all));
    assert_true((wrong == 0) == (v.word == NULL) || v.drawn_wrong > 0);
    th_inspect_verified_free(&v);
    th_inspect_truth_free(&truth);
}

static void every_wrong_word_is_found(void **state)
{
    (void)state;
    static const char *const kinds[] = {"recognize", "track"}, *const models[] = {"gru", "rnn",
                                                                                  "regulargpt"};
    ThAutomaton *a = evaluate("tomita(4)");
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 3; j++) {
            ThTask *t = task_of(kinds[i], a);
            if (i == 1 && j == 2) {
                th_task_free(t);
                continue; /* its form that answers everywhere is an option */
            }
            ThModel *m = model_of(models[j], t);
            check_against_plain(m, t);
            th_model_free(m);
            th_task_free(t);
        }
    th_automaton_free(a);
}

/* Moves the bias of the last layer until a word's answer hangs on the last bit. */
static void balance(ThModel *m, const int *word, int length)
{
    int bias = -1;
    for (int i = 0; i < m->params.n; i++)
        if (m->params.item[i].rows == 1 && m->params.item[i].cols == 2)
            bias = i;
    assert_true(bias >= 0);
    for (int i = 0; i < 20; i++) {
        double z[2];
        assert_true(th_lab_logits(m, word, length, z, NULL));
        th_params_at(&m->params, bias)[0] -= (float)(z[0] - z[1]);
    }
}

/* What is said of a word is what a run of it says, whatever else is read: many models sum in
 * another order where many words are read at once. */
static void no_word_depends_on_others(void **state)
{
    (void)state;
    enum { LENGTH = 6 };
    static const char *const models[] = {"deltanet", "mamba", "universal"};
    ThAutomaton *a = evaluate("tomita(4)");
    ThTask *t = task_of("recognize", a);
    ThInspectVerification how = usual;
    how.length = (ThRange){LENGTH, LENGTH, 1};
    for (size_t j = 0; j < 3; j++) {
        ThModel *m = model_of(models[j], t);
        ThInspectTruth truth = {0};
        assert_true(th_inspect_truth_of_task(&truth, &m->signature, t, NULL));
        int word[LENGTH] = {0};
        do {
            ThInspectVerified v;
            balance(m, word, LENGTH);
            assert_true(th_inspect_verify(m, &truth, &how, &v, NULL));
            assert_int_equal(th_dfa_class(v.errors, word, LENGTH), is_wrong(m, t, word, LENGTH));
            th_inspect_verified_free(&v);
        } while (th_symbols_next(word, LENGTH, 2));
        th_inspect_truth_free(&truth);
        th_model_free(m);
    }
    th_task_free(t);
    th_automaton_free(a);
}

enum { MANY = 512, LONG = 9 };

/* Words by the numbers that they are in binary, in an order that repeats none. */
static void write_words(int *symbol, size_t *start, int first, int n)
{
    for (int i = 0; i < n; i++) {
        start[i + 1] = (size_t)(i + 1) * LONG;
        for (int k = 0; k < LONG; k++)
            symbol[i * LONG + k] = (first + i) * 37 % MANY >> k & 1;
    }
}

static bool note_answer(void *context, size_t i, const int *answer, ThError *err)
{
    (void)err;
    ((int *)context)[i] = *answer;
    return true;
}

/* Words that are read alone are answered as th_lab_predict does, whether one, 24 or 512 of them are
 * given at a time, and in whatever order. */
static void portions_do_not_matter(void **state)
{
    (void)state;
    ThAutomaton *a = evaluate("tomita(4)");
    ThTask *t = task_of("recognize", a);
    ThModel *m = model_of("deltanet", t);
    int symbol[MANY * LONG], said[MANY], zeros[LONG] = {0};
    size_t start[MANY + 1] = {0};
    balance(m, zeros, LONG);
    for (int portion = 1; portion <= MANY; portion = portion == 1 ? 24 : portion == 24 ? MANY : 600)
        for (int first = 0; first < MANY; first += portion) {
            int n = portion < MANY - first ? portion : MANY - first;
            ThInspectReader reader = {.model = m};
            write_words(symbol, start, first, n);
            const ThLstarWords words = {(size_t)n, symbol, start};
            const ThInspectRead how = {&words, said, note_answer, NULL, true};
            assert_true(th_inspect_read(&reader, &how, NULL));
            for (int i = 0; i < n; i++) {
                int alone;
                assert_true(th_lab_predict(m, symbol + i * LONG, LONG, &alone, NULL));
                assert_int_equal(alone, said[i]);
            }
            th_inspect_reader_free(&reader);
        }
    th_model_free(m);
    th_task_free(t);
    th_automaton_free(a);
}

/* What verify says of lengths with gaps, and of a language that has fewer long words than short
 * ones, held against each word by itself.  all: the last length that is read whole. */
static void check_lengths(const ThModel *m, const ThTask *t, ThRange length, int words, int all)
{
    ThInspectTruth truth = {0};
    ThInspectVerified v;
    ThInspectVerification how = usual;
    how.length = length;
    how.words = words;
    assert_true(th_inspect_truth_of_task(&truth, &m->signature, t, NULL));
    assert_true(th_inspect_verify(m, &truth, &how, &v, NULL));
    assert_int_equal(v.all, all);
    int word[16], at = 0;
    long long wrong = 0, read = 0;
    bool before = false; /* a wrong word of a length that was not asked for */
    for (int n = 1; n <= length.hi; n++) {
        bool asked = n >= length.lo && (n - length.lo) % length.step == 0;
        long long of_length = 0;
        memset(word, 0, sizeof word);
        do {
            if (th_dfa_class(truth.machine, word, (size_t)n) != 1)
                continue;
            bool is = is_wrong(m, t, word, n), whole = asked && n <= all;
            before = before || (is && !asked && (!v.word || n < v.n_word));
            wrong += is && whole;
            read += whole;
            of_length++;
            assert_int_equal(th_dfa_class(v.errors, word, (size_t)n), is && whole);
        } while (th_symbols_next(word, n, t->signature.n_symbols));
        if (!asked || of_length == 0)
            continue;
        assert_int_equal(v.length[at].length, n);
        assert_int_equal(v.length[at].all, n <= all);
        assert_int_equal(v.length[at++].words, n <= all ? of_length : how.samples);
    }
    assert_int_equal(v.n, at);
    assert_true(v.words == read && v.wrong == wrong);
    assert_true(!v.shortest || !before);
    assert_true(v.shortest == (v.word && length.step == 1 && length.lo == 1 && v.n_word <= all));
    th_inspect_verified_free(&v);
    th_inspect_truth_free(&truth);
}

static void lengths_with_gaps(void **state)
{
    (void)state;
    ThAutomaton *a = evaluate("tomita(4)"), *f = evaluate("regex \"(a|b|c)(a|b)(a|b)(a|b)|ca{8}\"");
    ThTask *t = task_of("recognize", a), *n = task_of("next_symbols", f);
    ThModel *m = model_of("gru", t), *k = model_of("gru", n);
    check_lengths(m, t, (ThRange){1, 9, 2}, 300, 7);
    check_lengths(m, t, (ThRange){2, 8, 3}, 40, 5);
    check_lengths(m, t, (ThRange){3, 7, 1}, 100, 5);
    check_lengths(k, n, (ThRange){1, 9, 1}, 12, 2); /* 3, 6, 12, 24, and then one word each */
    check_lengths(k, n, (ThRange){1, 9, 1}, 1000, 9);
    th_model_free(m);
    th_model_free(k);
    th_task_free(t);
    th_task_free(n);
    th_automaton_free(a);
    th_automaton_free(f);
}

/* Words of which no accepted word begins are not asked about. */
static void only_what_is_asked(void **state)
{
    (void)state;
    ThAutomaton *a = evaluate("dyck(1, 2)");
    ThTask *t = task_of("next_symbols", a);
    ThModel *m = model_of("gru", t);
    ThInspectTruth truth = {0};
    ThInspectVerified v;
    assert_true(th_inspect_truth_of_automaton(&truth, &m->signature, a, NULL, NULL));
    assert_true(th_inspect_verify(m, &truth, &usual, &v, NULL));
    assert_int_equal(v.length[0].words, 1); /* ( but not ) */
    assert_int_equal(v.length[1].words, 2);
    assert_int_equal(v.length[2].words, 2);
    th_inspect_verified_free(&v);
    th_inspect_truth_free(&truth);
    th_model_free(m);
    th_task_free(t);
    th_automaton_free(a);
}

/* One weight after the other of a compiled model is changed: what words show, the proof refuses. */
static void broken_models(void **state)
{
    (void)state;
    ThAutomaton *a = evaluate("parity");
    ThTask *t = task_of("recognize", a);
    ThMonoid *monoid = th_monoid_new(t->machine, 0, NULL, NULL);
    ThModel *m =
        th_compile_regulargpt(t, monoid, &(ThCompileShape){.chunk = 2, .monoid = true}, NULL, NULL);
    assert_true(monoid && m);
    ThProofTruth claim = {t->machine, NULL, monoid};
    ThProofAlgebraHow how = {.radius = 1e-3, .slack = 1e-5};
    uint64_t whole = th_proof_digest(&m->params);
    int found = 0, refused = 0;
    for (size_t i = 0; i < m->params.total; i++) {
        float weight = m->params.value[i];
        m->params.value[i] = weight + 2;
        ThInspectTruth truth = {0};
        ThInspectVerified v;
        ThProofAlgebra p;
        bool same = th_proof_digest(&m->params) == whole;
        assert_true(th_inspect_truth_of_automaton(&truth, &m->signature, a, NULL, NULL));
        assert_true(th_inspect_verify(m, &truth, &usual, &v, NULL));
        bool proved = th_proof_algebra(m, &claim, &how, &p, NULL) && p.right;
        assert_false(v.word && (proved || same));
        found += v.word != NULL;
        refused += !proved;
        th_inspect_verified_free(&v);
        th_inspect_truth_free(&truth);
        m->params.value[i] = weight;
    }
    assert_true(found > 10 && refused >= found);
    th_model_free(m);
    th_monoid_free(monoid);
    th_task_free(t);
    th_automaton_free(a);
}

static void answers_must_fit(void **state)
{
    (void)state;
    ThAutomaton *a = evaluate("dyck(1, 2)"), *p = evaluate("parity"), *e = evaluate("even_pairs");
    ThTask *t = task_of("track", p);
    ThModel *m = model_of("rnn", t);
    ThInspectTruth truth = {0};
    ThError err = {0};
    assert_false(th_inspect_truth_of_automaton(&truth, &m->signature, a, NULL, &err));
    assert_non_null(strstr(err.msg, "reads '('"));
    th_inspect_truth_free(&truth);
    err = (ThError){0};
    assert_false(th_inspect_truth_of_automaton(&truth, &m->signature, e, NULL, &err));
    assert_non_null(strstr(err.msg, "no class"));
    th_inspect_truth_free(&truth);
    assert_true(th_inspect_truth_of_automaton(&truth, &m->signature, e, "odd", NULL));
    assert_int_equal(truth.wanted, 1);
    th_inspect_truth_free(&truth);
    th_model_free(m);
    th_task_free(t);
    th_automaton_free(a);
    th_automaton_free(p);
    th_automaton_free(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_wrong_word_is_found), cmocka_unit_test(no_word_depends_on_others),
        cmocka_unit_test(portions_do_not_matter),    cmocka_unit_test(lengths_with_gaps),
        cmocka_unit_test(only_what_is_asked),        cmocka_unit_test(broken_models),
        cmocka_unit_test(answers_must_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
