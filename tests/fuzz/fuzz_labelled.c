/* fuzz_labelled.c - labelled words: where nothing contradicts, what is learned from them gives
 * every word its label. */
#include <stdint.h>
#include <stdlib.h>

#include "automata/infer/labelled.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void learn(const ThWordsSample *s)
{
    ThRpniOptions options = {.max_states = 30};
    ThRpniReport report;
    ThError err = {0};
    ThDfa *d = th_rpni(s, &options, &report, NULL, &err);
    require(d || err.code == TH_ELIMIT);
    for (size_t i = 0; d && i < s->n; i++)
        require(th_dfa_class(d, s->symbol + s->start[i], s->start[i + 1] - s->start[i]) ==
                s->label[i] + 1);
    require(!d || report.conflicts == 0);
    th_dfa_free(d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = th_strndup((const char *)data, size, NULL);
    ThError err = {0};
    ThWordsLabelled l = {0};
    bool ok = text && th_words_labelled_read(&l, text, NULL, true, &err);
    require(ok || err.code != TH_OK || !text);
    if (ok && size < 2000)
        learn(&l.sample);
    th_words_labelled_free(&l);
    free(text);
    return 0;
}
