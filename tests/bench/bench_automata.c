/* bench_automata - one operation on automata, timed, for the paired measurements of automata_run.
 *
 *     bench_automata files DIR N       writes the automata and words that all sides read
 *     bench_automata blowup N          determinize and minimize (a|b)*a(a|b){N}
 *     bench_automata words FILE        the minimal automaton of a list of words
 *     bench_automata intersect|complement|equivalent N
 *
 * Prints the seconds of every part and, last, the peak of resident memory in MB. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "automata/regex/regex.h"
#include "automata/words/lexicon.h"
#include "base/file.h"
#include "base/rng.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(bool good, const ThError *err)
{
    if (good)
        return;
    fprintf(stderr, "bench_automata: %s\n", err->msg);
    exit(1);
}

/* A random machine over two symbols whose reachable part is minimal, its states shuffled by `seed`
 * and some of them accepting the other way round. */
static ThDfa *random_machine(int n, uint64_t seed, int flips)
{
    ThError err = {0};
    ThRng r = th_rng(1, "bench.automata", 0), s = th_rng(seed, "bench.shuffle", 0);
    ThDfa *d = th_dfa_new(n, 2, 2, &err);
    int *to = malloc((size_t)n * sizeof *to);
    must(d && to, &err);
    for (int q = 0; q < n; q++)
        to[q] = q;
    for (int q = n - 1; q > 0 && seed; q--) {
        int other = (int)th_rng_below(&s, (uint64_t)q + 1), swap = to[q];
        to[q] = to[other];
        to[other] = swap;
    }
    for (int q = 0; q < n; q++) {
        for (int a = 0; a < 2; a++)
            d->next[2 * to[q] + a] = to[th_rng_below(&r, (uint64_t)n)];
        d->label[to[q]] = (int)th_rng_below(&r, 2);
    }
    d->start = to[0];
    for (int i = 0; i < flips; i++) {
        size_t q = th_rng_below(&s, (uint64_t)n);
        d->label[q] = !d->label[q];
    }
    free(to);
    ThDfa *m = seed ? th_dfa_copy(d, &err) : th_dfa_minimize(d, NULL, &err);
    must(m != NULL, &err);
    th_dfa_free(d);
    return m;
}

/* AT&T text of what can be reached; the start is state 0. */
static void write_att(const char *folder, const char *name, const ThDfa *all)
{
    char path[4096];
    ThError err = {0};
    ThDfa *d = th_dfa_reachable(all, &err);
    must(d != NULL, &err);
    snprintf(path, sizeof path, "%s/%s.att", folder, name);
    FILE *out = fopen(path, "w");
    must(out != NULL, &(ThError){.msg = "cannot write"});
    for (int q = 0; q < d->n_states; q++)
        for (int a = 0; a < 2; a++)
            fprintf(out, "%d\t%d\t%c\t%c\n", q, d->next[2 * q + a], 'a' + a, 'a' + a);
    for (int q = 0; q < d->n_states; q++)
        if (d->label[q])
            fprintf(out, "%d\n", q);
    fclose(out);
    th_dfa_free(d);
}

static void write_words(const char *folder)
{
    char path[4096];
    ThRng r = th_rng(1, "bench.words", 0);
    snprintf(path, sizeof path, "%s/words.txt", folder);
    FILE *out = fopen(path, "w");
    must(out != NULL, &(ThError){.msg = "cannot write"});
    for (int i = 0; i < 100000; i++) {
        int length = 4 + (int)th_rng_below(&r, 9);
        while (length-- > 0)
            fputc('a' + (int)th_rng_below(&r, 26), out);
        fputc('\n', out);
    }
    fclose(out);
}

static void files(const char *folder, int n)
{
    ThDfa *a = random_machine(n, 0, 0), *b = random_machine(n, 2, 1000);
    ThDfa *c = random_machine(n, 3, 0);
    write_att(folder, "A", a);
    write_att(folder, "B", b);
    write_att(folder, "C", c);
    write_words(folder);
    th_dfa_free(a);
    th_dfa_free(b);
    th_dfa_free(c);
}

static void blowup(int n)
{
    char pattern[64];
    ThError err = {0};
    snprintf(pattern, sizeof pattern, "(a|b)*a(a|b){%d}", n);
    ThAutomaton *a = th_regex_automaton(pattern, NULL, 0, 0, NULL, &err);
    must(a != NULL, &err);
    double start = now();
    ThDfa *d = th_automaton_acceptor(a, 0, NULL, &err);
    must(d != NULL, &err);
    double middle = now();
    ThDfa *m = th_dfa_minimize(d, NULL, &err);
    must(m != NULL, &err);
    printf("%.6f %.6f ", middle - start, now() - middle);
    th_dfa_free(d);
    th_dfa_free(m);
    th_automaton_free(a);
}

static void words(const char *path)
{
    ThError err = {0};
    size_t size;
    double start = now();
    char *text = th_file_read(path, (size_t)1 << 30, &size, &err);
    must(text != NULL, &err);
    ThAutomaton *a = th_automaton_of_words(text, size, NULL, &err);
    must(a != NULL, &err);
    printf("%.6f ", now() - start);
    th_automaton_free(a);
    free(text);
}

static void pair(const char *what, int n)
{
    static const bool both[4] = {false, false, false, true};
    ThError err = {0};
    bool same = strcmp(what, "equivalent") == 0;
    ThDfa *a = random_machine(n, 0, 0), *b = random_machine(n, same ? 3 : 2, same ? 0 : 1000);
    ThDfa *result = NULL, *m = NULL;
    double start = now();
    if (same) {
        int length;
        free(th_dfa_distinguish(a, b, &length, NULL, &err));
        must(length == -1, &err);
    } else if (strcmp(what, "intersect") == 0) {
        result = th_dfa_product(a, b, both, 0, NULL, &err);
        printf("%.6f ", now() - start);
        start = now();
        m = result ? th_dfa_minimize(result, NULL, &err) : NULL;
        must(m != NULL, &err);
    } else {
        result = th_dfa_copy(a, &err);
        must(result != NULL, &err);
        for (int q = 0; q < result->n_states; q++)
            result->label[q] = !result->label[q];
        m = th_dfa_minimize(result, NULL, &err);
        must(m != NULL, &err);
    }
    printf("%.6f ", now() - start);
    th_dfa_free(a);
    th_dfa_free(b);
    th_dfa_free(result);
    th_dfa_free(m);
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "files") == 0) {
        files(argv[2], atoi(argv[3]));
        return 0;
    }
    if (argc != 3) {
        fprintf(stderr, "usage: bench_automata files DIR N | blowup N | words FILE | "
                        "intersect N | complement N | equivalent N\n");
        return 2;
    }
    if (strcmp(argv[1], "blowup") == 0)
        blowup(atoi(argv[2]));
    else if (strcmp(argv[1], "words") == 0)
        words(argv[2]);
    else
        pair(argv[1], atoi(argv[2]));
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    printf("%.1f\n", (double)use.ru_maxrss / 1024);
    return 0;
}
