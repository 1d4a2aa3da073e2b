#include "language/any_language.h"

#include "language/language_text.h"

/* ---- making ---------------------------------------------------------------------------------- */

static const ThLanguageKind *const kinds[] = {
#define KIND(name) &th_language_kind_##name,
#include "language/languages.def"
#undef KIND
};

ThLanguage *th_language_new(const ThLanguageKind *kind, ThError *err)
{
    ThLanguage *l = th_alloc(1, sizeof *l, err);
    if (l)
        *l = (ThLanguage){.kind = kind, .owners = 1, .may_not_answer = kind->may_not_answer};
    return l;
}

int th_language_symbol(ThLanguage *l, const char *name, ThError *err)
{
    for (int i = 0; i < l->n_symbols; i++)
        if (strcmp(l->symbol[i], name) == 0)
            return i;
    size_t n = (size_t)l->n_symbols;
    char **grown = realloc(l->symbol, (n + 1) * sizeof *grown);
    l->symbol = grown ? grown : l->symbol;
    char *own = grown ? th_strdup(name, err) : NULL;
    if (!own) {
        th_fail(err, TH_ENOMEM, "out of memory (%zu symbols)", n + 1);
        return -1;
    }
    l->symbol[n] = own;
    return l->n_symbols++;
}

ThLanguage *th_language_parse(const char *kind, const char *text, ThError *err)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i]->name, kind) != 0)
            continue;
        ThLanguage *l = th_language_new(kinds[i], err);
        if (l && l->kind->parse(l, text, err))
            return l;
        th_language_free(l);
        return NULL;
    }
    return th_null(th_fail(err, TH_EUSAGE, "no kind of language is named '%s'", kind));
}

ThLanguage *th_language_share(const ThLanguage *l)
{
    ThLanguage *own;
    memcpy(&own, &l, sizeof own); /* all that changes is the number of owners */
    __atomic_add_fetch(&own->owners, 1, __ATOMIC_RELAXED);
    return own;
}

void th_language_free(ThLanguage *l)
{
    if (!l || __atomic_sub_fetch(&l->owners, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    for (int i = 0; i < l->n_symbols; i++)
        free(l->symbol[i]);
    free(l->symbol);
    if (l->data)
        l->kind->free_data(l->data);
    th_language_free(l->as);
    free(l);
}

void th_language_write(ThText *t, const ThLanguage *l, const char *name)
{
    if (!l->kind->write)
        return;
    th_text_printf(t, "%s ", l->kind->name);
    th_text_symbol(t, name);
    th_text_add(t, " {\n");
    l->kind->write(t, l);
    th_text_add(t, "}\n");
}

void th_language_identify(ThText *t, const ThLanguage *l)
{
    th_text_printf(t, "%s\n", l->kind->name);
    th_language_write_alphabet(t, l);
    (l->kind->write ? l->kind->write : l->kind->identify)(t, l);
}

const char *th_language_kind_name(const ThLanguage *l)
{
    return l->kind->name;
}

char *const *th_language_symbols(const ThLanguage *l, int *n)
{
    *n = l->n_symbols;
    return l->symbol;
}

const ThLanguage *th_language_asked(const ThLanguage *l)
{
    return l->as ? l->as : l;
}

bool th_language_knows_prefixes(const ThLanguage *l)
{
    return th_language_asked(l)->kind->knows_prefixes;
}

bool th_language_may_not_answer(const ThLanguage *l)
{
    return l->may_not_answer;
}

bool th_language_automaton(const ThLanguage *l, ThAutomaton **a, ThStop *stop, ThError *err)
{
    *a = NULL;
    l = th_language_asked(l);
    return !l->kind->automaton || l->kind->automaton(l, a, stop, err);
}

ThAutomaton *th_language_picture(const ThLanguage *l, ThError *err)
{
    return l->kind->picture ? l->kind->picture(l, err) : NULL;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct ThLanguageReader {
    const ThLanguage *l;
    ThStop *stop;
    int *word, n;
    size_t cap;
    void *own; /* of kinds that read */
};

ThLanguageReader *th_language_reader(const ThLanguage *l, ThStop *stop, ThError *err)
{
    ThLanguageReader *r = th_alloc(1, sizeof *r, err);
    if (!r)
        return NULL;
    l = th_language_asked(l);
    *r = (ThLanguageReader){.l = l, .stop = stop};
    if (!l->kind->read || (r->own = l->kind->read(l, err)))
        return r;
    free(r);
    return NULL;
}

void th_language_reader_free(ThLanguageReader *r)
{
    if (!r)
        return;
    if (r->own)
        r->l->kind->stop_reading(r->own);
    TH_FREE(r->word, r);
}

bool th_language_push(ThLanguageReader *r, int symbol, bool *viable, ThError *err)
{
    bool ignored = true;
    bool *alive = viable ? viable : &ignored;
    *alive = true;
    if (!th_grow(&r->word, &r->cap, (size_t)r->n + 1, sizeof *r->word, err) ||
        (r->own && !r->l->kind->push(r->own, symbol, alive, err)))
        return false;
    r->word[r->n++] = symbol;
    if (r->l->kind->viable)
        *alive = r->l->kind->viable(r->l, (ThLanguageWord){r->word, r->n});
    return true;
}

void th_language_pop(ThLanguageReader *r)
{
    r->n--;
    if (r->own)
        r->l->kind->pop(r->own);
}

bool th_language_accepts(ThLanguageReader *r, ThLanguageAnswer *answer, ThError *err)
{
    const ThLanguageKind *k = r->l->kind;
    if (r->own && k->accepts)
        return k->accepts(r->own, answer, err);
    return k->member && /* a kind that does not read has it */
           k->member(r->l, (ThLanguageWord){r->word, r->n}, r->stop, answer, err);
}

bool th_language_member(const ThLanguage *l, ThLanguageWord word, ThStop *stop,
                        ThLanguageAnswer *answer, ThError *err)
{
    if (th_language_asked(l)->kind->member)
        return th_language_asked(l)->kind->member(th_language_asked(l), word, stop, answer, err);
    ThLanguageReader *r TH_OWNED(th_language_reader_free) = th_language_reader(l, stop, err);
    bool ok = r != NULL, viable = true;
    for (int i = 0; ok && viable && i < word.n; i++)
        ok = th_language_push(r, word.symbol[i], &viable, err) && !th_stopped(stop, err);
    *answer = TH_LANGUAGE_NO;
    ok = ok && (!viable || th_language_accepts(r, answer, err));
    return ok;
}

/* ---- all words of a length ------------------------------------------------------------------- */

/* A walk through the words of a length, depth first. */
typedef struct {
    ThLanguageReader *reader;
    int length;
    ThLanguageSeen *seen;
    void *context;
    bool go_on;
} Walk;

/* At a whole word. */
static bool arrive(Walk *w, ThError *err)
{
    ThLanguageAnswer answer;
    ThLanguageReader *r = w->reader;
    if (!th_language_accepts(r, &answer, err))
        return false;
    if (answer != TH_LANGUAGE_NO)
        w->go_on = w->seen(w->context, (ThLanguageWord){r->word, r->n}, answer);
    return true;
}

static bool too_many_tried(long long most, int length, ThError *err)
{
    return th_fail(err, TH_ELIMIT,
                   "there are too many words of length %d: more than %lld would have to be tried",
                   length, most);
}

/* All words that go on with w->length symbols behind what has been read. */
static bool walk(Walk *w, long long most, long long *n, ThError *err)
{
    ThLanguageReader *r = w->reader;
    int *next TH_OWNED(free) = th_alloc((size_t)w->length + 1, sizeof *next, err); /* to be tried */
    bool ok = next != NULL, viable = true;
    if (ok && w->length == 0)
        ok = arrive(w, err);
    for (int depth = 0; ok && w->go_on && w->length > 0 && depth >= 0;) {
        if (next[depth] == r->l->n_symbols) {
            next[depth--] = 0;
            if (depth >= 0)
                th_language_pop(r);
            continue;
        }
        ok = (most == 0 || *n < most || too_many_tried(most, w->length, err)) &&
             !th_stopped(r->stop, err) && th_language_push(r, next[depth]++, &viable, err);
        ++*n;
        if (ok && viable && depth + 1 == w->length)
            ok = arrive(w, err);
        if (ok && viable && depth + 1 < w->length)
            depth++;
        else if (ok)
            th_language_pop(r);
        if (ok && !w->go_on)
            for (; depth > 0; depth--)
                th_language_pop(r);
    }
    return ok;
}

bool th_language_each(const ThLanguage *l, int length, long long most, ThLanguageSeen *seen,
                      void *context, long long *tried, ThStop *stop, ThError *err)
{
    ThLanguageReader *r TH_OWNED(th_language_reader_free) = th_language_reader(l, stop, err);
    Walk w = {r, length, seen, context, true};
    long long n = 0;
    bool ok = r && walk(&w, most, &n, err);
    if (tried)
        *tried += n;
    return ok;
}

/* ---- what may follow ------------------------------------------------------------------------- */

enum { MOST_AHEAD = 1000 };

int th_language_ahead(const ThLanguage *l)
{
    int ahead = 0;
    long long words = l->n_symbols;
    if (th_language_knows_prefixes(l) || words == 0)
        return 0;
    for (; words <= MOST_AHEAD && ahead < MOST_AHEAD; words *= l->n_symbols)
        ahead++;
    return ahead;
}

typedef struct {
    bool found, open;
} Ahead;

static bool note_ahead(void *context, ThLanguageWord word TH_UNUSED, ThLanguageAnswer answer)
{
    Ahead *a = context;
    a->found = answer == TH_LANGUAGE_YES;
    a->open = a->open || answer == TH_LANGUAGE_UNKNOWN;
    return !a->found;
}

/* Does a word begin with what has been read that is at most so many symbols longer? */
static bool look_ahead(ThLanguageReader *r, int ahead, Ahead *a, ThError *err)
{
    long long n = 0;
    bool ok = true;
    for (int k = 0; ok && !a->found && k <= ahead; k++) {
        Walk w = {r, k, note_ahead, a, true};
        ok = walk(&w, 0, &n, err);
    }
    a->open = a->open && !a->found;
    return ok;
}

static bool not_known(const ThLanguageReader *r, const char *symbol, const char *why, ThError *err)
{
    th_fail(err, TH_ELIMIT, "whether a word goes on with %s behind %d symbol%s is not known",
            symbol, r->n, &"s"[r->n == 1]);
    return th_hint(err, "%s", why);
}

/* May the symbol follow? */
static bool may_follow(ThLanguageReader *r, int symbol, int ahead, bool *may, ThError *err)
{
    const ThLanguageKind *k = r->l->kind;
    Ahead a = {0};
    if (!th_language_push(r, symbol, may, err))
        return false;
    bool unsure = *may && k->unsure && k->unsure(r->own);
    bool ok = k->knows_prefixes || !*may || look_ahead(r, ahead, &a, err);
    *may = *may && (k->knows_prefixes || a.found);
    th_language_pop(r);
    if (unsure)
        return not_known(r, r->l->symbol[symbol],
                         "too many configurations would have to be searched", err);
    return ok && (!a.open ||
                  not_known(r, r->l->symbol[symbol], "some got no answer within the steps", err));
}

bool th_language_next(ThLanguageReader *r, int ahead, bool *next, ThError *err)
{
    ThLanguageAnswer answer = TH_LANGUAGE_NO;
    int n = r->l->n_symbols;
    bool ok = th_language_accepts(r, &answer, err);
    if (ok && answer == TH_LANGUAGE_UNKNOWN)
        return not_known(r, "nothing", "it got no answer within the steps", err);
    next[n] = answer == TH_LANGUAGE_YES;
    for (int a = 0; ok && a < n; a++)
        ok = may_follow(r, a, ahead, &next[a], err);
    return ok;
}

/* ---- states ---------------------------------------------------------------------------------- */

static bool no_states(const ThLanguage *l, ThError *err)
{
    th_fail(err, TH_EVALUE, "languages of the kind %s have no states to be tracked", l->kind->name);
    return th_hint(err, "automata, counters, machines and deterministic pushdown automata have");
}

bool th_language_add_state(char ***name, int *n, const char *state, const char *seen, ThError *err)
{
    char **grown = realloc(*name, ((size_t)*n + 1) * sizeof *grown);
    if (!grown)
        return th_fail(err, TH_ENOMEM, "out of memory (%d states)", *n + 1);
    *name = grown;
    return (grown[*n] = th_printed(err, "%s%s%s", state, *seen ? ":" : "", seen)) && ++*n;
}

static bool has_name(char *const *name, int n, const char *text)
{
    for (int i = 0; i < n; i++)
        if (strcmp(name[i], text) == 0)
            return true;
    return false;
}

bool th_language_states(const ThLanguage *l, char ***name, int *n, ThError *err)
{
    ThText sink TH_OWNED(th_text_free) = {0};
    *name = NULL;
    *n = 0;
    bool ok = l->kind->states ? l->kind->states(l, name, n, err) : no_states(l, err);
    th_text_add(&sink, "sink");
    while (ok && !sink.failed && has_name(*name, *n, sink.data))
        th_text_add(&sink, "'");
    if (ok && th_language_add_state(name, n, sink.data ? sink.data : "", "", err))
        return true;
    TH_FREE_EACH(*name, *n);
    *name = NULL;
    return false;
}

bool th_language_track(const ThLanguage *l, ThLanguageWord word, int *state, ThStop *stop,
                       ThError *err)
{
    return l->kind->track ? l->kind->track(l, word, state, stop, err) : no_states(l, err);
}
