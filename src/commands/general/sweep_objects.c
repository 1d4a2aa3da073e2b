/* sweep_objects.c - what an object is, in a line that is another as soon as it is. */
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include "commands/general/sweep.h"
#include "rasp.h"
#include "object_kinds.h"

enum { MOST_HEAD = 100, ROWS = 64 };

/* ---- tasks ----------------------------------------------------------------------------------- */

static void mix_batch(uint64_t *h, const ThTask *t, const ThBatch *b)
{
    size_t answers = th_batch_answers(&t->signature, b);
    sh_mix(h, b->token, sizeof *b->token * (size_t)b->B * (size_t)b->T);
    sh_mix(h, b->target, sizeof *b->target * (size_t)b->B * answers);
    if (b->length)
        sh_mix(h, b->length, sizeof *b->length * (size_t)b->B);
}

/* Every example of a data set. */
static void mix_rows(uint64_t *h, const ThTask *t)
{
    for (int part = TH_TASK_TRAIN; part <= TH_TASK_TEST; part++) {
        ThTaskRows which = {(ThTaskPart)part, 1, INT_MAX};
        long long n = th_task_count(t, &which);
        for (long long first = 0; first < n; first += ROWS) {
            ThBatch b TH_OWNED(th_batch_free) = {.B = (int)(n - first < ROWS ? n - first : ROWS)};
            if (th_task_take(t, &which, NULL, first, &b, NULL))
                mix_batch(h, t, &b);
        }
    }
}

/* Strings that it draws: what is not in its machine shows in them. */
static void mix_samples(uint64_t *h, const ThTask *t)
{
    static const int lengths[] = {1, 2, 3, 5, 8, 13, 21};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        ThRng r = th_rng(1, "sweep.inputs", i);
        ThBatch b TH_OWNED(th_batch_free) = {.B = 8};
        if (th_task_sample(t, &r, lengths[i], &b, NULL))
            mix_batch(h, t, &b);
    }
}

static void mix_task(uint64_t *h, const ThTask *t)
{
    const ThSignature *s = &t->signature;
    const ThDfa *d = t->machine;
    sh_mix(h, &(int[]){(int)s->target, s->n_symbols, s->n_classes, t->last_only}, 4 * sizeof(int));
    for (int i = 0; i < s->n_symbols; i++)
        sh_mix_text(h, s->symbol[i]);
    for (int i = 0; i < s->n_classes; i++)
        sh_mix_text(h, s->label[i]);
    if (d) {
        size_t n = (size_t)d->n_states;
        sh_mix(h, &d->start, sizeof d->start);
        sh_mix(h, d->next, sizeof *d->next * n * (size_t)d->n_symbols);
        sh_mix(h, d->label, sizeof *d->label * n);
        if (t->bits)
            sh_mix(h, t->bits, sizeof *t->bits * n * (size_t)s->n_classes);
    }
    if (th_task_finite(t))
        mix_rows(h, t);
    else
        mix_samples(h, t);
}

/* ---- models ---------------------------------------------------------------------------------- */

/* By the file that save would write, with all that a training goes on from; what is silenced stands
 * in none. */
static bool mix_model(uint64_t *h, const ThModel *m, const char *dir, ThError *err)
{
    ThText path = {0};
    th_text_printf(&path, "%s/.model-%ld.safetensors", dir, (long)getpid());
    char *file TH_OWNED(free) = th_text_take(&path, err), *hash TH_OWNED(free) = NULL;
    if (file && th_format_named("safetensors")->save_model(m, file, err))
        hash = sh_file_hash(file, err);
    if (file)
        unlink(file);
    sh_mix_text(h, hash);
    for (size_t i = 0; i < m->n_ablations; i++) {
        const ThModelAblation *a = &m->ablation[i];
        sh_mix(h, &(int[]){(int)a->part, a->layer, a->number}, 3 * sizeof(int));
        if (a->mean)
            sh_mix(h, a->mean, sizeof *a->mean * (size_t)a->cols);
    }
    return hash != NULL;
}

/* ---- any ------------------------------------------------------------------------------------- */

static const char *definition(const ShObject *o)
{
    return o->made_by            ? o->made_by
           : o->kind == SH_TASK  ? o->as.task->kind->name
           : o->kind == SH_MODEL ? o->as.model->kind->name
                                 : "";
}

/* Its hash; false on errors. */
static bool hash_object(ShSession *s, ShObject *o, const char *dir, uint64_t *h, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    bool ok = true;
    if (o->kind == SH_AUTOMATON)
        th_automaton_write(&t, o->as.automaton, o->name);
    else if (o->kind == SH_MACHINE)
        th_tm_write(&t, o->as.machine, o->name);
    else if (o->kind == SH_LANGUAGE)
        th_language_identify(&t, o->as.language);
    else if (sh_is_rasp(o->kind))
        ok = sh_rasp_write_objects(s, &t, &o, 1, err);
    else
        th_text_add(&t, definition(o));
    ok = ok && (!t.failed || th_fail(err, TH_ENOMEM, "out of memory"));
    if (ok)
        sh_mix(h, t.data, t.size);
    if (ok && o->kind == SH_TASK)
        mix_task(h, o->as.task);
    if (ok && o->kind == SH_MODEL && o->as.model->bound)
        ok = mix_model(h, o->as.model, dir, err);
    return ok;
}

char *sh_object_identity(ShSession *s, ShObject *o, const char *dir, ThError *err)
{
    uint64_t h = 0;
    ThText t = {0};
    if (!hash_object(s, o, dir, &h, err))
        return NULL;
    bool defined = o->kind == SH_TASK || (o->kind == SH_MODEL && !o->as.model->bound);
    char *size TH_OWNED(free) = defined ? NULL : sh_object_size_text(s, o);
    const char *what = defined ? definition(o) : size ? size : "";
    size_t n = strlen(what);
    if (n > MOST_HEAD)
        for (n = MOST_HEAD; n > 0 && ((unsigned char)what[n] & 0xc0) == 0x80;)
            n--;
    th_text_printf(&t, "%s ", sh_kind_name(o->kind));
    th_text_add_bytes(&t, what, n);
    th_text_printf(&t, "%s#%016" PRIx64, n ? " " : "", h);
    return th_text_take(&t, err);
}
