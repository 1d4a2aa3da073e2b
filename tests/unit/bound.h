/* bound.h - models with an alphabet and random parameters for unit tests.  After cmocka.h. */
#ifndef TEST_UNIT_BOUND_H
#define TEST_UNIT_BOUND_H

#include <stdio.h>
#include <string.h>

#include "base/rng.h"
#include "models/model.h"

/* Every number random, so that no bias or gain hides behind 0 or 1. */
static void scatter(ThModel *m, double size)
{
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i];
        ThRng r = th_rng(9, p->name, 1);
        for (int k = 0; k < p->rows * p->cols; k++)
            m->params.value[p->offset + (size_t)k] = (float)(size * th_rng_normal(&r));
    }
}

/* Symbols and classes a, b, c, …, and scattered parameters. */
static bool bind_letters(ThModel *m, ThTarget target, int symbols, bool pairs, ThError *err)
{
    char letter[26][2] = {0}, *names[26];
    for (int i = 0; i < 26; i++) {
        letter[i][0] = (char)('a' + i);
        names[i] = letter[i];
    }
    ThSignature s = {.target = target,
                     .pairs = pairs,
                     .n_symbols = symbols,
                     .n_classes = symbols,
                     .symbol = names,
                     .label = names};
    if (!th_model_bind(m, &s, 1, err))
        return false;
    scatter(m, 0.4);
    return true;
}

/* Returns new: a model with options "key=value key=value"; its symbols and classes are both a, b,
 * c, …, and its parameters scattered. */
static inline ThModel *bound_to(const char *kind, const char *settings, ThTarget target,
                                int symbols, bool pairs)
{
    ThError err = {0};
    const ThModelKind *k = th_model_kind(kind);
    assert_non_null(k);
    ThOptions o = {0};
    assert_true(th_options_init(&o, k->options, &err));
    char text[256], *rest = text;
    snprintf(text, sizeof text, "%s", settings);
    for (char *pair; (pair = strtok_r(rest, " ", &rest));) {
        char *value = strchr(pair, '=');
        *value++ = 0;
        assert_true(th_options_set(&o, pair, value, &err));
    }
    ThModel *m = th_model_new(k, &o, &err);
    th_options_free(&o);
    if (!m || !bind_letters(m, target, symbols, pairs, &err))
        fail_msg("%s", err.msg);
    return m;
}

static inline ThModel *bound(const char *kind, const char *settings, ThTarget target, int symbols)
{
    return bound_to(kind, settings, target, symbols, false);
}

#endif
