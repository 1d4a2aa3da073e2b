#include "tasks/task_parts.h"

#include <math.h>
#include <stdio.h>

static size_t count_words(const char *list)
{
    size_t n = 0;
    for (const char *s = list; *s; s += strcspn(s, " ")) {
        s += strspn(s, " ");
        n += *s != '\0';
    }
    return n;
}

bool th_task_names(char ***list, int *n, ThTaskNames names, ThError *err)
{
    *n = 0;
    *list = th_alloc((size_t)names.n_numbers + count_words(names.words), sizeof **list, err);
    if (!*list)
        return false;
    for (int i = 0; i < names.n_numbers; i++, ++*n) {
        char number[16];
        snprintf(number, sizeof number, "%d", i);
        if (!((*list)[*n] = th_strdup(number, err)))
            return false;
    }
    for (const char *s = names.words; *s; ++*n) {
        size_t length = strcspn(s, " ");
        if (!((*list)[*n] = th_strndup(s, length, err)))
            return false;
        s += length;
        s += strspn(s, " ");
    }
    return true;
}

bool th_task_signature(ThTask *t, ThTarget target, ThTaskNames symbols, ThTaskNames classes,
                       ThError *err)
{
    ThSignature *s = &t->signature;
    s->target = target;
    return th_task_names(&s->symbol, &s->n_symbols, symbols, err) &&
           th_task_names(&s->label, &s->n_classes, classes, err);
}

ThTarget th_task_labels(ThTask *t)
{
    enum { LABELS_EVERY, LABELS_FINAL, LABELS_LAST };
    int labels = th_option_choice(&t->options, "labels");
    t->last_only = labels == LABELS_LAST;
    return labels == LABELS_FINAL ? TH_TARGET_FINAL : TH_TARGET_EVERY;
}

bool th_task_is_fans(const ThTask *t)
{
    return th_option_known(&t->options, "variant") && th_option_choice(&t->options, "variant") == 1;
}

bool th_task_only_fans(const ThTask *t, const char *const *option, ThError *err)
{
    for (size_t i = 0; option[i]; i++)
        if (th_option_given(&t->options, option[i]))
            return th_fail(err, TH_EUSAGE, "%s= is for variant=fan", option[i]) ||
                   th_option_error(&t->options, option[i], err);
    return true;
}

ThDfa *th_task_cyclic_machine(int m, int n_symbols, const int *move, ThError *err)
{
    ThDfa *d = th_dfa_new(m, n_symbols, m, err);
    for (int q = 0; d && q < m; q++) {
        d->label[q] = q;
        for (int a = 0; a < n_symbols; a++)
            d->next[q * n_symbols + a] = ((q + move[a]) % m + m) % m;
    }
    return d;
}

void th_task_draw_uniform_word(int n_symbols, ThRng *r, int *word, int length)
{
    for (int i = 0; i < length; i++)
        word[i] = (int)th_rng_below(r, (uint64_t)n_symbols);
}

bool th_task_draw_uniform(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err TH_UNUSED)
{
    for (int i = 0; i < b->B; i++)
        th_task_draw_uniform_word(t->signature.n_symbols, r, th_batch_token(b, i), length);
    return true;
}

int th_task_half(ThRng *r, int n)
{
    return n / 2 + (n % 2 ? (int)th_rng_below(r, 2) : 0);
}

void th_task_draw_balanced(const ThTask *t, ThRng *r, ThBatch *b, ThTaskDrawWord *member,
                           bool members, bool others)
{
    int n = !others ? b->B : members ? th_task_half(r, b->B) : 0;
    for (int i = 0; i < b->B; i++) {
        int *word = th_batch_token(b, i);
        if (i < n) {
            member(t, r, word, b->T);
            continue;
        }
        do
            th_task_draw_uniform_word(t->signature.n_symbols, r, word, b->T);
        while (th_dfa_class(t->machine, word, (size_t)b->T) == 1);
    }
}

/* Moves the distribution over states on by one symbol. */
static void step_distribution(const ThTask *t, int position, ThTaskSymbolWeight *weight,
                              const void *context, const double *from, double *to)
{
    const ThDfa *d = t->machine;
    memset(to, 0, (size_t)d->n_states * sizeof *to);
    for (int q = 0; q < d->n_states; q++) {
        if (from[q] == 0)
            continue;
        for (int a = 0; a < d->n_symbols; a++)
            to[d->next[(size_t)q * (size_t)d->n_symbols + (size_t)a]] +=
                from[q] * weight(context, position, q, a);
    }
}

static double best_share(const ThTask *t, const double *count)
{
    const ThDfa *d = t->machine;
    int n = t->bits ? d->n_classes : t->signature.n_classes;
    double total = 0, best = 0;
    for (int c = 0; c < n; c++) {
        total += count[c];
        best = fmax(best, count[c]);
    }
    return total > 0 ? best / total : (double)NAN;
}

double th_task_chance_by_weight(const ThTask *t, int length, ThTaskSymbolWeight *weight,
                                const void *context)
{
    const ThDfa *d = t->machine;
    size_t n = (size_t)d->n_states;
    double *p TH_OWNED(free) = th_alloc(2 * n + (size_t)d->n_classes, sizeof *p, NULL);
    if (!p)
        return (double)NAN;
    double *count = p + 2 * n;
    p[d->start] = 1;
    for (int i = 0; i < length; i++) {
        double *to = p + (size_t)((i + 1) % 2) * n;
        step_distribution(t, i, weight, context, p + (size_t)(i % 2) * n, to);
        bool every = t->signature.target != TH_TARGET_FINAL && !t->last_only;
        bool answered = every || i == length - 1;
        for (size_t q = 0; answered && q < n; q++)
            count[d->label[q]] += to[q];
    }
    return best_share(t, count);
}

static double uniform_weight(const void *context, int position TH_UNUSED, int state TH_UNUSED,
                             int symbol TH_UNUSED)
{
    const ThTask *t = context;
    return 1.0 / t->signature.n_symbols;
}

double th_task_chance_uniform(const ThTask *t, int length)
{
    return th_task_chance_by_weight(t, length, uniform_weight, t);
}

void th_task_byte_name(unsigned char byte, char to[TH_TASK_BYTE_NAME])
{
    bool plain = (byte >= 0x20 && byte < 0x7f) || byte == '\n';
    snprintf(to, TH_TASK_BYTE_NAME, plain ? "%c" : "<%02X>", byte);
}

/* ---- of an automaton or a language ----------------------------------------------------------- */

enum { MAX_STATES = 1 << 16 };

ThDfa *th_task_own_acceptor(const ThAutomaton *a, ThError *err)
{
    ThDfa *d TH_OWNED(th_dfa_free) = th_automaton_acceptor(a, MAX_STATES, NULL, err);
    return d ? th_dfa_minimize(d, NULL, err) : NULL;
}

bool th_task_names_and(char ***list, int *n_list, char *const *from, int n, const char *last,
                       ThError *err)
{
    *n_list = 0;
    *list = th_alloc((size_t)n + 1, sizeof **list, err);
    if (!*list)
        return false;
    for (; *n_list < n + (last != NULL); ++*n_list)
        if (!((*list)[*n_list] = th_strdup(*n_list < n ? from[*n_list] : last, err)))
            return false;
    return true;
}

bool th_task_own_names(char ***list, int *n_list, char *const *from, int n, ThError *err)
{
    return th_task_names_and(list, n_list, from, n, NULL, err);
}
