/* Answers that a program of RASP gives: its own value at every position, or at the last. */

#include "base/symbols.h"
#include "rasp/evaluate/language.h"
#include "rasp/interpret/rasp.h"
#include "tasks/of_language.h"

enum { MOST_CLASSES = 1000, MOST_INPUTS = 100000 };

/* The task's own interpreter, which several threads that draw take turns with. */
typedef struct {
    char *source, *name, *alphabet;
    ThRasp *rasp;
    ThRaspWords words;
    ThRaspAtom *letter;
    ThIntern answer; /* the classes, as text */
    pthread_mutex_t turn;
} Program;

static void free_data(void *data)
{
    Program *p TH_OWNED(free) = data;
    th_rasp_free(p->rasp);
    th_intern_free(&p->answer);
    pthread_mutex_destroy(&p->turn);
    TH_FREE(p->source, p->name, p->alphabet, p->letter);
}

/* Runs the source, and finds the s-op and the letters. */
static bool start(Program *p, ThError *err)
{
    ThRaspValue v = {0};
    int n;
    p->rasp = th_rasp_new(NULL, err);
    if (!p->rasp || !th_rasp_execute(p->rasp, p->source, true, true, NULL, err))
        return false;
    if (!th_rasp_lookup(p->rasp, p->name, &v) || v.kind != TH_RASP_VALUE_SOP)
        return th_fail(err, TH_EVALUE, "'%s' is no s-op", p->name);
    char **name TH_OWNED(free) = th_symbols_list(p->alphabet, false, &n, err);
    p->letter = name ? th_rasp_letters(th_rasp_graph(p->rasp), name, n, err) : NULL;
    p->words = (ThRaspWords){th_rasp_graph(p->rasp), v.as.sop, p->letter, NULL};
    return p->letter != NULL;
}

static Program *new_program(const char *source, const char *name, const char *alphabet,
                            ThError *err)
{
    Program *p = th_alloc(1, sizeof *p, err);
    if (!p)
        return NULL;
    pthread_mutex_init(&p->turn, NULL);
    p->source = th_strdup(source, err);
    p->name = th_strdup(name, err);
    p->alphabet = th_strdup(alphabet, err);
    if (p->source && p->name && p->alphabet && start(p, err))
        return p;
    free_data(p);
    return NULL;
}

static void *copy_data(const void *data, ThError *err)
{
    const Program *from = data;
    Program *p = new_program(from->source, from->name, from->alphabet, err);
    bool ok = p != NULL;
    for (size_t i = 0; ok && i < from->answer.n; i++) {
        size_t size, index;
        const void *text = th_intern_at(&from->answer, i, &size);
        ok = th_intern(&p->answer, text, size, &index, err);
    }
    if (ok)
        return p;
    if (p)
        free_data(p);
    return NULL;
}

/* ---- answers --------------------------------------------------------------------------------- */

/* The class of an answer, or -1. */
static int class_of(const Program *p, ThRaspAtom a)
{
    ThText t TH_OWNED(th_text_free) = {0};
    th_rasp_atom_write(th_rasp_atoms(p->words.graph), a, &t);
    size_t i = th_intern_find(&p->answer, t.data ? t.data : "", t.size);
    return i == SIZE_MAX ? -1 : (int)i;
}

static bool no_class(const Program *p, ThRaspAtom a, int n, ThError *err)
{
    ThText t TH_OWNED(th_text_free) = {0};
    th_rasp_atom_write(th_rasp_atoms(p->words.graph), a, &t);
    return th_fail(err, TH_EVALUE,
                   "%s answers %s on a string of %d symbol%s, which is none of its classes",
                   p->name, t.data ? t.data : "", n, &"s"[n == 1]) ||
           th_hint(err, "upto= looks for the classes on longer inputs");
}

/* The answers to one string into target: one at every position, or at the last. */
static bool answer(const Program *p, const int *word, int n, ThTarget target, int *to, ThError *err)
{
    ThRaspAtoms *atoms = th_rasp_atoms(p->words.graph);
    ThRaspAtomsMark mark = th_rasp_atoms_mark(atoms);
    ThRaspRun *run TH_OWNED(th_rasp_run_free) = th_rasp_run_on_word(&p->words, word, n, err);
    const ThRaspSeq *q = run ? th_rasp_run_value(run, p->words.sop, NULL, err) : NULL;
    int from = target == TH_TARGET_FINAL ? n - 1 : 0;
    bool ok = q != NULL;
    for (int i = from; ok && i < n; i++) {
        ThRaspAtom a = th_rasp_seq_at(q, (size_t)i);
        to[i - from] = class_of(p, a);
        ok = to[i - from] >= 0 || no_class(p, a, n, err);
    }
    th_rasp_atoms_rewind(atoms, mark);
    return ok;
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    Program *p = t->data;
    if (!th_task_draw_uniform(t, r, length, b, err))
        return false;
    bool ok = true;
    pthread_mutex_lock(&p->turn);
    for (int i = 0; ok && i < b->B; i++)
        ok = answer(p, th_batch_token(b, i), length, t->signature.target,
                    th_batch_target(&t->signature, b, i), err);
    pthread_mutex_unlock(&p->turn);
    return ok;
}

/* ---- classes --------------------------------------------------------------------------------- */

/* Answers that differ, in order where they have one. */
typedef struct {
    ThRaspAtom item[MOST_CLASSES];
    int n;
} Answers;

static bool note(const Program *p, Answers *all, ThRaspAtom a, ThError *err)
{
    const ThRaspAtoms *atoms = th_rasp_atoms(p->words.graph);
    int at = all->n, order;
    for (int i = 0; i < all->n; i++)
        if (all->item[i].kind == a.kind && th_rasp_atom_equal(atoms, all->item[i], a))
            return true;
    if (all->n == MOST_CLASSES)
        return th_fail(err, TH_ELIMIT, "'%s' has more than %d different answers", p->name,
                       MOST_CLASSES);
    while (at > 0 && th_rasp_atom_compare(atoms, a, all->item[at - 1], &order, NULL) && order < 0) {
        all->item[at] = all->item[at - 1];
        at--;
    }
    all->item[at] = a;
    all->n++;
    return true;
}

static bool note_word(const Program *p, const int *word, int n, Answers *all, ThTarget target,
                      ThError *err)
{
    ThRaspRun *run TH_OWNED(th_rasp_run_free) = th_rasp_run_on_word(&p->words, word, n, err);
    const ThRaspSeq *q = run ? th_rasp_run_value(run, p->words.sop, NULL, err) : NULL;
    bool ok = q != NULL;
    for (int i = target == TH_TARGET_FINAL ? n - 1 : 0; ok && i < n; i++)
        ok = note(p, all, th_rasp_seq_at(q, (size_t)i), err);
    return ok;
}

static bool note_all(const ThTask *t, const Program *p, Answers *all, ThError *err)
{
    int upto = (int)th_option_int(&t->options, "upto"), left = MOST_INPUTS;
    int *word TH_OWNED(free) = th_alloc((size_t)upto, sizeof *word, err);
    bool ok = word != NULL;
    for (int length = 1; ok && length <= upto; length++) {
        do {
            ok = note_word(p, word, length, all, t->signature.target, err);
        } while (ok && --left > 0 && th_symbols_next(word, length, t->signature.n_symbols));
        if (ok && left == 0) {
            th_fail(err, TH_ELIMIT, "there are more than %d inputs of up to %d symbols",
                    MOST_INPUTS, upto);
            ok = th_hint(err, "upto= a shorter length");
        }
    }
    return ok;
}

static bool name_classes(ThSignature *g, Program *p, const Answers *all, ThError *err)
{
    g->label = th_alloc((size_t)all->n, sizeof *g->label, err);
    bool ok = g->label != NULL;
    for (int i = 0; ok && i < all->n; i++) {
        ThText t = {0};
        size_t index;
        th_rasp_atom_write(th_rasp_atoms(p->words.graph), all->item[i], &t);
        char *name = th_text_take(&t, err);
        ok = name && th_intern(&p->answer, name, strlen(name), &index, err);
        if (ok)
            g->label[g->n_classes++] = name;
        else
            free(name);
    }
    return ok;
}

static bool init(ThTask *t, const ThTaskSource *from, ThError *err)
{
    const char *alphabet = th_option_text(&t->options, "alphabet");
    ThSignature *g = &t->signature;
    int n;
    g->target = th_task_labels(t);
    if (th_option_given(&t->options, "steps"))
        return th_fail(err, TH_EUSAGE, "steps= is for machines");
    char **name TH_OWNED(free) = th_symbols_list(alphabet, false, &n, err);
    bool ok = name && (n > 0 || th_fail(err, TH_EVALUE, "the alphabet is empty")) &&
              th_task_own_names(&g->symbol, &g->n_symbols, name, n, err);
    Program *p = ok ? new_program(from->program, from->name, alphabet, err) : NULL;
    t->data = p;
    Answers *all TH_OWNED(free) = p ? th_alloc(1, sizeof *all, err) : NULL;
    return all && note_all(t, p, all, err) && name_classes(g, p, all, err);
}

static const ThOptionSpec options[] = {
    {"alphabet", TH_STRING, "ab", 0, 0, NULL,
     "what the strings consist of: characters, or words with blanks between them"},
    {"labels", TH_CHOICE, "every", 0, 0, "every|final",
     "the s-op's value at every position, or at the last one only"},
    {"upto", TH_INT, "6", 1, 64, NULL,
     "the classes are the answers to all inputs of up to so many symbols"},
    TH_LANGUAGE_STEPS_OPTION,
    {0}};

const ThTaskKind th_task_kind_label = {
    .name = "label",
    .summary = "what a program of RASP answers",
    .source = "Weiss, Goldberg and Yahav 2021, who train transformers on what programs answer",
    .detail = "task t = label SOP, where SOP is the name of an s-op; label of a grammar or another "
              "language is output.  Uniform strings over the alphabet; the answer is the s-op's "
              "value at every position, or with labels=final at the last.  The classes are the "
              "values that it has on all inputs up to the length upto=; a value that is none of "
              "them, on a longer string, is an error.  The task keeps the s-op as it is now.",
    .takes_program = true,
    .takes_language = true,
    .of_language = &th_task_kind_output,
    .options = options,
    .init = init,
    .draw = draw,
    .copy_data = copy_data,
    .free_data = free_data,
};
