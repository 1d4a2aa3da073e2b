/* fuzz_turing.c - machine blocks and bbchallenge strings: what is read can be written and read
 * again, both engines agree on its run, steps can be taken back, all runs can be followed, and
 * what is proved or predicted about it holds. */
#include <stdlib.h>

#include "base/memory.h"
#include "check.h"
#include "turing/analyze.h"
#include "turing/fast.h"
#include "turing/nexttoken.h"
#include "turing/search.h"
#include "turing/stepper.h"

static void write_and_read(const ThTuring *m)
{
    ThText t = {0};
    ThError err = {0};
    th_turing_write(&t, m, "M");
    ThTuring *again = th_turing_parse(block_inside(&t), &err);
    require(again && th_turing_same(m, again));
    th_turing_free(again);
    th_text_free(&t);
}

static void run_both(const ThTuring *m)
{
    ThRunLimits limits = {500, UINT64_MAX};
    ThRunning r;
    require(th_running_start(&r, m, NULL, NULL, NULL));
    require(th_running_go(&r, UINT64_MAX, limits, NULL, NULL));
    ThFast *f = th_fast_possible(m) ? th_fast_new(m, NULL, 0, 3, NULL) : NULL;
    if (f) {
        require(th_fast_go(f, UINT64_MAX, limits, NULL, NULL));
        ThFastFigures x = th_fast_figures(f);
        require(x.verdict == r.verdict && x.steps == r.steps && x.cells == r.cells &&
                x.state == r.state && x.head == r.tape[0].head);
    }
    th_fast_free(f);
    th_running_free(&r);
}

static void step_and_back(const ThTuring *m)
{
    ThStepper *s = th_stepper_new(m, NULL);
    ThTapeWords none = {0};
    size_t at;
    require(s && th_stepper_start(s, &none, 20, 1, 0, NULL));
    require(th_stepper_go(s, 40, 0, &at, NULL, NULL));
    th_stepper_back(s, UINT64_MAX);
    require(th_stepper_undo(s) == 0);
    require(th_stepper_running(s)->verdict == TH_GOES_ON || th_stepper_running(s)->steps == 0);
    th_stepper_free(s);
}

static void follow_all(const ThTuring *m)
{
    ThSearch x;
    ThTapeWords none = {0};
    ThSearchLimits limits = {30, 100, 300};
    require(th_search_start(&x, m, &none, limits, false, NULL));
    require(th_search_go(&x, SIZE_MAX, NULL, NULL) && x.verdict != TH_GOES_ON);
    int *path = x.goal == TH_NO_NODE ? NULL : th_search_path(&x, x.goal, NULL);
    require(path || x.goal == TH_NO_NODE);
    free(path);
    th_search_free(&x);
}

/* A machine that stops is never said to go on for ever, and what is predicted to be exact is. */
static void analyze(const ThTuring *m)
{
    ThAnalysisLimits limits = {.run = {100, UINT64_MAX},
                               .depth = 5,
                               .width = 2,
                               .history = 1,
                               .reach = true,
                               .run_it = true,
                               .backward = true,
                               .contexts = true};
    ThTapeWords none = {0};
    ThAnalysis a;
    ThText t = {0};
    ThRunning r;
    require(th_analyze(&a, m, &none, limits, NULL, NULL));
    require(th_proof_write(&t, &a, m, &none, 0, NULL, NULL));
    require((t.size > 0) == (a.proof > TH_PROOF_STOPS));
    require(th_running_start(&r, m, NULL, NULL, NULL));
    require(th_running_go(&r, UINT64_MAX, (ThRunLimits){500, UINT64_MAX}, NULL, NULL));
    require(!th_verdict_final(r.verdict) || a.proof <= TH_PROOF_STOPS);
    th_running_free(&r);
    th_text_free(&t);
    th_analysis_free(&a, m);
}

static void predict(const ThTuring *m)
{
    ThTapeWords none = {0};
    ThRunStart s;
    ThSimulation x;
    if (!th_run_start(&s, m, &none, NULL))
        return;
    require(
        th_simulate(&x, &s, false, 2, TH_KEYS_TUPLE, (ThRunLimits){20, UINT64_MAX}, NULL, NULL));
    require(x.exact || !x.unique);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    ThError err = {0};
    ThTuring *m = text ? th_turing_parse(text, &err) : NULL;
    require(m || err.code != TH_OK || !text);
    if (m) {
        write_and_read(m);
        run_both(m);
        step_and_back(m);
        follow_all(m);
        analyze(m);
        predict(m);
    }
    th_turing_free(m);
    m = text ? th_turing_read_bb(text, NULL) : NULL;
    if (m)
        run_both(m);
    th_turing_free(m);
    free(text);
    return 0;
}
