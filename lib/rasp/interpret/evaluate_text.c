#include <string.h>

#include "rasp/interpret/interp.h"

bool th_rasp_evaluate(ThRasp *r, const char *text, ThRaspValue *v, ThStop *stop, ThError *err)
{
    ThRaspTree t = {0};
    size_t used, n = strlen(text);
    ThRaspDialect d = {.grammar = r->grammar, .lines = true};
    bool ok = th_rasp_parse_one(&t, text, n, d, &used, err);
    int32_t first = ok ? t.node[t.root].first : -1;
    if (ok && (first < 0 || t.node[first].kind != TH_RASP_R_EXPRESSION || used < n))
        ok = th_fail(err, TH_EPARSE, "expected one expression");
    th_rasp_tree_free(&t);
    if (!ok)
        return false;
    ThRaspHost host = r->host;
    r->host.show = NULL;
    ok = th_rasp_execute(r, text, false, true, stop, err);
    r->host = host;
    return ok && (th_rasp_lookup(r, "out", v) || th_fail(err, TH_EVALUE, "that has no value"));
}
