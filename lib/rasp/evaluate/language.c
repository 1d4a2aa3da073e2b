#include "rasp/evaluate/language.h"

ThRaspAtom *th_rasp_letters(ThRaspGraph *g, char *const *name, int n, ThError *err)
{
    ThRaspAtom *letter = th_alloc((size_t)n, sizeof *letter, err);
    bool ok = letter != NULL;
    for (int i = 0; ok && i < n; i++)
        ok = th_rasp_atom_string(th_rasp_atoms(g), name[i], strlen(name[i]), &letter[i], err);
    return TH_KEEP_IF(ok, letter, free);
}

ThRaspRun *th_rasp_run_on_word(const ThRaspWords *w, const int *word, int n, ThError *err)
{
    ThRaspSeq input TH_OWNED(th_rasp_seq_free) = {0};
    ThRaspAtom *atom TH_OWNED(free) = th_alloc((size_t)n, sizeof *atom, err);
    for (int i = 0; atom && i < n; i++)
        atom[i] = w->letter[word[i]];
    bool ok = atom && th_rasp_seq_of(atom, (size_t)n, &input, err);
    return ok ? th_rasp_run_new(w->graph, &input, 0, err) : NULL;
}

static bool no_truth(ThRaspAtomKind kind, ThError *err)
{
    return th_fail(err, TH_EVALUE, "a language's program gives truth values, not %s",
                   th_rasp_atom_kind_plural(kind)) ||
           th_hint(err, "a comparison makes one: x == 1");
}

bool th_rasp_accepts(const ThRaspWords *w, const int *word, int n, bool *accepts, ThError *err)
{
    ThRaspAtoms *atoms = th_rasp_atoms(w->graph);
    ThRaspAtomsMark mark = th_rasp_atoms_mark(atoms);
    ThRaspRun *run TH_OWNED(th_rasp_run_free) = th_rasp_run_on_word(w, word, n, err);
    const ThRaspSeq *q = run ? th_rasp_run_value(run, w->sop, w->stop, err) : NULL;
    bool ok = q && (q->kind == TH_RASP_ATOM_BOOL || no_truth(q->kind, err));
    if (ok)
        *accepts = th_rasp_seq_at(q, (size_t)n - 1).cell.i;
    th_rasp_atoms_rewind(atoms, mark);
    return ok;
}
