#include "subject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/given.h"
#include "automata/algebra/monoid.h"
#include "base/text.h"
#include "compile/compile.h"
#include "compile/compile_formula.h"
#include "lab/train.h"
#include "own.h"
#include "proof/check/quantize.h"

static const char S3[] = "x a -> y ; y a -> z ; z a -> x\n"
                         "x b -> y ; y b -> x ; z b -> z\n"
                         "x c -> x ; y c -> z ; z c -> y\n"
                         "start y\noutput x X\noutput y Y\noutput z Z";
static const char CYCLE[] = "x a -> y ; y a -> z ; z a -> x ; x b -> x ; y b -> y ; z b -> z\n"
                            "start x\noutput x X\noutput y Y\noutput z Z";
static const char FIRST[] = "start n\nn a -> x ; n b -> y ; n c -> z\n"
                            "x a,b,c -> x ; y a,b,c -> y ; z a,b,c -> z\n"
                            "output n X\noutput x X\noutput y Y\noutput z Z";
static const char ENDS[] = "start e ; accept y ; e a -> x ; e b -> e ; x a -> x ; x b -> y ; "
                           "y a -> x ; y b -> e";
static const char LAST[] = "x a -> y ; y a -> y ; z a -> y\n"
                           "x b -> z ; y b -> z ; z b -> z\n"
                           "x c -> x ; y c -> x ; z c -> x\n"
                           "start y\noutput x X\noutput y Y\noutput z Z";
static const char EITHER[] = "start x ; accept y ; x a -> x ; x b -> y ; y a -> x ; y b -> y";
static const char PAIRS[] = "start p ; accept p r ; p a -> q ; q b -> p ; p c -> r ; "
                            "r a -> s ; s b -> r ; p b -> n ; q a,c -> n ; r b,c -> n ; "
                            "s a,c -> n ; n a,b,c -> n";
static const char TWO[] = "start n ; accept y ; n a -> x ; n b -> n ; x a -> y ; x b -> x ; "
                          "y a,b -> y";
static const char TREE[] = "length=1..40 steps=600 batch=32 lr=3e-3 schedule=cosine noise=0.5 "
                           "ramp=0.4 centre_loss=0.3 auxiliary_loss=0.5 loss_threshold=0.2";
static const char CELL[] = "length=1..20 steps=1500 lr=1e-2 schedule=cosine batch=32 "
                           "optimizer=adamw decay=0.3 seed=1";

static const char LINEAR[] = "length=1..20 steps=600 lr=5e-3 schedule=cosine batch=32 seed=1";

static const char WINDOWS[] = "length=1..12 steps=600 batch=32 lr=1e-2 schedule=cosine seed=1";

/* The same, without positions. */
static const char SHARES[] = "length=1..12 steps=600 batch=32 lr=1e-2 schedule=cosine seed=2";

/* And with heads that see whole strings, and tell positions apart. */
static const char XL[] = "length=1..12 steps=600 batch=32 lr=1e-2 schedule=cosine seed=3";
static const char ROPE[] = "length=1..12 steps=600 batch=32 lr=1e-2 schedule=cosine seed=4";

static const struct {
    const char *name, *task, *settings, *automaton, *model, *made; /* model NULL: compiled */
    SubjectKind kind;
    bool even; /* only strings of even length are meant */
} made_of[SUBJECTS] = {
    {"trained-parity", "parity", "", NULL, "regulargpt", TREE, SETS, false},
    {"s3", "output", "labels=final", S3, NULL, NULL, SETS, false},
    {"s3-even-length", "output", "labels=final", S3, NULL, NULL, SETS, true},
    {"s3-every-even-length", "output", "labels=every", S3, NULL, NULL, SETS, true},
    {"first-symbol", "output", "labels=final", FIRST, NULL, NULL, SETS, false},
    {"sum", "sum", "modulus=3", NULL, NULL, NULL, SETS, false},
    {"rnn-ends", "recognize", "", ENDS, "rnn", CELL, SETS, false},
    {"gru-ends", "recognize", "", ENDS, "gru", CELL, SETS, false},
    {"gru-last-every", "output", "labels=every", LAST, "gru", CELL, SETS, false},
    {"lrnn-ends", "recognize", "", ENDS, "lrnn", LINEAR, SETS, false},
    {"compiled-lrnn-last", "output", "labels=final", LAST, NULL, NULL, OPEN, false},
    {"snapped-s3", "output", "labels=final", S3, NULL, NULL, SNAPPED, false},
    {"built-s3", "output", "labels=final", S3, NULL, NULL, BUILT, false},
    {"transformer-ends", "recognize", "", ENDS, "transformer", WINDOWS, WINDOWED, false},
    {"gpt-last-every", "output", "labels=every", LAST, "gpt", WINDOWS, WINDOWED, false},
    {"shares-last", "recognize", "", EITHER, "transformer", SHARES, COUNTED, false},
    {"shares-last-even-length", "recognize", "", EITHER, "transformer", SHARES, COUNTED, true},
    {"whole-transformer", "recognize", "", EITHER, "transformer", XL, WHOLE, false},
    {"whole-gpt", "output", "labels=every", LAST, "gpt", ROPE, WHOLE, false},
    {"hard-latest", "recognize", "", PAIRS, NULL, "", HARD, false},
    {"hard-mean", "recognize", "", TWO, NULL, "counting", HARD, false},
    {"steps-lrnn-s3", "output", "labels=final", S3, NULL, "lrnn", STEPPED, false},
    {"steps-pd-ssm-last", "output", "labels=final", LAST, NULL, "pd_ssm", STEPPED, false},
    {"steps-phases-cycle", "output", "labels=final", CYCLE, NULL, "phases", STEPPED, false},
    {"steps-deltaproduct-s3", "output", "labels=final", S3, NULL, "deltaproduct", STEPPED, false},
    {"soft-pairs", "recognize", "", PAIRS, NULL, "", SOFT, false},
    {"program-balance", "recognize", "", EITHER, NULL, "", PROGRAM, false},
    {"program-nested", "recognize", "", EITHER, NULL, "nested", PROGRAM, false},
    {"bouncers", NULL, NULL, NULL, NULL, NULL, MACHINE, false},
};

static void give_up(const char *name, const char *why)
{
    printf("Bail out! %s: %s\n", name, why);
    exit(1);
}

static ThModel *trained(const ThTask *t, const char *kind, const char *training)
{
    ThError err = {0};
    const char *options = strcmp(kind, "regulargpt") == 0 ? "dim=16 heads=2"
                          : training == SHARES            ? "dim=8 heads=2 layers=1 position=none"
                          : training == XL                ? "dim=8 heads=2 layers=1 position=xl"
                          : training == ROPE ? "dim=8 heads=2 layers=1 position=rope head_bias=yes"
                          : strcmp(kind, "transformer") == 0 ? "dim=8 heads=2 layers=1 causal=yes "
                                                               "position=hard_alibi window_heads=2"
                          : strcmp(kind, "gpt") == 0
                              ? "dim=8 heads=2 layers=2 position=hard_alibi window_heads=2 "
                                "head_bias=yes activation=relu"
                              : "dim=8";
    ThModel *m = made_model(kind, options);
    ThOptions o = {0};
    set_all(&o, th_train_options, training);
    ThTrainer *tr = th_trainer_new(m, t, &o, 1, &err);
    while (tr && !th_trainer_done(tr) && th_trainer_step(tr, &err))
        continue;
    if (err.code != TH_OK)
        give_up(kind, err.msg);
    th_trainer_free(tr);
    th_options_free(&o);
    return m;
}

/* With numbers off by a little, so that no vector is where it should be. */
static ThModel *compiled(const ThTask *t, double by)
{
    static const char *const shaken[] = {"layer0.attention.key_value", "layer0.attention.output",
                                         "layer0.feed_forward.up", "layer0.feed_forward.down"};
    ThError err = {0};
    ThMonoid *monoid = th_monoid_new(t->machine, 0, NULL, &err);
    ThModel *m = th_compile_regulargpt(t, monoid, &(ThCompileShape){.chunk = 2}, NULL, &err);
    th_monoid_free(monoid);
    if (!m)
        give_up("compile", err.msg);
    ThRng r = th_rng(1, "shake", 0);
    for (int i = 0; i < 4; i++) {
        const ThParam *p = &m->params.item[th_params_find(&m->params, shaken[i])];
        for (int k = 0; k < p->rows * p->cols; k++)
            m->params.value[p->offset + (size_t)k] += (float)(by * th_rng_normal(&r));
    }
    return m;
}

static ThModel *compiled_lrnn(const ThTask *t)
{
    ThError err = {0};
    ThModel *m = th_compile_lrnn(t, NULL, NULL, &err);
    if (!m)
        give_up("compile", err.msg);
    return m;
}

static ThModel *maps_or_phases(const ThTask *t, bool phases, ThError *err)
{
    ThMonoid *monoid = phases ? th_monoid_new(t->machine, 0, NULL, err) : NULL;
    ThModel *m = th_compile_pd_ssm(t, monoid, phases, NULL, err);
    th_monoid_free(monoid);
    return m;
}

static ThModel *compiled_recurrence(const ThTask *t, const char *kind)
{
    ThError err = {0};
    ThModel *m = strcmp(kind, "lrnn") == 0 ? th_compile_lrnn(t, NULL, NULL, &err)
                 : strcmp(kind, "deltaproduct") == 0
                     ? th_compile_deltaproduct(t, NULL, &err)
                     : maps_or_phases(t, strcmp(kind, "phases") == 0, &err);
    if (!m)
        give_up("compile", err.msg);
    return m;
}

static ThModel *compiled_hard(const ThTask *t, const char *how)
{
    ThError err = {0};
    ThCompileFormulaSize size;
    ThModel *m = th_compile_formula(t, &(ThCompileFormulaHow){.counting = *how != 0}, &size, &err);
    if (!m)
        give_up("compile", err.msg);
    return m;
}

static ThModel *compiled_soft(const ThTask *t)
{
    enum { LONGEST = 60 };
    ThError err = {0};
    ThCompileFormulaSize size;
    ThModel *m = th_compile_formula(t, &(ThCompileFormulaHow){.soft = LONGEST}, &size, &err);
    if (!m)
        give_up("compile", err.msg);
    return m;
}

char *subject_formula(const SubjectFormula *f)
{
    ThText t = {0};
    if (f->nested)
        th_text_printf(&t, "F (last & #(b & #a > %d) >= %d)", f->more, f->most);
    else
        th_text_printf(&t, "F (last & #a - #b %s %d & H (#b <= #a + %d))", f->sign, f->most,
                       f->more);
    return t.data;
}

static bool meant(const SubjectFormula *f, int lead)
{
    return f->sign[0] == '='   ? lead == f->most
           : f->sign[0] == '<' ? lead <= f->most
                               : lead >= f->most;
}

/* States are leads of a, from -OWN_LONGEST on, and one behind #b > #a + more. */
static ThDfa *leads(const SubjectFormula *f)
{
    int n = 2 * OWN_LONGEST + 2, never = n - 1;
    ThDfa *d = th_dfa_new(n, 2, 2, NULL);
    for (int q = 0; q < never; q++) {
        int lead = q - OWN_LONGEST;
        bool lost = -lead > f->more;
        d->next[2 * q] = lost ? never : q + (q < never - 1);
        d->next[2 * q + 1] = lost || lead - 1 < -f->more || q == 0 ? never : q - 1;
        d->label[q] = !lost && meant(f, lead);
    }
    d->next[2 * never] = d->next[2 * never + 1] = never;
    d->start = OWN_LONGEST;
    return d;
}

/* States are numbers of a, to more + 1 at most, and of b that count, to most. */
static ThDfa *nested(const SubjectFormula *f)
{
    int wide = f->more + 2, most = f->most > 0 ? f->most : 0;
    ThDfa *d = th_dfa_new(wide * (most + 1), 2, 2, NULL);
    for (int q = 0; q < d->n_states; q++) {
        int a = q % wide, b = q / wide;
        d->next[2 * q] = b * wide + (a < wide - 1 ? a + 1 : a);
        d->next[2 * q + 1] = (a > f->more && b < most ? b + 1 : b) * wide + a;
        d->label[q] = b >= f->most;
    }
    return d;
}

ThDfa *subject_counter(const SubjectFormula *f)
{
    return f->nested ? nested(f) : leads(f);
}

static ThModel *compiled_program(const ThTask *t, const SubjectFormula *f)
{
    ThError err = {0};
    ThCompileFormulaSize size;
    char *formula TH_OWNED(free) = subject_formula(f);
    ThModel *m = th_compile_counting(formula, t, NULL, &size, &err);
    if (!m)
        give_up("compile", err.msg);
    return m;
}

/* Columns of `up` and rows of `down` are units. */
ThModel *subject_widened(const ThModel *m)
{
    ThError err = {0};
    ThOptions o = {0};
    char text[16];
    snprintf(text, sizeof text, "%lld", 2 * th_option_int(&m->options, "hidden"));
    if (!th_options_copy(&o, &m->options, &err) || !th_options_set(&o, "hidden", text, &err))
        return NULL;
    ThModel *to = th_model_new(m->kind, &o, &err);
    th_options_free(&o);
    if (!to || !th_model_bind(to, &m->signature, 1, &err))
        give_up("widened", err.msg);
    memset(to->params.value, 0, to->params.total * sizeof *to->params.value);
    for (int i = 0; i < m->params.n; i++) {
        const ThParam *p = &m->params.item[i], *q = &to->params.item[i];
        for (int k = 0; k < p->rows * p->cols; k++)
            to->params.value[q->offset + (size_t)(k / p->cols * q->cols + k % p->cols)] =
                m->params.value[p->offset + (size_t)k];
    }
    return to;
}

ThProofCertificate *subject_certify(const ThModel *m, const ThProofClaim *claim)
{
    ThError err = {0};
    ThProofHow how = {.limit = 100, .cover = 16, .seed = 1};
    ThProof *p = th_proof_certify(m, claim, &how, NULL, &err);
    ThProofCertificate *c = p && p->verdict == TH_PROOF_PROVED
                                ? th_proof_certificate_new(p, &m->signature, &err)
                                : NULL;
    th_proof_free(p);
    return c;
}

/* Returns new: accepts strings of up to four symbols. */
static ThDfa *short_strings(int symbols)
{
    enum { LONGEST = 4 };
    ThDfa *d = th_dfa_new(LONGEST + 2, symbols, 2, NULL);
    for (int q = 0; d && q < LONGEST + 2; q++) {
        d->label[q] = q <= LONGEST;
        for (int a = 0; a < symbols; a++)
            d->next[q * symbols + a] = q <= LONGEST ? q + 1 : q;
    }
    return d;
}

ThDfa *subject_even_lengths(int symbols)
{
    ThDfa *d = th_dfa_new(2, symbols, 2, NULL);
    for (int i = 0; i < 2 * symbols; i++)
        d->next[i] = i < symbols;
    d->label[0] = 1;
    return d;
}

static ThModel *snapped(ThModel *m, const ThProofClaim *claim)
{
    ThError err = {0};
    ThProofQuantized *q = th_proof_quantize(m, claim, 100, 1, NULL, &err);
    ThModel *to = q ? th_proof_snapped(m, q, &err) : NULL;
    if (!to)
        give_up("snapped", err.msg);
    th_proof_quantized_free(q);
    th_model_free(m);
    return to;
}

static void make(Subject *s, int i, const char *path)
{
    ThError err = {0};
    s->name = made_of[i].name;
    s->kind = made_of[i].kind;
    if (s->kind == MACHINE)
        return;
    bool inner = s->kind == PROGRAM && *made_of[i].made;
    s->formula = (SubjectFormula){inner, inner, inner, "="};
    s->task = made_task(made_of[i].task, made_of[i].settings, made_of[i].automaton);
    s->model = made_of[i].model     ? trained(s->task, made_of[i].model, made_of[i].made)
               : s->kind == OPEN    ? compiled_lrnn(s->task)
               : s->kind == HARD    ? compiled_hard(s->task, made_of[i].made)
               : s->kind == SOFT    ? compiled_soft(s->task)
               : s->kind == PROGRAM ? compiled_program(s->task, &s->formula)
               : s->kind == STEPPED ? compiled_recurrence(s->task, made_of[i].made)
                                    : compiled(s->task, s->kind == BUILT ? 0 : 2e-4);
    const ThDfa *machine = th_task_machine(s->task, &err);
    s->domain = made_of[i].even    ? subject_even_lengths(machine->n_symbols)
                : s->kind == WHOLE ? short_strings(machine->n_symbols)
                                   : NULL;
    const ThProofAsked asked = {.task = &s->task->signature,
                                .machine = machine,
                                .domain = s->domain,
                                .slack = s->kind == STEPPED ? 0 : 1e-6};
    s->claim = th_proof_claim_new(s->model, &asked, NULL, &err);
    if (!s->claim)
        give_up(s->name, err.msg);
    if (s->kind == SNAPPED)
        s->model = snapped(s->model, s->claim);
    if (s->kind != SETS)
        return;
    ThProofCertificate *c = subject_certify(s->model, s->claim);
    if (!c || !th_proof_certificate_write(c, path, &err))
        give_up(s->name, c ? err.msg : "not proved");
    th_proof_certificate_free(c);
    s->file = json_load_file(path, 0, NULL);
    if (!s->file)
        give_up(s->name, "no JSON");
}

void subjects_make(Subject subject[SUBJECTS], const char *path)
{
    for (int i = 0; i < SUBJECTS; i++)
        make(&subject[i], i, path);
}

void subjects_free(Subject subject[SUBJECTS])
{
    for (int i = 0; i < SUBJECTS; i++) {
        json_decref(subject[i].file);
        th_proof_claim_free(subject[i].claim);
        th_dfa_free(subject[i].domain);
        th_model_free(subject[i].model);
        th_task_free(subject[i].task);
    }
}
