/* fuzz_turing.c - machine blocks and bbchallenge strings: what is read can be written and read
 * again, both engines agree on its run, steps can be taken back, all runs can be followed, and
 * what is proved or predicted about it holds. */
#include <stdlib.h>

#include "base/memory.h"
#include "../unit/same_machine.h"
#include "check.h"
#include "turing/analyze.h"
#include "turing/fast.h"
#include "turing/nexttoken.h"
#include "turing/search.h"
#include "turing/stepper.h"

static void write_and_read(const ThTm *m)
{
    ThText t = {0};
    ThError err = {0};
    th_tm_write(&t, m, "M");
    ThTm *again = th_tm_parse(block_inside(&t), &err);
    require(again && same_machine(m, again));
    th_tm_free(again);
    th_text_free(&t);
}

static void run_both(const ThTm *m)
{
    ThTmRunLimits limits = {500, UINT64_MAX};
    ThTmRunning r;
    require(th_tm_running_start(&r, m, NULL, NULL, NULL));
    require(th_tm_running_go(&r, UINT64_MAX, limits, NULL, NULL));
    ThTmFast *f = th_tm_fast_possible(m) ? th_tm_fast_new(m, NULL, 0, 3, NULL) : NULL;
    if (f) {
        require(th_tm_fast_go(f, UINT64_MAX, limits, NULL, NULL));
        ThTmFastFigures x = th_tm_fast_figures(f);
        require(x.verdict == r.verdict && x.steps == r.steps && x.cells == r.cells &&
                x.state == r.state && x.head == r.tape[0].head);
    }
    th_tm_fast_free(f);
    th_tm_running_free(&r);
}

static void step_and_back(const ThTm *m)
{
    ThTmStepper *s = th_tm_stepper_new(m, NULL);
    ThTmTapeWords none = {0};
    size_t at;
    require(s && th_tm_stepper_start(s, &none, 20, 1, 0, NULL));
    require(th_tm_stepper_go(s, 40, 0, &at, NULL, NULL));
    th_tm_stepper_back(s, UINT64_MAX);
    require(th_tm_stepper_undo(s) == 0);
    require(th_tm_stepper_running(s)->verdict == TH_TM_GOES_ON ||
            th_tm_stepper_running(s)->steps == 0);
    th_tm_stepper_free(s);
}

static void follow_all(const ThTm *m)
{
    ThTmSearch x;
    ThTmTapeWords none = {0};
    ThTmSearchLimits limits = {30, 100, 300};
    require(th_tm_search_start(&x, m, &none, limits, false, NULL));
    require(th_tm_search_go(&x, SIZE_MAX, NULL, NULL) && x.verdict != TH_TM_GOES_ON);
    int *path = x.goal == TH_TM_NO_NODE ? NULL : th_tm_search_path(&x, x.goal, NULL);
    require(path || x.goal == TH_TM_NO_NODE);
    free(path);
    th_tm_search_free(&x);
}

/* A machine that stops is never said to go on for ever, and what is predicted to be exact is. */
static void analyze(const ThTm *m)
{
    ThTmAnalysisLimits limits = {.run = {100, UINT64_MAX},
                                 .depth = 5,
                                 .width = 2,
                                 .history = 1,
                                 .reach = true,
                                 .run_it = true,
                                 .backward = true,
                                 .contexts = true};
    ThTmTapeWords none = {0};
    ThTmAnalysis a;
    ThText t = {0};
    ThTmRunning r;
    require(th_tm_analyze(&a, m, &none, limits, NULL, NULL));
    require(th_tm_proof_write(&t, &a, &(ThTmWork){.machine = m, .words = &none}, 0, NULL));
    require((t.size > 0) == (a.proof > TH_TM_PROOF_STOPS));
    require(th_tm_running_start(&r, m, NULL, NULL, NULL));
    require(th_tm_running_go(&r, UINT64_MAX, (ThTmRunLimits){500, UINT64_MAX}, NULL, NULL));
    require(!th_tm_verdict_final(r.verdict) || a.proof <= TH_TM_PROOF_STOPS);
    th_tm_running_free(&r);
    th_text_free(&t);
    th_tm_analysis_free(&a, m);
}

static void predict(const ThTm *m)
{
    ThTmTapeWords none = {0};
    ThTmRunStart s;
    ThTmSimulation x;
    if (!th_tm_run_start(&s, m, &none, NULL))
        return;
    require(th_tm_simulate(&x, &s, &(ThTmSimulationRules){.n = 2, .limits = {20, UINT64_MAX}}, NULL,
                           NULL));
    require(x.exact || !x.unique);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    ThError err = {0};
    ThTm *m = text ? th_tm_parse(text, &err) : NULL;
    require(m || err.code != TH_OK || !text);
    if (m) {
        write_and_read(m);
        run_both(m);
        step_and_back(m);
        follow_all(m);
        analyze(m);
        predict(m);
    }
    th_tm_free(m);
    m = text ? th_tm_read_bb(text, NULL) : NULL;
    if (m)
        run_both(m);
    th_tm_free(m);
    free(text);
    return 0;
}
