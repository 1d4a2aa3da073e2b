#include "turing/making.h"

ThTmMaking th_tm_making(const ThTm *m, size_t most, ThStop *stop, ThError *err)
{
    ThTmMaking x = {.m = m, .most = most, .stop = stop, .ok = true, .err = err};
    x.b.m.n_tapes = 1;
    x.b.m.missing = m->missing;
    x.b.m.nondeterministic = m->nondeterministic;
    return x;
}

ThTm *th_tm_making_finish(ThTmMaking *x)
{
    th_intern_free(&x->keys);
    if (x->ok)
        return th_tm_finish(&x->b, x->err);
    th_tm_build_free(&x->b);
    return NULL;
}

int th_tm_making_state(ThTmMaking *x, const ThTmKey *key, ThTmRole role, const char *name)
{
    size_t i = 0, n = x->keys.n;
    x->ok = x->ok && (name || th_fail(x->err, TH_ENOMEM, "out of memory for a machine")) &&
            th_intern(&x->keys, key, sizeof *key, &i, x->err);
    if (x->ok && i == n)
        th_tm_new_state(&x->b, name, role);
    return x->ok ? (int)i : 0;
}

bool th_tm_making_next(const ThTmMaking *x, size_t *i, ThTmKey *key)
{
    if (!x->ok || *i >= x->keys.n)
        return false;
    memcpy(key, th_intern_at(&x->keys, (*i)++, NULL), sizeof *key);
    return true;
}

bool th_tm_making_rule(ThTmMaking *x, const ThTmRule *r)
{
    if (x->ok && x->b.m.n_rules >= x->most)
        x->ok = th_fail(x->err, TH_ELIMIT, "the machine would have more than %zu rules", x->most);
    x->ok = x->ok && !th_stopped_at(x->stop, x->b.m.n_rules, "rules", x->err);
    if (x->ok)
        th_tm_add(&x->b, r);
    return x->ok;
}

void th_tm_making_step(ThTmMaking *x, int from, int read, int write, int move, int to)
{
    th_tm_making_rule(
        x, &(ThTmRule){.from = from, .to = to, .read = {read}, .write = {write}, .move = {move}});
}

bool th_tm_single_tape(const ThTm *m, ThError *err)
{
    return (m->n_tapes == 1 && m->edge == TH_TM_TWO_WAY) ||
           th_fail(err, TH_EVALUE, "that is for machines with one two-way tape") ||
           (m->n_tapes > 1 && th_hint(err, "convert to=one_tape makes one tape of several"));
}
