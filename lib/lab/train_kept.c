/* train_kept.c - what losses beside that of the answers know from step to step, as numbers in the
 * model, so that a training goes on with the same bits. */

#include "lab/train_impl.h"

/* How many numbers centre_loss= and auxiliary_loss= keep; those of contraction_loss= and
 * table_loss= follow. */
static size_t pull_size(const ThTrainer *tr)
{
    return tr->pull      ? th_train_pull_size(tr->pull)
           : tr->meaning ? th_train_meaning_size(tr->meaning)
                         : 0;
}

static size_t contract_size(const ThTrainer *tr)
{
    return tr->contract ? th_train_contract_size(tr->contract) : 0;
}

static size_t table_size(const ThTrainer *tr)
{
    return tr->table ? th_train_table_size(tr->table) : 0;
}

bool th_train_reserve_kept(ThTrainer *tr, ThError *err)
{
    ThModelTraining *t = &tr->model->training;
    size_t n = pull_size(tr) + contract_size(tr) + table_size(tr);
    t->n_centres = 0; /* those that there are can be of other parameters */
    if (n == t->n_pull)
        return true;
    double *room = n > 0 ? th_alloc(n, sizeof *room, err) : NULL;
    if (n > 0 && !room)
        return false;
    free(t->pull);
    t->pull = room;
    t->n_pull = n;
    return true;
}

void th_train_move_kept(ThTrainer *tr)
{
    ThModelTraining *t = &tr->model->training;
    if (tr->pull) {
        th_train_pull_step(tr->pull, tr->step_loss, tr->update.rate);
        th_train_pull_write(tr->pull, t->pull);
    }
    if (tr->meaning) {
        th_train_meaning_step(tr->meaning, tr->update.rate);
        th_train_meaning_write(tr->meaning, t->pull);
    }
    if (tr->contract) {
        th_train_contract_step(tr->contract);
        th_train_contract_write(tr->contract, t->pull + pull_size(tr));
    }
    if (tr->table) {
        th_train_table_step(tr->table, tr->update.rate);
        th_train_table_write(tr->table, t->pull + pull_size(tr) + contract_size(tr));
        t->n_centres = th_train_table_centres(tr->table);
    }
}

void th_train_recall_kept(ThTrainer *tr)
{
    const ThModelTraining *t = &tr->model->training;
    size_t n = pull_size(tr), m = contract_size(tr);
    if (t->n_pull != n + m + table_size(tr))
        return;
    bool known = tr->pull      ? th_train_pull_read(tr->pull, t->pull, n)
                 : tr->meaning ? th_train_meaning_read(tr->meaning, t->pull, n)
                               : true;
    if (known && tr->contract)
        known = th_train_contract_read(tr->contract, t->pull + n, m);
    if (known && tr->table)
        th_train_table_read(tr->table, t->pull + n + m, table_size(tr));
}
