#include "proof/cell/cell_sample.h"

/* A run of so many steps; what is linear drifts slowly, if it does. */
enum { SEEN = 6000, STEPS = 40, LINEAR_STEPS = 1000 };

int th_proof_cell_steps(const ThProofCell *f)
{
    return f->kind == TH_PROOF_LRNN ? LINEAR_STEPS : STEPS;
}

/* A symbol: any, or every other time the one that leads to the state least often met. */
static int draw_symbol(const ThDfa *machine, ThRng *r, int from, const int *met)
{
    const int symbols = machine->n_symbols, *next = machine->next + from * symbols;
    int a = (int)th_rng_below(r, (uint64_t)symbols);
    for (int b = 0, rare = th_rng_below(r, 2) == 0; rare && b < symbols; b++)
        a = met[next[b]] < met[next[a]] ? b : a;
    return a;
}

bool th_proof_cell_sample(const ThProofCell *f, const ThDfa *machine, uint64_t seed,
                          ThProofSample *s, ThError *err)
{
    ThRng r = th_rng(seed, "proof.cell", 0);
    int *met TH_OWNED(free) = th_alloc((size_t)machine->n_states, sizeof *met, err);
    double *gates TH_OWNED(free) = th_alloc(th_proof_cell_room(f), sizeof *gates, err);
    size_t d = (size_t)f->dim;
    if (!th_proof_sample_take(s, SEEN, f->dim, err) || !met || !gates)
        return false;
    for (int i = 0; i < SEEN; i++) {
        int before = i % th_proof_cell_steps(f) == 0 ? -1 : i - 1;
        int from = before < 0 ? machine->start : s->label[before];
        int a = draw_symbol(machine, &r, from, met);
        int to = machine->next[from * machine->n_symbols + a];
        met[to]++;
        th_proof_sample_add(s, to, before, a);
        th_proof_cell_apply(f, before < 0 ? f->start : s->z + (size_t)before * d, a, gates,
                            s->z + (size_t)i * d);
    }
    return true;
}

void th_proof_cell_behind(ThProofSample *s, int n_symbols, int words, int before)
{
    for (int i = 0; i < s->n; i++) {
        int earlier = s->x[i] < 0 ? 0 : s->label[s->x[i]] % words;
        s->label[i] = s->label[i] / before * words + (earlier * n_symbols + s->y[i]) % words;
    }
}

int *th_proof_cell_word(const ThProofSample *s, int i, int *length, ThError *err)
{
    *length = 1;
    for (int k = i; s->x[k] >= 0; k = s->x[k])
        ++*length;
    int *word = th_alloc((size_t)*length, sizeof *word, err);
    for (int k = *length; word && k-- > 0; i = s->x[i])
        word[k] = s->y[i];
    return word;
}
