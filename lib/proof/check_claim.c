/* Does a certificate say what is claimed of a model?  Names, automaton and strings come from the
 * claim; of the certificate is asked whether it has the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/symbols.h"
#include "base/text.h"
#include "proof/check.h"

/* Words are bounded, for they go into a line. */
enum { LONGEST = 40 };

/* ---- names ----------------------------------------------------------------------------------- */

static bool same_names(char *const *a, int n_a, char *const *b, int n_b)
{
    bool same = n_a == n_b;
    for (int i = 0; same && i < n_a; i++)
        same = strcmp(a[i], b[i]) == 0;
    return same;
}

/* ---- the automaton --------------------------------------------------------------------------- */

/* Returns new: the certificate's automaton, minimal, states that ask for nothing in a class behind
 * all others. */
static ThDfa *automaton_of(const ThProofCertificate *c, ThStop *stop, ThError *err)
{
    ThDfa *d = th_dfa_new(c->n_states, c->n_symbols, c->n_classes + 1, err);
    if (!d)
        return NULL;
    memcpy(d->next, c->next, (size_t)c->n_states * (size_t)c->n_symbols * sizeof *c->next);
    d->start = c->start;
    for (int q = 0; q < c->n_states; q++)
        d->label[q] = c->answer[q] < 0 ? c->n_classes : c->answer[q];
    ThDfa *least = th_dfa_minimize(d, stop, err);
    th_dfa_free(d);
    return least;
}

/* Returns new: the claim's automaton with one class for all that is not asked. */
static ThDfa *wanted_of(const ThProofClaim *claim, ThStop *stop, ThError *err)
{
    int n = claim->asked.n_classes;
    const ThDfa *m = claim->machine;
    ThDfa *d = th_dfa_new(m->n_states, m->n_symbols, n + 1, err);
    if (!d)
        return NULL;
    memcpy(d->next, m->next, (size_t)m->n_states * (size_t)m->n_symbols * sizeof *m->next);
    d->start = m->start;
    for (int q = 0; q < m->n_states; q++)
        d->label[q] = m->label[q] < n ? m->label[q] : n;
    ThDfa *least = th_dfa_minimize(d, stop, err);
    th_dfa_free(d);
    return least;
}

/* Appends the shortest word, if there is one, that two automata put into different classes. */
static bool distinguish(const ThDfa *a, const ThDfa *b, char *const *symbol, ThText *word,
                        ThStop *stop, ThError *err)
{
    int length = 0, *found = th_dfa_distinguish(a, b, &length, stop, err);
    if (!found)
        return length < 0;
    if (length > LONGEST)
        th_text_printf(word, "a word of %d symbols", length);
    else if (length == 0)
        th_text_add(word, "the empty word");
    else
        th_symbols_write(word, symbol, a->n_symbols, found, length);
    free(found);
    return true;
}

static bool compare_automata(const ThProofCertificate *c, const ThProofClaim *claim, ThText *word,
                             ThStop *stop, ThError *err)
{
    ThDfa *said = automaton_of(c, stop, err), *wanted = said ? wanted_of(claim, stop, err) : NULL;
    bool ok = wanted && distinguish(said, wanted, c->symbol, word, stop, err);
    th_dfa_free(said);
    th_dfa_free(wanted);
    return ok;
}

/* ---- the strings ----------------------------------------------------------------------------- */

/* Returns new: accepts everything, or nothing. */
static ThDfa *constant(int n_symbols, int accepts, ThError *err)
{
    ThDfa *d = th_dfa_new(1, n_symbols, 2, err);
    if (d)
        d->label[0] = accepts;
    return d;
}

/* Appends the first string that the claim asks about and the certificate does not. */
static bool find_missed(const ThProofCertificate *c, const ThProofClaim *claim, ThText *word,
                        ThStop *stop, ThError *err)
{
    static const bool only_first[] = {false, false, true, false};
    if (c->n_domain == 0)
        return true;
    ThDfa *covered = th_proof_certificate_domain(c, err);
    ThDfa *none = covered ? constant(c->n_symbols, 0, err) : NULL;
    ThDfa *all = none ? constant(c->n_symbols, 1, err) : NULL;
    ThDfa *missed =
        all ? th_dfa_product(claim->domain ? claim->domain : all, covered, only_first, 0, stop, err)
            : NULL;
    bool ok = missed && distinguish(missed, none, c->symbol, word, stop, err);
    th_dfa_free(missed);
    th_dfa_free(all);
    th_dfa_free(none);
    th_dfa_free(covered);
    return ok;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/* Sets *why to what the certificate does not say of the claim; "" if it says all. */
static bool find_gap(const ThProofCertificate *c, const ThProofClaim *claim, char why[200],
                     ThStop *stop, ThError *err)
{
    const ThSignature *asked = &claim->asked;
    ThText word = {0};
    *why = '\0';
    if (!same_names(c->symbol, c->n_symbols, asked->symbol, asked->n_symbols))
        snprintf(why, 200, "its symbols, or their order, are not those of the task");
    else if (!same_names(c->class_name, c->n_classes, asked->label, asked->n_classes))
        snprintf(why, 200, "its classes, or their order, are not those of the task");
    if (*why)
        return true;
    bool ok = compare_automata(c, claim, &word, stop, err);
    if (ok && word.data)
        snprintf(why, 200, "its automaton is not that of the task: they differ on %.100s",
                 word.data);
    else if (ok && (ok = find_missed(c, claim, &word, stop, err)) && word.data)
        snprintf(why, 200, "it says nothing about the string %.100s", word.data);
    th_text_free(&word);
    return ok;
}

bool th_proof_check(const ThProofCertificate *c, const ThModel *m, const ThProofClaim *claim,
                    ThStop *stop, ThProofChecked *checked, ThError *err)
{
    bool cell = th_proof_is_cell(m);
    ThProofCell *g = cell ? th_proof_cell_new(m, err) : NULL;
    ThProofMap *f = cell ? NULL : th_proof_map_new(m, err);
    *checked = (ThProofChecked){.holds = false};
    bool ok = (f || g) && th_signature_match(&m->signature, &claim->asked, err) &&
              find_gap(c, claim, checked->why, stop, err);
    if (ok && !*checked->why)
        ok = th_proof_check_sets(c, f, g, claim->slack, stop, checked, err);
    th_proof_map_free(f);
    th_proof_cell_free(g);
    return ok;
}
