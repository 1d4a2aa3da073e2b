/* test_program.c - the RASP source of next-token programs against the same program in C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "rasp/interpret/rasp.h"
#include "turing/tm_program.h"

enum { MOST_TOKENS = 4000 };

/* The tokens of a run of at most `steps` steps, in a window that holds all of it. */
static size_t tokens_of_run(const ThTmTokens *k, const ThTmRunStart *s, uint64_t steps, int *token)
{
    ThError err = {0};
    ThTmRunExtent x;
    ThTmRunning r;
    size_t n = 0;
    assert_true(th_tm_run_extent(&x, s, (ThTmRunLimits){steps, 1000}, NULL, &err));
    assert_true(th_tm_running_from(&r, s, &err));
    size_t size = (size_t)th_tm_configuration_length(k, x.first, x.last);
    for (uint64_t i = 0; i <= x.steps && n + size <= MOST_TOKENS; i++) {
        th_tm_configuration_tokens(k, &r, x.first, x.last, token + n);
        n += size;
        assert_true(th_tm_running_go(&r, 1, (ThTmRunLimits){UINT64_MAX, UINT64_MAX}, NULL, &err));
    }
    th_tm_running_free(&r);
    return n;
}

/* Both programs read the same tokens and must predict the same after every one. */
static void check_same(const ThTmTokens *k, int n, const int *token, size_t size)
{
    ThError err = {0};
    ThText t = {0};
    ThRaspHost host = {0};
    ThRaspValue v;
    assert_true(th_tm_program(&t, k, n, "next", "m", &err));
    ThRasp *r = th_rasp_new(&host, &err);
    assert_non_null(r);
    if (!th_rasp_execute(r, t.data, false, false, NULL, &err))
        fail_msg("%d:%d: %s in\n%s", err.line, err.col, err.msg, t.data);
    assert_true(th_rasp_lookup(r, "next", &v));
    char **name = th_tm_program_names(k, &err);
    ThRaspAtoms *atoms = th_rasp_atoms(th_rasp_graph(r));
    ThRaspSeq input = {
        .kind = TH_RASP_ATOM_STRING, .n = size, .cell = th_alloc(size, sizeof(ThRaspCell), &err)};
    for (size_t i = 0; i < size; i++) {
        ThRaspAtom a;
        assert_true(th_rasp_atom_string(atoms, name[token[i]], strlen(name[token[i]]), &a, &err));
        input.cell[i] = a.cell;
    }
    ThRaspRun *run = th_rasp_run_new(th_rasp_graph(r), &input, 0, &err);
    const ThRaspSeq *out = run ? th_rasp_run_value(run, v.as.sop, NULL, &err) : NULL;
    if (!out)
        fail_msg("%s", err.msg);
    ThTmNext *p = th_tm_next_new(k, n, TH_TM_KEYS_TUPLE, &err);
    assert_non_null(p);
    for (size_t i = 0; i < size; i++) {
        int next;
        assert_true(th_tm_next_push(p, token[i], &next, &err));
        size_t length;
        const char *got = th_rasp_string_at(atoms, th_rasp_seq_at(out, i), &length);
        if (length != strlen(name[next]) || memcmp(got, name[next], length) != 0)
            fail_msg("after token %zu of %zu: %.*s, not %s", i, size, (int)length, got, name[next]);
    }
    th_tm_program_names_free(name);
    th_tm_next_free(p);
    th_rasp_run_free(run);
    th_rasp_seq_free(&input);
    th_rasp_free(r);
    th_text_free(&t);
}

static void random_walled_machines(void **state)
{
    (void)state;
    static int token[MOST_TOKENS];
    for (uint64_t i = 0; i < 24; i++) {
        ThRng g = th_rng(7, "program", i);
        ThError err = {0};
        ThTmTapeWords w;
        ThTm *m = th_tm_random_walled(2 + (int)(i % 15), 2 + (int)(i % 12), &g, &err);
        assert_non_null(m);
        assert_true(th_tm_random_walled_words(&w, m, 3 + (int)i, &g, &err));
        ThTmTokens k = {m, true};
        ThTmRunStart s = {m, &w, m->start, 1};
        size_t n = tokens_of_run(&k, &s, 12, token);
        check_same(&k, 1 + (int)(i % 5), token, n);
        th_tm_tape_words_free(&w);
        th_tm_free(m);
    }
}

static void check_machine(const char *text, const char *input, int n)
{
    static int token[MOST_TOKENS];
    ThError err = {0};
    ThTmTapeWords w;
    ThTmRunStart s;
    ThTm *m = th_tm_parse(text, &err);
    if (!m)
        fail_msg("%d:%d: %s", err.line, err.col, err.msg);
    assert_true(th_tm_tape_words_read(&w, m, input, &err));
    assert_true(th_tm_run_start(&s, m, &w, &err));
    ThTmTokens k = {m, false};
    size_t size = tokens_of_run(&k, &s, 100, token);
    check_same(&k, n, token, size);
    th_tm_tape_words_free(&w);
    th_tm_free(m);
}

/* Stays, wildcards, a bounce at the edge, states that stop. */
static void machines_of_every_kind(void **state)
{
    (void)state;
    check_machine("start right; halt done\nright 0,1 -> R right\nright _ -> L carry\n"
                  "carry 1 -> 0 L carry\ncarry 0,_ -> 1 S done",
                  "1011", 4);
    check_machine("tape one-way edge=stay; start a\na * -> L b\nb 0 -> 1 R c\nb 1 -> 0 R c\n"
                  "c * -> L a",
                  "0110", 3);
    check_machine("start \"q \\\"1\\\"\"; halt z\n* x -> y S \"q \\\"1\\\"\"\n"
                  "\"q \\\"1\\\"\" y -> R *\n\"q \\\"1\\\"\" _ -> S z",
                  "xyxxy", 0);
}

static void refusals(void **state)
{
    (void)state;
    ThError err = {0};
    ThText t = {0};
    ThTm *m = th_tm_parse("tapes 2; start a\na 0 | 0 -> R | R a\n", &err);
    assert_non_null(m);
    assert_false(th_tm_program(&t, &(ThTmTokens){m, false}, 4, "next", "m", &err));
    assert_int_equal(err.code, TH_EVALUE);
    th_tm_free(m);
    err = (ThError){0};
    m = th_tm_parse("start a; halt z\na 0 -> R a\na _ -> S z", &err);
    assert_non_null(m);
    assert_false(
        th_tm_program(&t, &(ThTmTokens){m, false}, TH_TM_PROGRAM_GRAM + 1, "next", "m", &err));
    assert_int_equal(err.code, TH_ELIMIT);
    assert_int_equal(t.size, 0);
    th_tm_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_walled_machines),
        cmocka_unit_test(machines_of_every_kind),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
