/* machine_target.h - what the fuzz targets of the formats of Turing machines have in common: what
 * is read can be shown and read again, written in every format and read again, and runs as it did.
 */
#ifndef TEST_FUZZ_MACHINE_TARGET_H
#define TEST_FUZZ_MACHINE_TARGET_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "../unit/same_machine.h"
#include "formats/format_table.h"
#include "turing/tm_run.h"

enum { MOST_RULES = 3000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* The block of a machine is read as what it was. */
static void show_and_read(const ThTm *m)
{
    ThText t = {0};
    ThError err = {0};
    th_tm_write(&t, m, "M");
    char *open = strchr(t.data, '{'), *close = strrchr(t.data, '}');
    ThTm *again = NULL;
    if (m->busy_beaver) {
        open = strchr(t.data, '"') + 1;
        *strrchr(open, '"') = '\0';
        again = th_tm_read_bb(open, &err);
    } else {
        *close = '\0';
        again = th_tm_parse(open + 1, &err);
    }
    require(again && (m->busy_beaver || same_machine(m, again)));
    th_tm_free(again);
    th_text_free(&t);
}

/* The verdict of a run on a blank tape; a halting state may have become one that accepts. */
static ThTmVerdict run(const ThTm *m, uint64_t steps, uint64_t *made)
{
    ThTmRunLimits limits = {steps, UINT64_MAX};
    ThTmRunning r;
    require(th_tm_running_start(&r, m, NULL, NULL, NULL));
    require(th_tm_running_go(&r, UINT64_MAX, limits, NULL, NULL));
    ThTmVerdict v = r.verdict == TH_TM_ACCEPTED ? TH_TM_HALTED : r.verdict;
    *made = r.steps;
    th_tm_running_free(&r);
    return v;
}

/* Steps may become several: to stand still, to stop where no rule applies, to mark the edge. */
static void same_run(const ThTm *a, const ThTm *b)
{
    enum { STEPS = 200, TIMES = 8 };
    uint64_t x, y;
    if (a->branching || b->branching)
        return;
    ThTmVerdict v = run(a, STEPS, &x), w = run(b, STEPS * TIMES, &y);
    if (v == TH_TM_OUT_OF_STEPS)
        require(w == TH_TM_OUT_OF_STEPS || y >= x);
    else
        require(v == w && y >= x);
}

static void write_and_read(const ThTm *m, const ThFormat *f)
{
    ThText text = {0}, notes = {0};
    ThError err = {0};
    if (th_format_machine_write(&text, f, m, "M", &notes, &err)) {
        ThTm *again = th_format_machine_read(f, text.data, text.size, NULL, &notes, &err);
        require(again != NULL);
        same_run(m, again);
        th_tm_free(again);
    } else {
        require(err.code != TH_OK && err.msg[0]);
    }
    th_text_free(&text);
    th_text_free(&notes);
}

static int check_machine(const ThFormat *format, const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    size_t length = text ? strlen(text) : 0;
    ThError err = {0};
    ThText notes = {0};
    bool sure;
    if (!text)
        return 0;
    th_format_machine_sniff((const char *)data, size, &sure);
    ThTm *m = th_format_machine_read(format, text, length, NULL, &notes, &err);
    require(m || (err.code != TH_OK && err.msg[0]));
    if (m && m->n_rules <= MOST_RULES) {
        show_and_read(m);
        size_t n;
        const ThFormat *const *f = th_format_all(&n);
        for (size_t i = 0; i < n; i++)
            if (f[i]->write_machine && f[i]->read_machine)
                write_and_read(m, f[i]);
    }
    th_tm_free(m);
    th_text_free(&notes);
    free(text);
    return 0;
}

#endif
