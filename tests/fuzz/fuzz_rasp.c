/* fuzz_rasp.c - programs of RASP: whatever is read either runs or is refused with a reason and a
 * place, within bounds of time and memory, and what was defined before keeps its value. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "check.h"
#include "rasp/interpret/rasp.h"

typedef struct {
    ThRasp *rasp;
    size_t shown;
} Host;

static bool show(void *context, const ThRaspShown *shown, ThError *err)
{
    Host *h = context;
    ThText t = {0};
    bool ok = th_rasp_write(h->rasp, shown, &t, NULL, err);
    h->shown += t.size;
    th_text_free(&t);
    return ok;
}

/* Loops inside loops and repetition make programs slow, not wrong. */
static bool is_slow(const char *text)
{
    int loops = 0;
    for (const char *c = text; (c = strstr(c, "for")); c += 3)
        loops++;
    for (const char *c = text; (c = strstr(c, "range")); c += 5)
        loops++;
    return loops > 3 || strstr(text, "load");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Host h = {0};
    ThError err = {0};
    char *text = th_strndup((const char *)data, size, NULL);
    ThRaspHost host = {.context = &h, .show = show};
    h.rasp = th_rasp_new(&host, &err);
    require(h.rasp && text);
    require(th_rasp_execute(h.rasp, "kept_ = [1, 2];", true, true, NULL, &err));
    if (modest(text) && !is_slow(text)) {
        bool ok = th_rasp_execute(h.rasp, text, true, true, NULL, &err);
        require(ok || (err.code != TH_OK && err.msg[0]));
        require(ok || err.line > 0 || err.code == TH_ENOMEM);
        size_t n;
        th_rasp_set_grammar(h.rasp, &th_rasp_grammars(&n)[1]);
        err = (ThError){0};
        ok = th_rasp_execute(h.rasp, text, false, false, NULL, &err);
        require(ok || (err.code != TH_OK && err.msg[0]));
    }
    ThRaspValue v;
    if (!strstr(text, "kept_"))
        require(th_rasp_lookup(h.rasp, "kept_", &v) && th_rasp_length(&v) == 2);
    th_rasp_free(h.rasp);
    free(text);
    return 0;
}
