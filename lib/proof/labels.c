#include "proof/labels.h"

/* Label of (kind, element), or -1: not met yet. */
typedef struct {
    ThProofLabels *l;
    int *number; /* (2, monoid->size) */
    bool *even;  /* (domain's states): from which an even number of symbols leads to acceptance */
} Search;

/* Is there a place in a string of the domain for what has this label? */
static bool occurs(const Search *s, ThProofKind kind, int element)
{
    const ThProofLabels *l = s->l;
    int n = l->machine->n_states;
    if (!l->domain)
        return true;
    for (int q = 0; q < l->domain->n_states; q++)
        if ((kind == TH_PROOF_COMPLETE || q == l->domain->start) &&
            s->even[th_monoid_image(l->monoid, element, n + q) - n])
            return true;
    return false;
}

static int number_of(Search *s, ThProofKind kind, int element)
{
    ThProofLabels *l = s->l;
    int *number = &s->number[kind * l->monoid->size + element];
    if (*number < 0 && occurs(s, kind, element)) {
        *number = l->n;
        l->kind[l->n] = kind;
        l->element[l->n++] = element;
    }
    return *number;
}

static int symbol(const ThProofLabels *l, int a)
{
    return l->monoid->right[a];
}

/* The labels of leaves, then all that follow: those of complete subtrees first, since every product
 * needs one of them. */
static void find_labels(Search *s)
{
    ThProofLabels *l = s->l;
    const ThMonoid *m = l->monoid;
    int k = l->n_symbols;
    for (int i = 0; i < k * k; i++)
        l->pair[i] = number_of(s, TH_PROOF_COMPLETE,
                               th_monoid_product(m, symbol(l, i / k), symbol(l, i % k)));
    for (int i = 0; i < l->n; i++)
        for (int j = 0; j <= i; j++) {
            number_of(s, TH_PROOF_COMPLETE, th_monoid_product(m, l->element[i], l->element[j]));
            number_of(s, TH_PROOF_COMPLETE, th_monoid_product(m, l->element[j], l->element[i]));
        }
    int complete = l->n;
    for (int a = 0; a < k; a++)
        l->single[a] = number_of(s, TH_PROOF_EDGE, symbol(l, a));
    for (int i = 0; i < complete; i++)
        number_of(s, TH_PROOF_EDGE, l->element[i]);
    for (int i = complete; i < l->n; i++)
        for (int j = 0; j < complete; j++)
            number_of(s, TH_PROOF_EDGE, th_monoid_product(m, l->element[i], l->element[j]));
}

static int answer_of(const ThProofLabels *l, int element, int n_classes)
{
    const ThDfa *m = l->machine, *d = l->domain;
    int class = m->label[th_monoid_image(l->monoid, element, m->start)];
    if (d && !d->label[th_monoid_image(l->monoid, element, m->n_states + d->start) - m->n_states])
        return -1;
    return class < n_classes ? class : -1;
}

/* Every label is known by now. */
static bool fill_products(Search *s, int n_classes, ThError *err)
{
    ThProofLabels *l = s->l;
    const ThMonoid *m = l->monoid;
    l->product = th_alloc((size_t)l->n * (size_t)l->n, sizeof *l->product, err);
    l->alone = th_alloc((size_t)l->n, sizeof *l->alone, err);
    l->answer = th_alloc((size_t)l->n, sizeof *l->answer, err);
    if (!l->product || !l->alone || !l->answer)
        return false;
    for (int i = 0; i < l->n; i++) {
        l->answer[i] = answer_of(l, l->element[i], n_classes);
        l->alone[i] = number_of(s, TH_PROOF_EDGE, l->element[i]);
        for (int j = 0; j < l->n; j++)
            l->product[i * l->n + j] =
                l->kind[j] == TH_PROOF_COMPLETE
                    ? number_of(s, l->kind[i], th_monoid_product(m, l->element[i], l->element[j]))
                    : -1;
    }
    return true;
}

static bool fill(ThProofLabels *l, int n_classes, ThError *err)
{
    size_t size = 2 * (size_t)l->monoid->size, k = (size_t)l->n_symbols;
    Search s = {.l = l,
                .number = th_alloc(size, sizeof(int), err),
                .even = th_alloc(l->domain ? (size_t)l->domain->n_states : 0, sizeof(bool), err)};
    l->kind = th_alloc(size, sizeof *l->kind, err);
    l->element = th_alloc(size, sizeof *l->element, err);
    l->pair = th_alloc(k * k, sizeof *l->pair, err);
    l->single = th_alloc(k, sizeof *l->single, err);
    bool ok = s.number && s.even && l->kind && l->element && l->pair && l->single;
    ok = ok && (!l->domain || th_dfa_leads_to(l->domain, 1, 2, s.even, err));
    if (ok) {
        memset(s.number, 0xff, size * sizeof *s.number);
        find_labels(&s);
        ok = fill_products(&s, n_classes, err);
    }
    TH_FREE(s.number, s.even);
    return ok &&
           (l->n > 0 || th_fail(err, TH_EVALUE, "the domain has no strings but the empty one"));
}

ThProofLabels *th_proof_labels_new(const ThDfa *machine, const ThDfa *domain, int n_classes,
                                   size_t limit, ThStop *stop, ThError *err)
{
    ThProofLabels *l = th_alloc(1, sizeof *l, err);
    if (!l)
        return NULL;
    l->n_symbols = machine->n_symbols;
    l->machine = th_dfa_minimize(machine, stop, err);
    l->domain = l->machine && domain ? th_dfa_minimize(domain, stop, err) : NULL;
    bool ok = l->machine && (l->domain || !domain);
    ThDfa *both TH_OWNED(th_dfa_free) = ok ? th_dfa_beside(l->machine, l->domain, err) : NULL;
    l->monoid = both ? th_monoid_new(both, limit, stop, err) : NULL;
    return TH_KEEP_IF(l->monoid && fill(l, n_classes, err), l, th_proof_labels_free);
}

bool th_proof_labels_same_map(const ThProofLabels *l, int i, int j)
{
    for (int q = 0; q < l->machine->n_states; q++)
        if (th_monoid_image(l->monoid, l->element[i], q) !=
            th_monoid_image(l->monoid, l->element[j], q))
            return false;
    return true;
}

bool th_proof_labels_alike(const ThProofLabels *l, int i, int j)
{
    return l->kind[i] == l->kind[j] && th_proof_labels_same_map(l, i, j);
}

int th_proof_labels_first(const ThProofLabels *l, int i)
{
    int first = 0;
    while (!th_proof_labels_alike(l, i, first))
        first++;
    return first;
}

void th_proof_labels_free(ThProofLabels *l)
{
    if (!l)
        return;
    th_dfa_free(l->machine);
    th_dfa_free(l->domain);
    th_monoid_free(l->monoid);
    TH_FREE(l->element, l->answer, l->product, l->alone, l->pair, l->single, l->kind, l);
}
