/* machine_target.h - what the fuzz targets of the formats of Turing machines have in common: what
 * is read can be shown and read again, written in every format and read again, and runs as it did.
 */
#ifndef TH_MACHINE_TARGET_H
#define TH_MACHINE_TARGET_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "formats/machines.h"
#include "turing/run.h"

enum { MOST_RULES = 3000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

/* The block of a machine is read as what it was. */
static void show_and_read(const ThTuring *m)
{
    ThText t = {0};
    ThError err = {0};
    th_turing_write(&t, m, "M");
    char *open = strchr(t.data, '{'), *close = strrchr(t.data, '}');
    ThTuring *again = NULL;
    if (m->busy_beaver) {
        open = strchr(t.data, '"') + 1;
        *strrchr(open, '"') = '\0';
        again = th_turing_read_bb(open, &err);
    } else {
        *close = '\0';
        again = th_turing_parse(open + 1, &err);
    }
    require(again && (m->busy_beaver || th_turing_same(m, again)));
    th_turing_free(again);
    th_text_free(&t);
}

/* The verdict of a run on a blank tape; a halting state may have become one that accepts. */
static ThVerdict run(const ThTuring *m, uint64_t steps, uint64_t *made)
{
    ThRunLimits limits = {steps, UINT64_MAX};
    ThRunning r;
    require(th_running_start(&r, m, NULL, NULL, NULL));
    require(th_running_go(&r, UINT64_MAX, limits, NULL, NULL));
    ThVerdict v = r.verdict == TH_ACCEPTED ? TH_HALTED : r.verdict;
    *made = r.steps;
    th_running_free(&r);
    return v;
}

/* Steps may become several: to stand still, to stop where no rule applies, to mark the edge. */
static void same_run(const ThTuring *a, const ThTuring *b)
{
    enum { STEPS = 200, TIMES = 8 };
    uint64_t x, y;
    if (a->branching || b->branching)
        return;
    ThVerdict v = run(a, STEPS, &x), w = run(b, STEPS * TIMES, &y);
    if (v == TH_OUT_OF_STEPS)
        require(w == TH_OUT_OF_STEPS || y >= x);
    else
        require(v == w && y >= x);
}

static void write_and_read(const ThTuring *m, ThMachineFormat f)
{
    ThText text = {0}, notes = {0};
    ThError err = {0};
    if (th_machine_write(&text, f, m, "M", &notes, &err)) {
        ThTuring *again = th_machine_read(f, text.data, text.size, NULL, &notes, &err);
        require(again != NULL);
        same_run(m, again);
        th_turing_free(again);
    } else {
        require(err.code != TH_OK && err.msg[0]);
    }
    th_text_free(&text);
    th_text_free(&notes);
}

static int check_machine(ThMachineFormat format, const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    size_t length = text ? strlen(text) : 0;
    ThError err = {0};
    ThText notes = {0};
    bool sure;
    if (!text)
        return 0;
    th_machine_sniff((const char *)data, size, &sure);
    ThTuring *m = th_machine_read(format, text, length, NULL, &notes, &err);
    require(m || (err.code != TH_OK && err.msg[0]));
    if (m && m->n_rules <= MOST_RULES) {
        show_and_read(m);
        for (int f = 0; f < TH_N_MACHINE_FORMATS; f++)
            write_and_read(m, (ThMachineFormat)f);
    }
    th_turing_free(m);
    th_text_free(&notes);
    free(text);
    return 0;
}

#endif
