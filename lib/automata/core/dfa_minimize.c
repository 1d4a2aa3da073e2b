/* Hopcroft's partition refinement (1971).  Blocks are segments of one permutation of the states; a
 * splitter is a whole block for all symbols at once, copied before it is used because it may be
 * split by itself. */
#include "automata/core/dfa.h"

typedef struct {
    int n, k;
    int *first, *from; /* predecessors of q by a: from[first[a*(n+1)+q]] … */
    int *element;      /* (n): states, block by block */
    int *place;        /* (n): where a state is in element */
    int *block;        /* (n): block of a state */
    int *begin, *end;  /* (n): segment of a block */
    int *marked;       /* (n): how many states at the front of a segment are marked */
    int *splitter;     /* (n): copy of the block that splits */
    int *touched;      /* (n): blocks with marked states */
    int *waiting;      /* (n): stack of blocks still to split by */
    int n_blocks, n_waiting;
} Partition;

static void partition_free(Partition *p)
{
    TH_FREE(p->first, p->from, p->element, p->place, p->block, p->begin, p->end, p->marked,
            p->splitter, p->touched, p->waiting);
}

static bool partition_alloc(Partition *p, const ThDfa *d, ThError *err)
{
    p->n = d->n_states;
    p->k = d->n_symbols;
    size_t n = (size_t)p->n, k = (size_t)p->k;
    if ((n + 1) * k > INT32_MAX)
        return th_fail(err, TH_ELIMIT, "too many transitions to minimize: %zu", n * k);
    int **const array[] = {&p->element, &p->place,    &p->block,   &p->begin,  &p->end,
                           &p->marked,  &p->splitter, &p->touched, &p->waiting};
    for (size_t i = 0; i < sizeof array / sizeof *array; i++) {
        *array[i] = th_alloc(n, sizeof(int), err);
        if (!*array[i])
            return false;
    }
    p->first = th_alloc((n + 1) * k, sizeof *p->first, err);
    p->from = th_alloc(n * k, sizeof *p->from, err);
    return p->first && p->from;
}

/* Predecessor lists by a counting sort for every symbol. */
static void invert(Partition *p, const ThDfa *d)
{
    size_t n = (size_t)p->n, k = (size_t)p->k;
    for (size_t q = 0; q < n; q++)
        for (size_t a = 0; a < k; a++)
            p->first[a * (n + 1) + (size_t)d->next[q * k + a]]++;
    int sum = 0;
    for (size_t i = 0; i < (n + 1) * k; i++) {
        sum += p->first[i];
        p->first[i] = sum;
    }
    for (size_t q = n; q-- > 0;)
        for (size_t a = 0; a < k; a++)
            p->from[--p->first[a * (n + 1) + (size_t)d->next[q * k + a]]] = (int)q;
}

/* One block a class; all but the largest will split. */
static bool start_by_class(Partition *p, const ThDfa *d, ThError *err)
{
    int *count TH_OWNED(free) = th_alloc((size_t)d->n_classes + 1, sizeof *count, err);
    if (!count)
        return false;
    for (int q = 0; q < p->n; q++)
        count[d->label[q] + 1]++;
    int largest = 0;
    for (int c = 0; c < d->n_classes; c++) {
        if (count[c + 1]) {
            int b = p->n_blocks++;
            p->begin[b] = count[c];
            p->end[b] = count[c] + count[c + 1];
            if (p->end[b] - p->begin[b] > p->end[largest] - p->begin[largest])
                largest = b;
        }
        count[c + 1] += count[c];
    }
    for (int q = 0; q < p->n; q++) {
        p->place[q] = count[d->label[q]]++;
        p->element[p->place[q]] = q;
    }
    for (int b = 0; b < p->n_blocks; b++) {
        for (int i = p->begin[b]; i < p->end[b]; i++)
            p->block[p->element[i]] = b;
        if (b != largest)
            p->waiting[p->n_waiting++] = b;
    }
    return true;
}

/* Moves the predecessors of the splitter by one symbol to the fronts of their blocks. */
static int mark(Partition *p, int size, int a)
{
    int n_touched = 0;
    const int *first = p->first + (size_t)a * ((size_t)p->n + 1);
    for (int s = 0; s < size; s++) {
        int to = p->splitter[s];
        for (int i = first[to]; i < first[to + 1]; i++) {
            int q = p->from[i], b = p->block[q], at = p->place[q];
            if (p->marked[b] == 0)
                p->touched[n_touched++] = b;
            int front = p->begin[b] + p->marked[b]++;
            int other = p->element[front];
            p->element[front] = q;
            p->place[q] = front;
            p->element[at] = other;
            p->place[other] = at;
        }
    }
    return n_touched;
}

/* Cuts a block into its marked and unmarked part; the smaller becomes a new block. */
static void split(Partition *p, int b)
{
    int middle = p->begin[b] + p->marked[b];
    p->marked[b] = 0;
    if (middle == p->end[b])
        return;
    int fresh = p->n_blocks++;
    if (middle - p->begin[b] <= p->end[b] - middle) {
        p->begin[fresh] = p->begin[b];
        p->end[fresh] = middle;
        p->begin[b] = middle;
    } else {
        p->begin[fresh] = middle;
        p->end[fresh] = p->end[b];
        p->end[b] = middle;
    }
    for (int i = p->begin[fresh]; i < p->end[fresh]; i++)
        p->block[p->element[i]] = fresh;
    p->waiting[p->n_waiting++] = fresh; /* enough whether or not b waits: it is the smaller half */
}

static bool refine(Partition *p, ThStop *stop, ThError *err)
{
    for (size_t work = 0; p->n_waiting > 0;) {
        int b = p->waiting[--p->n_waiting];
        int size = p->end[b] - p->begin[b];
        memcpy(p->splitter, p->element + p->begin[b], sizeof(int) * (size_t)size);
        for (int a = 0; a < p->k; a++) {
            int n_touched = mark(p, size, a);
            for (int i = 0; i < n_touched; i++)
                split(p, p->touched[i]);
        }
        work += (size_t)size + 1;
        if (work > 4096) {
            work = 0;
            if (th_stopped_at(stop, (size_t)p->n_blocks, "blocks", err))
                return false;
        }
    }
    return true;
}

/* The quotient; any state of a block stands for it. */
static ThDfa *quotient(const Partition *p, const ThDfa *d, ThError *err)
{
    ThDfa *m = th_dfa_new(p->n_blocks, p->k, d->n_classes, err);
    if (!m)
        return NULL;
    m->start = p->block[d->start];
    for (int b = 0; b < p->n_blocks; b++) {
        int q = p->element[p->begin[b]];
        m->label[b] = d->label[q];
        for (int a = 0; a < p->k; a++)
            m->next[(size_t)b * (size_t)p->k + (size_t)a] =
                p->block[d->next[(size_t)q * (size_t)p->k + (size_t)a]];
    }
    return m;
}

ThDfa *th_dfa_minimize(const ThDfa *d, ThStop *stop, ThError *err)
{
    Partition p = {0};
    ThDfa *small TH_OWNED(th_dfa_free) = NULL;
    ThDfa *result = NULL;
    ThDfa *reachable TH_OWNED(th_dfa_free) = th_dfa_reachable(d, err);
    if (reachable && partition_alloc(&p, reachable, err)) {
        invert(&p, reachable);
        if (start_by_class(&p, reachable, err) && refine(&p, stop, err))
            small = quotient(&p, reachable, err);
    }
    if (small)
        result = th_dfa_reachable(small, err);
    partition_free(&p);
    return result;
}
