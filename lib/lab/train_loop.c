#include "lab/train_loop.h"

static bool save(const ThTrainLoop *l, ThError *err)
{
    return !l->save || l->save(l->context, err);
}

/* A step, and what follows it. */
static bool step(const ThTrainLoop *l, ThTrainer *trainer, ThError *err)
{
    return !th_stopped(l->stop, err) && th_trainer_step(trainer, err) &&
           (!l->stepped || l->stepped(l->context, trainer, err));
}

/* An end before the last step; what is interrupted is saved. */
static bool ended(const ThTrainLoop *l, const ThTrainer *trainer, const ThError *why, ThError *err)
{
    if (why->code == TH_EINTERRUPTED)
        return save(l, err) &&
               th_fail(err, TH_EINTERRUPTED, "interrupted; the model is as after step %lld",
                       th_trainer_progress(trainer).step);
    return th_fail_as(err, why);
}

bool th_train_run(const ThTrainLoop *l, ThTrainer *trainer, ThError *err)
{
    while (!th_trainer_done(trainer)) {
        ThError why = {0};
        if (!step(l, trainer, &why))
            return ended(l, trainer, &why, err);
        bool due = (l->every > 0 && th_trainer_progress(trainer).step % l->every == 0) ||
                   th_trainer_done(trainer);
        if (due && !save(l, err))
            return false;
    }
    return true;
}
