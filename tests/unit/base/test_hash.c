/* The hash table and the numbered strings, beside lists that are looked through. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/rng.h"
#include "given.h"

enum { MOST = 1 << 12 };

/* Keys with a hash that the test chooses, in order of their numbers. */
typedef struct {
    ThHashTable table;
    int key[MOST];
    bool there[MOST]; /* not taken out again */
    size_t n;
    uint64_t (*hash)(int key);
} Keys;

static uint64_t good(int key)
{
    return th_hash_mix((uint64_t)key);
}

static uint64_t always_the_same(int key)
{
    (void)key;
    return 12345;
}

/* All begin in the last few slots, so that searches run over the end. */
static uint64_t at_the_end(int key)
{
    return UINT64_MAX - (uint64_t)(key % 3);
}

/* Different hashes that begin in the same slot of any small table. */
static uint64_t same_slot(int key)
{
    return (uint64_t)key << 20;
}

/* Differ in the half that the table does not keep. */
static uint64_t same_half(int key)
{
    return (uint64_t)key << 32 | 7;
}

static uint32_t find(const Keys *k, ThHashSeek *s, int key)
{
    uint32_t i;
    while ((i = th_hash_next(&k->table, s)) != TH_HASH_END && k->key[i] != key) {
    }
    return i;
}

static uint32_t look_through(const Keys *k, int key)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->there[i] && k->key[i] == key)
            return (uint32_t)i;
    return TH_HASH_END;
}

static void add(Keys *k, int key)
{
    assert_true(th_hash_reserve(&k->table, NULL));
    ThHashSeek s = th_hash_seek(k->hash(key));
    uint32_t i = find(k, &s, key);
    assert_int_equal(i, look_through(k, key));
    if (i != TH_HASH_END)
        return;
    th_hash_put(&k->table, &s, k->n);
    k->there[k->n] = true;
    k->key[k->n++] = key;
}

static void take_out(Keys *k, int key)
{
    uint32_t i = look_through(k, key);
    if (i == TH_HASH_END)
        return;
    th_hash_remove(&k->table, k->hash(key), i);
    k->there[i] = false;
}

static void check_all(const Keys *k, int keys)
{
    size_t n = 0;
    for (int key = 0; key < keys; key++) {
        ThHashSeek s = th_hash_seek(k->hash(key));
        uint32_t i = find(k, &s, key);
        assert_int_equal(i, look_through(k, key));
        n += i != TH_HASH_END;
    }
    assert_int_equal(n, k->table.n);
}

/* Adds, finds and takes out at random, with more of the one and then of the other. */
static void run_against_list(Keys *k, uint64_t (*hash)(int), int keys, uint64_t seed)
{
    ThRng r = th_rng(seed, "test.hash", 0);
    *k = (Keys){.hash = hash};
    check_all(k, keys);
    for (int i = 0; k->n < MOST - 1 && i < 2000; i++) {
        int key = below(&r, keys);
        if (below(&r, 100) < (i % 400 < 200 ? 80 : 20))
            add(k, key);
        else
            take_out(k, key);
        if (i % 100 == 0)
            check_all(k, keys);
        if (i == 1500) {
            th_hash_clear(&k->table);
            k->n = 0;
            check_all(k, keys);
        }
    }
    check_all(k, keys);
    th_hash_free(&k->table);
    assert_true(k->table.slot == NULL && k->table.n == 0 && k->table.n_slots == 0);
}

static void test_against_list(void **state)
{
    (void)state;
    Keys *k = malloc(sizeof *k);
    assert_non_null(k);
    for (uint64_t seed = 0; seed < 20; seed++) {
        run_against_list(k, good, 1 + (int)seed * 20, seed);
        run_against_list(k, always_the_same, 1 + (int)seed * 3, seed);
        run_against_list(k, at_the_end, 1 + (int)seed * 3, seed);
        run_against_list(k, same_slot, 1 + (int)seed * 3, seed);
        run_against_list(k, same_half, 1 + (int)seed * 3, seed);
    }
    free(k);
}

/* However much it grows, everything is found, and half of the slots stay empty. */
static void test_growth(void **state)
{
    (void)state;
    enum { MANY = 300000 };
    ThHashTable t = {0};
    for (size_t i = 0; i < MANY; i++) {
        assert_true(th_hash_add(&t, th_hash_mix(i), i, NULL));
        assert_true(2 * t.n <= t.n_slots);
    }
    assert_true(t.n_slots <= 4 * MANY);
    for (size_t i = 0; i < 2 * MANY; i++) {
        ThHashSeek s = th_hash_seek(th_hash_mix(i));
        uint32_t found;
        while ((found = th_hash_next(&t, &s)) != TH_HASH_END && found != i) {
        }
        assert_int_equal(found, i < MANY ? i : TH_HASH_END);
    }
    th_hash_free(&t);
}

/* Entries with the same hash come each once; what they are is their owner's business. */
static void test_same_hash(void **state)
{
    (void)state;
    ThHashTable t = {0};
    unsigned seen = 0;
    for (size_t i = 0; i < 20; i++)
        assert_true(th_hash_add(&t, 99, i, NULL));
    ThHashSeek s = th_hash_seek(99);
    for (uint32_t i; (i = th_hash_next(&t, &s)) != TH_HASH_END;) {
        assert_true(i < 20 && !(seen & 1u << i));
        seen |= 1u << i;
    }
    assert_int_equal(seen, (1u << 20) - 1);
    th_hash_free(&t);
}

/* Slots that are lent serve the number of entries that was said, without growing. */
static void test_lent(void **state)
{
    (void)state;
    for (size_t most = 0; most < 300; most++) {
        size_t n_slots = th_hash_slots_for(most);
        ThHashTable t = {calloc(n_slots, sizeof *t.slot), 0, n_slots};
        assert_non_null(t.slot);
        for (size_t i = 0; i < most; i++)
            assert_true(th_hash_add(&t, th_hash_mix(i), i, NULL));
        assert_int_equal(t.n_slots, n_slots);
        free(t.slot);
    }
}

/* It is said where numbers end, before any memory is touched. */
static void test_limit(void **state)
{
    (void)state;
    ThHashTable t = {NULL, (size_t)1 << 30, (size_t)1 << 31};
    ThError err = {0};
    assert_false(th_hash_reserve(&t, &err));
    assert_int_equal(err.code, TH_ELIMIT);
    assert_true(t.n == (size_t)1 << 30 && t.n_slots == (size_t)1 << 31);
}

/* Short strings over two letters: many are the same, many begin with others. */
static size_t any_string(ThRng *r, char *text)
{
    size_t size = (size_t)below(r, 9);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)below(r, 2);
    return size;
}

static void test_strings(void **state)
{
    (void)state;
    char held[MOST][8], text[8];
    size_t size[MOST], n = 0, index, found;
    ThIntern t = {0};
    ThRng r = th_rng(1, "test.intern", 0);
    assert_true(th_intern_find(&t, "", 0) == SIZE_MAX);
    for (int turn = 0; turn < 20000; turn++) {
        size_t length = any_string(&r, text), i = 0;
        while (i < n && (size[i] != length || memcmp(held[i], text, length) != 0))
            i++;
        found = th_intern_find(&t, text, length);
        assert_true(found == (i < n ? i : SIZE_MAX));
        assert_true(th_intern(&t, text, length, &index, NULL));
        assert_int_equal(index, i);
        memcpy(held[i], text, length);
        size[i] = length;
        n += i == n;
        if (below(&r, 200) == 0) {
            n = (size_t)below(&r, (int)n + 1);
            th_intern_rewind(&t, n);
        }
        assert_int_equal(t.n, n);
    }
    for (size_t i = 0; i < n; i++) {
        const void *bytes = th_intern_at(&t, i, &found);
        assert_true(found == size[i] && memcmp(bytes, held[i], found) == 0);
    }
    th_intern_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_list), cmocka_unit_test(test_growth),
        cmocka_unit_test(test_same_hash),    cmocka_unit_test(test_lent),
        cmocka_unit_test(test_limit),        cmocka_unit_test(test_strings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
