
#include "rasp/interpret/interp.h"

bool th_rasp_evaluate(ThRasp *r, const char *text, ThRaspValue *v, ThStop *stop, ThError *err)
{
    ThRaspTree t TH_OWNED(th_rasp_tree_free) = {0};
    ThRaspSource src = {.text = text, .n = strlen(text), .line = 1, .col = 1};
    ThRaspDialect d = {.grammar = r->grammar, .lines = true};
    bool ok = th_rasp_parse_one(&t, &src, d, err);
    int32_t first = ok ? t.node[t.root].first : -1;
    if (ok && (first < 0 || t.node[first].kind != TH_RASP_R_EXPRESSION || src.at < src.n))
        ok = th_fail(err, TH_EPARSE, "expected one expression");
    ThRaspHost host = r->host;
    r->host.show = NULL;
    ok = ok && th_rasp_run_tree(r, &t, text, src.n, stop, err);
    r->host = host;
    return ok && (th_rasp_lookup(r, "out", v) || th_fail(err, TH_EVALUE, "that has no value"));
}
