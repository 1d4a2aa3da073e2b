/* train_ranks.c - several processes train one model. */
#include <string.h>

#include "base/hash.h"
#include "lab/train_impl.h"

/* Steps and parameters as whole numbers of which a double holds any sum. */
static bool all_alike(const ThTrainer *tr)
{
    const ThModel *m = tr->model;
    uint64_t hash = th_hash_bytes(m->params.value, m->params.total * sizeof *m->params.value);
    double own[] = {(double)m->training.step, (double)(hash >> 40), tr->n_shards};
    double sum[3];
    memcpy(sum, own, sizeof sum);
    tr->ranks.sum_doubles(tr->ranks.context, sum, 3);
    bool alike = true;
    for (int i = 0; i < 3; i++)
        alike &= sum[i] == own[i] * tr->ranks.size;
    return alike;
}

bool th_trainer_share(ThTrainer *tr, const ThTrainRanks *ranks, ThError *err)
{
    if (tr->batch_size / ranks->size < tr->n_shards)
        return th_fail(err, TH_EUSAGE, "%d processes cannot share a batch of %d strings",
                       ranks->size, tr->batch_size);
    tr->ranks = *ranks;
    tr->first_part = ranks->rank * tr->n_shards;
    tr->parts = ranks->size * tr->n_shards;
    if (!all_alike(tr)) {
        th_fail(err, TH_EVALUE, "the processes begin with different models");
        return th_hint(err, "all must see the same files, and have as many threads");
    }
    if (tr->pull)
        th_train_pull_share(tr->pull, ranks);
    if (tr->contract)
        th_train_contract_share(tr->contract, ranks);
    return true;
}
