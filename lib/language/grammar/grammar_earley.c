/* Earley's algorithm (1970), a symbol at a time and back again; variables that derive the empty
 * word are passed over where they are predicted (Aycock and Horspool 2002).
 *
 * In a grammar without useless rules every item is part of a derivation of some member, so that a
 * prefix can be completed as long as there are items. */

#include "language/grammar.h"

/* A rule with a dot: place is the number of the rule's first symbol in `right`, counted anew over
 * the used rules with one place more for each, plus the symbols before the dot. */
typedef struct {
    int place, origin;
} Item;

typedef struct {
    const ThGrammar *g;
    int *of_rule; /* (n_used): the first place of a rule */
    int *rule_at; /* (places) */
    int n_places;
    Item *item; /* set j is item[set[j]] … item[set[j + 1] - 1] */
    size_t cap;
    size_t *set; /* (n + 2) */
    size_t set_cap;
    int n;         /* symbols read */
    bool *present; /* (n_places, n + 1): in the set that is being made */
    size_t present_cap, present_size;
} Reading;

void th_grammar_stop_reading(void *reading)
{
    Reading *r = reading;
    TH_FREE(r->of_rule, r->rule_at, r->item, r->set, r->present, r);
}

/* The symbol behind the dot: a variable, ~a terminal; or false at the end of the rule. */
static bool behind_dot(const Reading *r, int place, int *symbol)
{
    int k = r->rule_at[place];
    const ThGrammarRule *rule = &r->g->used[k];
    int dot = place - r->of_rule[k];
    if (dot == rule->n)
        return false;
    *symbol = r->g->right[rule->first + dot];
    return true;
}

static bool add(Reading *r, int place, int origin, ThError *err)
{
    bool *present = &r->present[(size_t)origin * (size_t)r->n_places + (size_t)place];
    size_t end = r->set[r->n + 1];
    if (*present)
        return true;
    if (!th_grow(&r->item, &r->cap, end + 1, sizeof *r->item, err))
        return false;
    *present = true;
    r->item[end] = (Item){place, origin};
    r->set[r->n + 1]++;
    return true;
}

/* Where a variable is wanted its rules begin. */
static bool predict(Reading *r, Item it, int variable, ThError *err)
{
    bool ok = true;
    for (size_t k = 0; ok && k < r->g->n_used; k++)
        if (r->g->used[k].left == variable)
            ok = add(r, r->of_rule[k], r->n, err);
    return ok && (!r->g->pairs.nullable[variable] || add(r, it.place + 1, it.origin, err));
}

/* A rule that has come to its end moves the dots that waited for its variable. */
static bool complete(Reading *r, Item it, ThError *err)
{
    int left = r->g->used[r->rule_at[it.place]].left, symbol;
    bool ok = true;
    for (size_t i = r->set[it.origin]; ok && i < r->set[it.origin + 1]; i++) {
        Item waiting = r->item[i];
        if (behind_dot(r, waiting.place, &symbol) && symbol == left)
            ok = add(r, waiting.place + 1, waiting.origin, err);
    }
    return ok;
}

/* All that follows from the items that a set begins with. */
static bool close_set(Reading *r, ThError *err)
{
    bool ok = true;
    for (size_t i = r->set[r->n]; ok && i < r->set[r->n + 1]; i++) {
        Item it = r->item[i];
        int symbol;
        if (!behind_dot(r, it.place, &symbol))
            ok = complete(r, it, err);
        else if (symbol >= 0)
            ok = predict(r, it, symbol, err);
    }
    for (size_t i = r->set[r->n]; i < r->set[r->n + 1]; i++)
        r->present[(size_t)r->item[i].origin * (size_t)r->n_places + (size_t)r->item[i].place] =
            false;
    return ok;
}

/* Makes room for set n. */
static bool reserve(Reading *r, ThError *err)
{
    size_t need = ((size_t)r->n + 1) * (size_t)r->n_places;
    if (!th_grow(&r->set, &r->set_cap, (size_t)r->n + 2, sizeof *r->set, err) ||
        !th_grow(&r->present, &r->present_cap, need, sizeof *r->present, err))
        return false;
    for (; r->present_size < need; r->present_size++)
        r->present[r->present_size] = false;
    return true;
}

static bool number_places(Reading *r, ThError *err)
{
    const ThGrammar *g = r->g;
    for (size_t k = 0; k < g->n_used; k++)
        r->n_places += g->used[k].n + 1;
    r->of_rule = th_alloc(g->n_used, sizeof *r->of_rule, err);
    r->rule_at = th_alloc((size_t)r->n_places, sizeof *r->rule_at, err);
    if (!r->of_rule || !r->rule_at)
        return false;
    for (size_t k = 0, at = 0; k < g->n_used; k++) {
        r->of_rule[k] = (int)at;
        for (int i = 0; i <= g->used[k].n; i++)
            r->rule_at[at++] = (int)k;
    }
    return true;
}

void *th_grammar_read(const ThLanguage *l, ThError *err)
{
    Reading *r = th_alloc(1, sizeof *r, err);
    if (!r)
        return NULL;
    r->g = l->data;
    bool ok = number_places(r, err) && reserve(r, err);
    if (ok)
        r->set[0] = r->set[1] = 0;
    for (size_t k = 0; ok && k < r->g->n_used; k++)
        ok = r->g->used[k].left != 0 || add(r, r->of_rule[k], 0, err);
    if (ok && close_set(r, err))
        return r;
    th_grammar_stop_reading(r);
    return NULL;
}

bool th_grammar_push(void *reading, int symbol, bool *viable, ThError *err)
{
    Reading *r = reading;
    int wanted;
    r->n++;
    bool ok = reserve(r, err);
    if (ok)
        r->set[r->n + 1] = r->set[r->n];
    for (size_t i = ok ? r->set[r->n - 1] : 0; ok && i < r->set[r->n]; i++) {
        Item it = r->item[i];
        if (behind_dot(r, it.place, &wanted) && wanted == ~symbol)
            ok = add(r, it.place + 1, it.origin, err);
    }
    ok = ok && close_set(r, err);
    if (!ok) {
        r->n--;
        return false;
    }
    *viable = r->set[r->n + 1] > r->set[r->n];
    return true;
}

void th_grammar_pop(void *reading)
{
    ((Reading *)reading)->n--;
}

bool th_grammar_accepts(void *reading, ThLanguageAnswer *answer, ThError *err TH_UNUSED)
{
    const Reading *r = reading;
    int symbol;
    *answer = TH_LANGUAGE_NO;
    for (size_t i = r->set[r->n]; i < r->set[r->n + 1]; i++) {
        Item it = r->item[i];
        if (it.origin == 0 && !behind_dot(r, it.place, &symbol) &&
            r->g->used[r->rule_at[it.place]].left == 0)
            *answer = TH_LANGUAGE_YES;
    }
    return true;
}
