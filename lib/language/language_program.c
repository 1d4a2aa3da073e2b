/* An s-op that gives truth values as a language: what it gives at the last position of a word says
 * whether the word belongs to it.  The empty word has none, and does not. */
#include <pthread.h>

#include "language/language_kind.h"
#include "rasp/evaluate/language.h"
#include "rasp/interpret/rasp.h"

/* An interpreter of its own, which threads take turns with. */
typedef struct {
    ThRasp *rasp;
    ThRaspWords words;
    ThRaspAtom *letter;
    char *source; /* and the name of the s-op */
    pthread_mutex_t turn;
} Program;

static void free_data(void *data)
{
    Program *p = data;
    th_rasp_free(p->rasp);
    TH_FREE(p->letter, p->source);
    pthread_mutex_destroy(&p->turn);
    free(p);
}

static bool member(const ThLanguage *l, ThLanguageWord word, ThStop *stop TH_UNUSED,
                   ThLanguageAnswer *answer, ThError *err)
{
    Program *p = l->data;
    bool accepts = false, ok = true;
    if (word.n > 0) {
        pthread_mutex_lock(&p->turn);
        ThRaspAtoms *atoms = th_rasp_atoms(p->words.graph);
        ThRaspAtomsMark mark = th_rasp_atoms_mark(atoms);
        ok = th_rasp_accepts(&p->words, word.symbol, word.n, &accepts, err);
        th_rasp_atoms_rewind(atoms, mark);
        pthread_mutex_unlock(&p->turn);
    }
    *answer = accepts ? TH_LANGUAGE_YES : TH_LANGUAGE_NO;
    return ok;
}

static void identify(ThText *t, const ThLanguage *l)
{
    th_text_add(t, ((const Program *)l->data)->source);
}

static const ThLanguageKind kind = {
    .name = "s-op",
    .free_data = free_data,
    .identify = identify,
    .member = member,
};

/* Runs the source, and finds the s-op and the letters. */
static bool start(ThLanguage *l, Program *p, const char *source, const char *name, ThError *err)
{
    ThRaspValue v = {0};
    ThText text = {0};
    th_text_printf(&text, "%s\n%s\n", name, source);
    p->source = th_text_take(&text, err);
    p->rasp = p->source ? th_rasp_new(NULL, err) : NULL;
    if (!p->rasp || !th_rasp_execute(p->rasp, source, true, true, NULL, err))
        return false;
    if (!th_rasp_lookup(p->rasp, name, &v) || v.kind != TH_RASP_VALUE_SOP)
        return th_fail(err, TH_EVALUE, "'%s' is no s-op", name);
    p->letter = th_rasp_letters(th_rasp_graph(p->rasp), l->symbol, l->n_symbols, err);
    p->words = (ThRaspWords){th_rasp_graph(p->rasp), v.as.sop, p->letter, NULL};
    return p->letter != NULL;
}

ThLanguage *th_language_of_program(const char *source, const char *name,
                                   const ThLanguageAlphabet *alphabet, ThError *err)
{
    ThLanguage *l = th_language_new(&kind, err);
    Program *p = l ? th_alloc(1, sizeof *p, err) : NULL;
    bool ok = p != NULL;
    if (ok) {
        pthread_mutex_init(&p->turn, NULL);
        l->data = p;
    }
    for (int i = 0; ok && i < alphabet->n; i++)
        ok = th_language_symbol(l, alphabet->name[i], err) >= 0;
    ThLanguageAnswer answer;
    int first = 0;
    /* A value that is no truth value shows on the shortest word. */
    ok = ok && start(l, p, source, name, err) &&
         (l->n_symbols == 0 || member(l, (ThLanguageWord){&first, 1}, NULL, &answer, err));
    return TH_KEEP_IF(ok, l, th_language_free);
}
