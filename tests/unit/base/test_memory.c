/* Memory that runs out: every allocation of a piece of work fails in turn.  The work must say so or
 * do without, with nothing leaked (the sanitizer looks), and succeed once enough is there.  The
 * same for threads.
 *
 * The linker puts the functions here in place of those that allocate (see the Makefile). */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "exchange.h"
#include "automata/algebra/holonomy.h"
#include "automata/algebra/monoid.h"
#include "automata/algebra/varieties.h"
#include "automata/core/automaton.h"
#include "automata/core/construction_steps.h"
#include "automata/core/automaton_run.h"
#include "automata/expression/expression.h"
#include "automata/infer/labelled.h"
#include "automata/infer/lstar.h"
#include "automata/operations/shortest_difference.h"
#include "base/hash.h"
#include "base/intern.h"
#include "base/symbols.h"
#include "lab/evaluate.h"
#include "lab/train.h"
#include "learn/score.h"
#include "plot/draw_spacetime.h"
#include "rasp/interpret/rasp.h"
#include "scratchpad/check_text.h"
#include "turing/analyze.h"
#include "turing/nexttoken.h"

void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t size);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __real_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *context);
int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *context);

static long left = -1; /* allocations that still succeed; -1: all */
static bool refused;   /* one did not */
static int threads_left = 99;

static bool runs_out(void)
{
    if (left == 0)
        return refused = true;
    if (left > 0)
        left--;
    return false;
}

void *__wrap_calloc(size_t n, size_t size)
{
    return runs_out() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return runs_out() ? NULL : __real_realloc(p, size);
}

void *__wrap_malloc(size_t size)
{
    return runs_out() ? NULL : __real_malloc(size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return runs_out() ? NULL : __real_aligned_alloc(alignment, size);
}

int __wrap_pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *context)
{
    return threads_left-- > 0 ? __real_pthread_create(t, a, f, context) : 1;
}

/* An arena asks for memory rarely: where it counts, each of its allocations fails, too. */
static bool arenas_fail;
void *__real_th_arena_take(ThArena *a, size_t n, size_t size);
void *__wrap_th_arena_take(ThArena *a, size_t n, size_t size);

void *__wrap_th_arena_take(ThArena *a, size_t n, size_t size)
{
    return arenas_fail && runs_out() ? NULL : __real_th_arena_take(a, n, size);
}

typedef bool Work(ThError *err);

/* Lets the work run out of memory at every allocation, up to the one where it has enough. */
static void sweep(Work *work)
{
    refused = true;
    for (long i = 0; refused; i++) {
        ThError err = {0};
        refused = false;
        left = i;
        bool done = work(&err);
        left = -1;
        assert_true(done || refused);
        assert_int_equal(err.code, done ? TH_OK : TH_ENOMEM);
    }
}

/* A table that cannot grow is as it was: what it holds is found, what it lacks is not. */
static bool tables(ThError *err)
{
    enum { MOST = 5000 };
    ThHashTable t = {0};
    size_t n = 0;
    while (n < MOST && th_hash_add(&t, th_hash_mix(n), n, err))
        n++;
    for (size_t i = 0; i < MOST; i++) {
        ThHashSeek s = th_hash_seek(th_hash_mix(i));
        uint32_t found;
        while ((found = th_hash_next(&t, &s)) != TH_HASH_END && found != i) {
        }
        assert_int_equal(found, i < n ? i : TH_HASH_END);
    }
    th_hash_free(&t);
    return n == MOST;
}

/* Strings that were there before stay, whatever a new one fails for. */
static bool strings(ThError *err)
{
    enum { MOST = 300 };
    ThIntern t = {0};
    size_t n = 0, index = 0;
    while (n < MOST && th_intern(&t, &n, sizeof n, &index, err))
        assert_int_equal(index, n++);
    for (size_t i = 0; i < MOST; i++)
        assert_true(th_intern_find(&t, &i, sizeof i) == (i < n ? i : SIZE_MAX));
    th_intern_free(&t);
    return n == MOST;
}

/* Scopes and dictionaries that grow past their tables. */
static bool rasp(ThError *err)
{
    ThText t = {0};
    for (int i = 0; i < 20; i++)
        th_text_printf(&t, "v%d = %d; ", i, i);
    th_text_printf(&t, "d = {");
    for (int i = 0; i < 20; i++)
        th_text_printf(&t, "%s\"k%d\": %d", i ? ", " : "", i, i);
    th_text_printf(&t, "}; x = d[\"k19\"] + v19;");
    char *text = th_text_take(&t, err);
    ThRasp *r = text ? th_rasp_new(NULL, err) : NULL;
    ThRaspValue x;
    bool done = r && th_rasp_execute(r, text, false, false, NULL, err);
    assert_true(!done || (th_rasp_lookup(r, "x", &x) && x.as.atom.cell.i == 38));
    th_rasp_free(r);
    free(text);
    return done;
}

static ThAutomaton *parse(ThError *err)
{
    return th_automaton_parse("alphabet a b c\nstart q r; q a,eps -> r; r b -> q; r c -> s\n"
                              "accept s",
                              err);
}

static bool read_and_write(ThError *err)
{
    ThText t = {0};
    ThAutomaton *a = parse(err);
    ThAutomaton *copy = a ? th_automaton_copy(a, err) : NULL;
    if (copy)
        th_automaton_write(&t, copy, "name");
    char *text = copy ? th_text_take(&t, err) : NULL;
    bool done = text != NULL;
    free(text);
    th_automaton_free(a);
    th_automaton_free(copy);
    return done;
}

static bool evaluate(ThError *err)
{
    ThAutomatonScope scope = {0};
    ThAutomaton *a = th_automaton_expression(
        "minimize(parity & ~even_pairs | dyck(2, 2) - minimize(sum(3)))", &scope, NULL, err);
    ThAutomaton *b = a ? th_automaton_expression(
                             "determinize(tomita(3) | minimize(trim(cycle(5))))", &scope, NULL, err)
                       : NULL;
    th_automaton_free(a);
    th_automaton_free(b);
    return b != NULL;
}

static bool compare_with_minimal(ThError *err)
{
    ThAutomatonDifference same = {0}, other = {0};
    ThAutomaton *a = parse(err), *m = a ? th_automaton_minimize(a, 0, NULL, err) : NULL;
    ThAutomaton *t = m ? th_automaton_parse("start q; q a -> q / x; q b -> r / y", err) : NULL;
    ThAutomaton *u = t ? th_automaton_minimize(t, 0, NULL, err) : NULL;
    bool done = u && th_automaton_compare(a, m, 0, NULL, &same, err) &&
                th_automaton_compare(t, u, 0, NULL, &same, err) &&
                th_automaton_compare(a, t, 0, NULL, &other, err);
    assert_true(!done || (same.equivalent && !other.equivalent && other.word));
    free(other.word);
    th_automaton_free(a);
    th_automaton_free(m);
    th_automaton_free(t);
    th_automaton_free(u);
    return done;
}

static bool monoid_and_run(ThError *err)
{
    ThAutomatonRun r = {0};
    ThAutomaton *a = parse(err);
    ThDfa *d = a ? th_automaton_dfa(a, 0, NULL, err) : NULL;
    ThMonoid *m = d ? th_monoid_new(d, 1000, NULL, err) : NULL;
    bool done = m != NULL;
    th_monoid_free(m);
    int n, *word = done ? th_symbols_read(a->symbol, a->n_symbols, "abc", &n, err) : NULL;
    size_t *path = word && th_automaton_run_word(&r, a, word, n, NULL, err)
                       ? th_automaton_run_path(&r, &(size_t){0}, err)
                       : NULL;
    done = path != NULL;
    free(path);
    free(word);
    th_automaton_run_free(&r);
    th_dfa_free(d);
    th_automaton_free(a);
    return done;
}

/* All of the algebra of one language. */
static bool algebra(ThError *err)
{
    ThVarieties v = {0};
    ThHolonomyCheck check;
    size_t n;
    ThAutomatonScope scope = {0};
    ThAutomaton *a = th_automaton_expression("tomita(3)", &scope, NULL, err);
    ThDfa *d = a ? th_automaton_dfa(a, 0, NULL, err) : NULL;
    ThMonoid *m = d ? th_monoid_new(d, 1000, NULL, err) : NULL;
    ThGreen *g = m ? th_green_new(m, NULL, err) : NULL;
    bool done = g && th_varieties_of(&v, m, g, NULL, err);
    int *covers = done ? th_green_covers(g, m, &n, err) : NULL;
    ThHolonomy *h = covers ? th_holonomy_new(d, 0, NULL, err) : NULL;
    done = h && th_holonomy_verify(h, 100, &check, NULL, err);
    th_holonomy_free(h);
    free(covers);
    th_varieties_free(&v);
    th_green_free(g);
    th_monoid_free(m);
    th_dfa_free(d);
    th_automaton_free(a);
    return done;
}

/* ---- learning and exchange ---- */

static bool member_of(void *context, const int *word, int length, int *label, ThError *err)
{
    (void)err;
    *label = th_dfa_class(context, word, (size_t)length);
    return true;
}

static bool equals(void *context, const ThDfa *guess, int **word, int *length, ThError *err)
{
    ThError own = {0};
    *word = th_dfa_distinguish(context, guess, length, NULL, &own);
    if (own.code != TH_OK)
        *err = own;
    return own.code == TH_OK;
}

static bool see_rounds(void *context, const ThAutomatonPartitionStep *step, ThError *err)
{
    (void)context, (void)step, (void)err;
    return true;
}

static bool see_subsets(void *context, const ThAutomatonSubsetStep *step, ThError *err)
{
    (void)context, (void)step, (void)err;
    return true;
}

static bool learn(ThError *err)
{
    int n, blocks;
    ThLstarReport report;
    ThRpniReport merging;
    ThWordsLabelled l = {0};
    ThAutomaton *a = parse(err);
    ThDfa *d = a ? th_automaton_dfa(a, 0, NULL, err) : NULL, *merged = NULL, *learned = NULL;
    ThLstarOracle o = {3, 2, d, member_of, NULL, equals, NULL};
    bool done = d && (learned = th_lstar(&o, &(ThLstarLimits){0}, &report, NULL, err)) &&
                th_words_labelled_read(&l, "ab 1\nb 0\n1\naab 1\nba 0", NULL, true, err) &&
                (merged = th_rpni(&l.sample, &(ThRpniOptions){0}, &merging, NULL, err)) &&
                th_automaton_subset_steps(a, 0, see_subsets, NULL, &n, NULL, err) &&
                th_automaton_partition_steps(d, see_rounds, NULL, &n, &blocks, NULL, err);
    th_words_labelled_free(&l);
    th_dfa_free(merged);
    th_dfa_free(learned);
    th_dfa_free(d);
    th_automaton_free(a);
    return done;
}

static bool exchange(ThError *err)
{
    ThText notes = {0};
    ThAutomaton *a =
        read_text(&th_format_att, "0 1 1 2\n1 0.5\n", "<eps> 0\na 1\nb 2\n", &notes, err);
    ThAutomaton *b =
        a ? read_text(&th_format_dot,
                      "digraph { q [label=\"{ q | x }\" shape=record]; q -> q [label=\"a,b\"] }",
                      NULL, &notes, err)
          : NULL;
    static const char jff[] = "<structure><state id=\"0\" name=\"q\"/><transition><from>0</from>"
                              "<to>0</to><read>ab</read></transition></structure>";
    ThAutomaton *c = b ? read_text(&th_format_jflap, jff, NULL, &notes, err) : NULL;
    th_text_free(&notes);
    th_automaton_free(a);
    th_automaton_free(b);
    th_automaton_free(c);
    return c != NULL;
}

static void test_learn(void **state)
{
    (void)state;
    sweep(learn);
    sweep(exchange);
}

/* ---- models ---- */

static ThTask *make_task(const char *kind, ThError *err)
{
    ThOptions o = {0};
    ThTask *t = th_options_init(&o, th_task_kind(kind)->options, err)
                    ? th_task_new(th_task_kind(kind), &o, NULL, err)
                    : NULL;
    th_options_free(&o);
    return t;
}

/* A small model: of these options those that the kind has. */
static ThModel *make_model(const char *kind, ThError *err)
{
    static const char *const small[][2] = {{"dim", "4"}, {"heads", "2"}, {"state", "4"}};
    ThOptions o = {0};
    bool ok = th_options_init(&o, th_model_kind(kind)->options, err);
    for (size_t i = 0; ok && i < sizeof small / sizeof *small; i++)
        ok = !th_option_known(&o, small[i][0]) || th_options_set(&o, small[i][0], small[i][1], err);
    if (ok && strcmp(kind, "lrnn") == 0)
        ok = th_options_set(&o, "block", "2", err);
    ThModel *m = ok ? th_model_new(th_model_kind(kind), &o, err) : NULL;
    th_options_free(&o);
    return m;
}

/* Two steps; a training without a finished one leaves no trace. */
static bool train(ThModel *m, const ThTask *t, int threads, ThError *err)
{
    ThOptions o = {0};
    bool ok = th_options_init(&o, th_train_options, err) && th_options_set(&o, "steps", "2", err) &&
              th_options_set(&o, "batch", "5", err);
    ThTrainer *tr = ok ? th_trainer_new(m, t, &o, threads, err) : NULL;
    for (int i = 0; tr && ok && i < 2; i++)
        ok = th_trainer_step(tr, err);
    ok = ok && tr;
    th_trainer_free(tr);
    th_options_free(&o);
    assert_true(m->bound == (m->training.step > 0));
    return ok;
}

static bool evaluate_model(const ThModel *m, const ThTask *t, ThError *err)
{
    ThScore score;
    ThEvaluator *e = th_evaluator_new(m, t, 1, 1, err);
    bool ok = e && th_evaluator_length(e, 9, 20, &score, err);
    th_evaluator_free(e);
    return ok;
}

static bool work_with(const char *kind, const char *task, ThError *err)
{
    ThTask *t = make_task(task, err);
    ThModel *m = t ? make_model(kind, err) : NULL;
    bool ok = m && train(m, t, 1, err) && evaluate_model(m, t, err);
    ThModel *c = ok ? th_model_copy(m, err) : NULL;
    ThModelTrace *trace = c ? th_model_trace(c, (int[]){0, 1, 1}, 3, err) : NULL;
    ThGradcheck *g = trace ? th_gradcheck(c, t, &(ThGradcheckShape){3, 2, 1, 1}, err) : NULL;
    ok = g != NULL;
    th_gradcheck_free(g);
    th_model_trace_free(trace);
    th_model_free(c);
    th_model_free(m);
    th_task_free(t);
    return ok;
}

/* ---- labelled files ---- */

static const char *rows_file;

static bool work_with_rows(ThError *err)
{
    ThOptions o = {0};
    const ThTaskKind *kind = th_task_kind("file");
    ThTask *t = th_options_init(&o, kind->options, err) && th_options_set(&o, "split", "0.5", err)
                    ? th_task_new(kind, &o, &(ThTaskSource){.file = rows_file}, err)
                    : NULL;
    th_options_free(&o);
    ThTask *copy = t ? th_task_copy(t, err) : NULL;
    ThModel *m = copy ? make_model("gru", err) : NULL;
    bool ok = m && train(m, copy, 1, err);
    ThEvaluator *e = ok ? th_evaluator_new(m, t, 1, 1, err) : NULL;
    ThScore score;
    ok = e && th_evaluator_rows(e, 1, 9, 9, &score, err);
    th_evaluator_free(e);
    th_model_free(m);
    th_task_free(copy);
    th_task_free(t);
    return ok;
}

static void test_labelled_files(void **state)
{
    (void)state;
    static const char *const texts[][2] = {{"tsv", "ab\tx\nb\ty\nbca\tx\naa\ty\nb\tx\n"},
                                           {"csv", "\"a b\",x y\nb,y\nb b,x y\nb,x\nb,y\n"},
                                           {"jsonl", "{\"input\": [\"a\"], \"label\": 1}\n"
                                                     "{\"input\": \"a b\", \"label\": true}"}};
    for (int i = 0; i < 3; i++) {
        char path[64] = "/tmp/test_memory-XXXXXX", name[80];
        int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_true(write(fd, texts[i][1], strlen(texts[i][1])) > 0);
        close(fd);
        snprintf(name, sizeof name, "%s.%s", path, texts[i][0]);
        assert_int_equal(rename(path, name), 0);
        rows_file = name;
        sweep(work_with_rows);
        unlink(name);
    }
}

/* ---- texts to be gone on with ---- */

static bool lstm(ThError *err)
{
    return work_with("lstm", "ngram", err);
}

static bool regulargpt(ThError *err)
{
    return work_with("regulargpt", "parity", err);
}

static bool transformer(ThError *err)
{
    return work_with("transformer", "sum", err);
}

static bool rnn(ThError *err)
{
    return work_with("rnn", "cycle_navigation", err);
}

static bool gru(ThError *err)
{
    return work_with("gru", "sum", err);
}

static void test_models(void **state)
{
    (void)state;
    sweep(regulargpt);
    sweep(transformer);
    sweep(rnn);
    sweep(gru);
    sweep(lstm);
}

/* What the tape's work is done with: made while memory lasts. */
static ThModel *tape_model;
static ThBatch tape_batch = {.B = 3};
static ThTapePrecision tape_precision;

static bool differentiate(ThError *err)
{
    const ThModel *m = tape_model;
    ThRng r = th_rng(1, "noise", 0);
    ThModelForward how = {.share = true, .noise = m->kind->takes_noise ? 0.1 : 0, .rng = &r};
    ThTape *t = th_tape_new(tape_precision, &m->params, err);
    if (!t)
        return false;
    th_tape_keep_named(t, true);
    th_tape_begin(t, TH_TAPE_GRADIENT);
    ThVar z = th_model_forward(m, t, &tape_batch, &how);
    ThVar loss = th_loss_of_batch(t, z, &m->signature, &tape_batch, 1);
    bool ok = th_tape_ok(t, err) && th_tape_backward(t, loss, NULL, err);
    th_tape_free(t);
    return ok;
}

static void test_tapes(void **state)
{
    (void)state;
    static const char *const tasks[] = {"parity", "sum"};
    size_t n;
    const ThModelKind *const *kinds = th_model_kinds(&n);
    for (size_t i = 0; i < 2 * n; i++) {
        ThTask *t = make_task(tasks[i % 2], NULL);
        ThRng r = th_rng(1, "batch", 0);
        tape_model = make_model(kinds[i / 2]->name, NULL);
        assert_true(th_model_bind(tape_model, &t->signature, 1, NULL));
        assert_true(th_task_sample(t, &r, 5, &tape_batch, NULL));
        for (int mode = 0; mode < 4; mode++) {
            int length[] = {5, 2, 5};
            tape_batch.length = mode & 1 ? length : NULL;
            tape_precision = mode & 2 ? TH_TAPE_DOUBLE : TH_TAPE_FLOAT;
            arenas_fail = true;
            sweep(differentiate);
            arenas_fail = false;
        }
        tape_batch.length = NULL;
        th_model_free(tape_model);
        th_task_free(t);
    }
    th_batch_free(&tape_batch);
    tape_batch.B = 3;
}

/* A trainer whose threads the system refuses says so and leaves the model unbound. */
static void test_no_threads(void **state)
{
    (void)state;
    ThTask *t = make_task("parity", NULL);
    ThModel *m = make_model("rnn", NULL);
    for (int i = 0; i < 3; i++) {
        ThError err = {0};
        threads_left = i;
        assert_true(train(m, t, 3, &err) == (i == 2));
        assert_int_equal(err.code, i < 2 ? TH_ELIMIT : TH_OK);
    }
    th_model_free(m);
    th_task_free(t);
}

/* Each method of analysis finds its proof, which is written. */
static bool analyze_machines(ThError *err)
{
    static const char *const text[] = {"1RB0LC_0LA---_0RA1RB", "1RB1LB_1LA1RC_---0RA",
                                       "1RA0LC_1RA1LA_---0RB", "1RB---_0LC0RB_1LC1LA"};
    static const ThTmProof proof[] = {TH_TM_PROOF_CYCLE, TH_TM_PROOF_TRANSLATION,
                                      TH_TM_PROOF_BACKWARD, TH_TM_PROOF_CONTEXTS};
    ThTmAnalysisLimits limits = {.run = {40, UINT64_MAX}, .depth = 4, .width = 2, .history = 1};
    ThTmTapeWords none = {0};
    bool ok = true;
    for (int i = 0; ok && i < 4; i++) {
        ThTmAnalysis a;
        ThText t = {0};
        ThTm *m = th_tm_read_bb(text[i], err);
        limits.run_it = i < 2;
        limits.backward = i == 2;
        limits.contexts = i == 3;
        ok = m && th_tm_analyze(&a, m, &none, limits, NULL, err);
        if (ok) {
            assert_int_equal(a.proof, proof[i]);
            ok = th_tm_proof_write(&t, &a, &(ThTmWork){.machine = m, .words = &none}, 0, err);
            ok = ok && (!t.failed || th_fail(err, TH_ENOMEM, "out of memory"));
            th_tm_analysis_free(&a, m);
        }
        th_text_free(&t);
        th_tm_free(m);
    }
    return ok;
}

static bool predict_and_draw(ThError *err)
{
    ThTmTapeWords words;
    ThTmRunStart start;
    ThTmRunExtent x;
    ThTmGrams g;
    ThTmSimulation simulation;
    ThFigure f = {0}, score = {0};
    ThTmRunLimits limits = {12, UINT64_MAX};
    ThTm *m = th_tm_read_bb("1RB1LC_1RC1RB_1RD0LE_1LA1LD_1RZ0LA", err);
    if (!m || !th_tm_tape_words_read(&words, m, "0110", err)) {
        th_tm_free(m);
        return false;
    }
    ThTmGramsWanted any = {0};
    ThTmSimulationRules how = {.n = 2, .limits = limits};
    ThTmWork run = {m, &words, limits, NULL};
    bool ok = th_tm_run_start(&start, m, &words, err) &&
              th_tm_run_extent(&x, &start, limits, NULL, err) &&
              th_tm_grams(&g, &start, &x, &any, NULL, err) &&
              th_tm_simulate(&simulation, &start, &how, NULL, err) &&
              th_plot_spacetime(&f, "run", &run, err) &&
              th_plot_run_score(&score, "score", &run, TH_PLOT_AXES_AUTO, err);
    if (ok && (f.script.failed || score.script.failed))
        ok = th_fail(err, TH_ENOMEM, "out of memory");
    th_figure_free(&f);
    th_figure_free(&score);
    th_tm_tape_words_free(&words);
    th_tm_free(m);
    return ok;
}

static void test_machines(void **state)
{
    (void)state;
    sweep(analyze_machines);
    sweep(predict_and_draw);
}

static void test_read_and_write(void **state)
{
    (void)state;
    sweep(read_and_write);
}

static void test_evaluate(void **state)
{
    (void)state;
    sweep(evaluate);
}

static void test_compare(void **state)
{
    (void)state;
    sweep(compare_with_minimal);
}

static void test_algebra(void **state)
{
    (void)state;
    sweep(algebra);
}

static void test_monoid_and_run(void **state)
{
    (void)state;
    sweep(monoid_and_run);
}

/* A scratchpad of a kind: drawn, as tokens, checked. */
static bool draw_and_check(const char *kind, const char *style, const ThTm *m, ThError *err)
{
    const ThPadKind *k = th_pad_kind(kind);
    ThOptions o = {0};
    ThPadExample e = {0};
    ThRng r = th_rng(1, "test", 0);
    ThPadCheckRules rules = {0};
    ThPadChecked c;
    int *id = NULL;
    size_t cap = 0, n, question;
    bool ok =
        th_options_init(&o, k->options, err) && (!style || th_options_set(&o, "style", style, err));
    ThPad *p = ok ? th_pad_new(k, &o, m, err) : NULL;
    rules.machine = style ? m : NULL;
    ok = p && th_pad_draw(p, &(ThRange){8, 8, 1}, &r, &e, err) &&
         th_pad_encode(p, &e, &id, &cap, &n, &question, err) &&
         th_pad_check(e.text.data, e.text.size, &rules, &c, err);
    assert_true(!ok || c.slip == TH_PAD_SLIP_NONE);
    free(id);
    th_pad_example_free(&e);
    th_pad_free(p);
    th_options_free(&o);
    return ok;
}

static bool scratchpads(ThError *err)
{
    ThRng r = th_rng(1, "machine", 0);
    ThTm *m = th_tm_random(2, 3, &r, err);
    bool ok = m && draw_and_check("addition", "compact", NULL, err) &&
              draw_and_check("addition", "verbose", NULL, err) &&
              draw_and_check("addition", "hints", NULL, err) &&
              draw_and_check("multiplication", "compact", NULL, err) &&
              draw_and_check("machine", "compact", m, err) &&
              draw_and_check("machine", NULL, m, err) && draw_and_check("copy", NULL, NULL, err);
    th_tm_free(m);
    return ok;
}

static bool descent(ThError *err)
{
    return draw_and_check("sgd", "turing", NULL, err);
}

static void test_scratchpads(void **state)
{
    (void)state;
    sweep(scratchpads);
    sweep(descent);
}

static void test_tables(void **state)
{
    (void)state;
    sweep(tables);
    sweep(strings);
    sweep(rasp);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_and_write), cmocka_unit_test(test_evaluate),
        cmocka_unit_test(test_compare),        cmocka_unit_test(test_monoid_and_run),
        cmocka_unit_test(test_algebra),        cmocka_unit_test(test_learn),
        cmocka_unit_test(test_models),         cmocka_unit_test(test_labelled_files),
        cmocka_unit_test(test_tapes),          cmocka_unit_test(test_no_threads),
        cmocka_unit_test(test_machines),       cmocka_unit_test(test_scratchpads),
        cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
