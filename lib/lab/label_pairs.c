#include "lab/label_pairs.h"

#include "lab/train.h"

ThProofLabels *th_train_labels(const ThTask *t, int n_classes, ThError *err)
{
    const ThDfa *machine = th_task_machine(t, err);
    ThDfa *words TH_OWNED(th_dfa_free) = NULL;
    ThDfa *minimal TH_OWNED(th_dfa_free) = machine ? th_dfa_minimize(machine, NULL, err) : NULL;
    if (!minimal || !th_task_words(t, &words, err))
        return NULL;
    return th_proof_labels_new(minimal, words, n_classes, TH_TRAIN_MOST_FUNCTIONS, NULL, err);
}

ThTrainPair *th_train_pairs(const ThProofLabels *l, int *n, ThError *err)
{
    ThTrainPair *pair = th_alloc((size_t)l->n * (size_t)(l->n + 1), sizeof *pair, err);
    *n = 0;
    for (int x = -1; pair && x < l->n; x++)
        for (int y = 0; y < l->n; y++) {
            int into = th_proof_labels_product(l, x, y);
            if (into >= 0)
                pair[(*n)++] = (ThTrainPair){x, y, into};
        }
    return pair;
}

ThTrainPair *th_train_steps(const ThDfa *machine, int copies, int *n, ThError *err)
{
    int k = machine->n_symbols, all = machine->n_states * k;
    bool *met TH_OWNED(free) = th_alloc((size_t)all, sizeof *met, err);
    ThTrainPair *pair =
        met ? th_alloc((size_t)(all + 1) * (size_t)(k * copies), sizeof *pair, err) : NULL;
    *n = 0;
    for (int i = 0; pair && i < all; i++)
        met[machine->next[i] * k + i % k] = true;
    for (int copy = 0; pair && copy < copies; copy++)
        for (int x = -1; x < all; x++)
            for (int y = 0; (x < 0 || met[x]) && y < k; y++) {
                int from = x < 0 ? machine->start : x / k;
                pair[(*n)++] = (ThTrainPair){x, y, machine->next[from * k + y] * k + y};
            }
    return pair;
}

void th_train_before(const ThModel *m, float *to, int dim)
{
    int start = th_params_find(&m->params, "layer0.start");
    if (start < 0)
        memset(to, 0, (size_t)dim * sizeof *to);
    else
        memcpy(to, th_params_at(&m->params, start), (size_t)dim * sizeof *to);
}

int th_train_lowest(const ThProofLabels *l, const ThModelRouting *r, int i)
{
    const ThModelRoutingStage *s = &r->stage[0];
    int y = s->key[2 * i], x = s->key[2 * i + 1];
    if (y == s->n_before)
        return -1;
    y = r->input[y];
    return x < 0 || x == s->n_before ? l->single[y] : l->pair[r->input[x] * l->n_symbols + y];
}

bool th_train_sample_centres(const ThProofMap *f, const ThProofLabels *l, double *centre,
                             ThError *err)
{
    const ThProofSampleShape shape = {.levels = 6, .per_level = 1200, .seed = 1};
    ThProofSample s TH_OWNED(th_proof_sample_free) = {0};
    double reach = 0;
    return th_proof_sample(f, l, &shape, NULL, &s, err) &&
           th_proof_centres(f, l, &s, centre, &reach, err);
}

static void swap(int *a, int *b)
{
    int was = *a;
    *a = *b;
    *b = was;
}

/* Moves the k farthest of n ≥ k to the front: Hoare's selection. */
static void farthest_first(const double *far, int *pick, int n, int k)
{
    for (int from = 0, to = n - 1; from < to;) {
        double middle = far[pick[from + (to - from) / 2]];
        int i = from, j = to;
        while (i <= j) {
            while (far[pick[i]] > middle)
                i++;
            while (far[pick[j]] < middle)
                j--;
            if (i <= j)
                swap(&pick[i++], &pick[j--]);
        }
        if (k <= j)
            to = j;
        else if (k >= i)
            from = i;
        else
            return;
    }
}

void th_train_choose_far(const double *far, int *pick, int n, int hard, int most, ThRng *r)
{
    farthest_first(far, pick, n, hard);
    for (int k = hard; k < most; k++)
        swap(&pick[k], &pick[k + (int)th_rng_below(r, (uint64_t)(n - k))]);
}
