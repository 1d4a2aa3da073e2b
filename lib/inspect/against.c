#include "inspect/against.h"

#include "inspect/extract.h"
#include "inspect/verify.h"

enum {
    WRONG = TH_INSPECT_AGAINST_WRONG,
    NEAR = TH_INSPECT_AGAINST_NEAR,
    MOST_QUERIES = 10000, /* of an extraction */
};

/* The words of a comparison that are to join: in columns for the longest of them. */
typedef struct {
    const ThInspectAgainst *how;
    ThRng rng; /* draws neighbours */
    ThBatch words;
    int wrong;  /* wrong words that were met, up to WRONG */
    int *other; /* (T): a neighbour */
} Compare;

/* ---- what is due ----------------------------------------------------------------------------- */

bool th_inspect_against_fits(const ThInspectTruth *t, ThError *err)
{
    const ThSignature *g = t->signature;
    return t->wanted < 0 || (g->target != TH_TARGET_BITS && g->n_classes == 2) ||
           th_fail(err, TH_EVALUE,
                   "accept= is for models of two classes here: what is due where the automaton "
                   "rejects is else not known");
}

static int class_of(const ThInspectTruth *t, int answer)
{
    return t->wanted < 0 || answer < 0 ? answer : answer == 1 ? t->wanted : 1 - t->wanted;
}

/* The targets of a word: the answers of the states that it runs through. */
static void fill_target(const ThInspectTruth *t, const int *word, int length, int *target)
{
    const ThDfa *d = t->machine;
    int q = d->start;
    for (int i = 0; i < length; i++) {
        q = d->next[q * d->n_symbols + word[i]];
        bool asked = i == length - 1 || !t->last_only;
        for (int k = 0; k < t->width; k++)
            target[k] = asked ? class_of(t, t->answer[q * t->width + k]) : -1;
        target += t->signature->target == TH_TARGET_FINAL ? 0 : t->width;
    }
}

/* ---- words that join ------------------------------------------------------------------------- */

/* A word about which something is asked joins once. */
static void add(Compare *c, const int *word, int length)
{
    const ThInspectTruth *t = c->how->truth;
    ThBatch *b = &c->words;
    if (length == 0 || th_dfa_class(t->machine, word, (size_t)length) == 0 ||
        th_batch_holds(b, word, length) ||
        th_batch_holds(&c->how->model->training.joined, word, length))
        return;
    b->length[b->B] = length;
    memcpy(th_batch_token(b, b->B), word, (size_t)length * sizeof *word);
    fill_target(t, word, length, th_batch_target(t->signature, b, b->B));
    b->B++;
}

/* A word with one symbol less, one changed, or one more. */
static int neighbour(Compare *c, const int *word, int length)
{
    enum { LESS, CHANGED, MORE };
    int what = (int)th_rng_below(&c->rng, MORE + 1);
    int at = (int)th_rng_below(&c->rng, (uint64_t)length + (what == MORE));
    int skipped = what != MORE, put = what != LESS;
    memcpy(c->other, word, (size_t)at * sizeof *word);
    memcpy(c->other + at + put, word + at + skipped,
           (size_t)(length - at - skipped) * sizeof *word);
    if (put)
        c->other[at] = (int)th_rng_below(&c->rng, (uint64_t)c->how->truth->signature->n_symbols);
    return length - skipped + put;
}

static bool met(void *context, const int *word, int length, ThError *err TH_UNUSED)
{
    Compare *c = context;
    if (c->wrong == WRONG)
        return true;
    c->wrong++;
    add(c, word, length);
    for (int i = 0; i < NEAR; i++)
        add(c, c->other, neighbour(c, word, length));
    return true;
}

/* The words behind those that have joined before, of which the first ones leave. */
static bool join(Compare *c, ThError *err)
{
    const ThSignature *g = c->how->truth->signature;
    ThBatch *joined = &c->how->model->training.joined, both = {0};
    int leave = joined->B + c->words.B - TH_INSPECT_AGAINST_JOINED;
    leave = leave > 0 ? leave : 0;
    ThBatch stay = th_batch_slice(joined, g, leave, joined->B - leave);
    th_batch_trim(&c->words, g);
    if (!th_batch_join(&both, g, &stay, &c->words, err)) {
        th_batch_free(&both);
        return false;
    }
    th_batch_free(joined);
    *joined = both;
    return true;
}

/* ---- a comparison ---------------------------------------------------------------------------- */

/* How many states the automaton has that the model is; 0: too many, or too many questions. */
static bool count_states(const ThInspectAgainst *a, int *states, ThError *err)
{
    ThInspectTeacher teacher TH_OWNED(th_inspect_teacher_free) = {0};
    ThInspectExtracted found;
    ThError own = {0};
    const ThInspectTruth *t = a->truth;
    ThInspectTeaching how = {.truth = t,
                             .accept = t->wanted >= 0 ? t->signature->label[t->wanted] : NULL,
                             .length = {0, a->length.hi, 1},
                             .error = 0.01,
                             .confidence = 0.95,
                             .seed = a->model->training.seed,
                             .stop = a->stop};
    ThInspectExtraction asking = {.states = TH_INSPECT_AGAINST_STATES,
                                  .queries = MOST_QUERIES,
                                  .samples = 1,
                                  .stop = a->stop};
    bool taught = th_inspect_teach_model(&teacher, a->model, &how, &own);
    ThDfa *d TH_OWNED(th_dfa_free) =
        taught ? th_inspect_learn(&teacher, &asking, &found, &own) : NULL;
    *states = d ? d->n_states : 0;
    if (own.code == TH_OK || own.code == TH_ELIMIT)
        return true;
    *err = own;
    return false;
}

/* Was there a comparison after the present step? */
static bool compared(const ThModelTraining *t)
{
    return t->n_comparisons > 0 && t->comparison[t->n_comparisons - 1].step == t->step;
}

static bool record(const Compare *c, const ThInspectVerified *v, int states, ThError *err)
{
    ThModelTraining *t = &c->how->model->training;
    if (!th_grow(&t->comparison, &t->cap_comparisons, t->n_comparisons + 1, sizeof *t->comparison,
                 err))
        return false;
    t->n_comparisons += !compared(t); /* else by another training: it gives way */
    t->comparison[t->n_comparisons - 1] =
        (ThModelComparison){t->step, v->words + v->drawn, v->wrong + v->drawn_wrong, states};
    return true;
}

static bool make_room(Compare *c, ThError *err)
{
    c->words.B = WRONG * (NEAR + 1);
    c->words.T = (int)c->how->length.hi + 1;
    bool ok = th_batch_reserve(&c->words, c->how->truth->signature, true, err) &&
              (c->other = th_alloc((size_t)c->words.T, sizeof *c->other, err));
    c->words.B = 0;
    return ok;
}

static bool compare(const ThInspectAgainst *a, ThError *err)
{
    const ThModelTraining *t = &a->model->training;
    ThRng seed = th_rng(t->seed, "train.against", (uint64_t)t->step);
    Compare c = {.how = a, .rng = th_rng(t->seed, "train.near", (uint64_t)t->step)};
    ThInspectVerified v TH_OWNED(th_inspect_verified_free) = {0};
    ThInspectVerification how = {.length = a->length,
                                 .words = TH_INSPECT_AGAINST_WORDS,
                                 .samples = TH_INSPECT_AGAINST_SAMPLES,
                                 .seed = th_rng_next(&seed),
                                 .stop = a->stop,
                                 .context = &c,
                                 .wrong = met};
    int states;
    bool ok = make_room(&c, err) && th_inspect_verify(a->model, a->truth, &how, &v, err) &&
              count_states(a, &states, err) && record(&c, &v, states, err) && join(&c, err);
    th_batch_free(&c.words);
    free(c.other);
    return ok;
}

bool th_inspect_against_begin(const ThInspectAgainst *a, bool resumed, ThError *err)
{
    ThModelTraining *t = &a->model->training;
    if (!resumed) {
        th_batch_free(&t->joined);
        return compare(a, err);
    }
    bool due = t->step == t->began || t->step % a->every == 0; /* and then interrupted */
    return !due || compared(t) || compare(a, err);
}

bool th_inspect_against_stepped(const ThInspectAgainst *a, bool last, ThError *err)
{
    const ThModelTraining *t = &a->model->training;
    return (t->step % a->every != 0 && !last) || compared(t) || compare(a, err);
}
