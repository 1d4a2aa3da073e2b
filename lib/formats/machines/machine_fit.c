#include "formats/machines/machine_fit.h"

#include <strings.h>

#include "formats/notes.h"
#include "formats/machines/machine_read.h"
#include "turing/transform.h"

/* What is being made to fit; m is a machine of its own and replaced step by step. */
typedef struct {
    ThTm *m;
    const ThFormatFit *fit;
    bool accepts, halts; /* has states that do */
    ThText *notes;
    ThError *err;
} Fitting;

static bool can(const Fitting *x, unsigned what)
{
    return (x->fit->can & what) != 0;
}

static bool refuse(const Fitting *x, const char *why, const char *hint)
{
    th_fail(x->err, TH_EVALUE, "%s holds no %s", x->fit->format, why);
    return hint ? th_hint(x->err, "%s", hint) : false;
}

/* Goes on with another machine. */
static bool become(Fitting *x, ThTm *m)
{
    if (!m)
        return false;
    th_tm_free(x->m);
    x->m = m;
    return true;
}

/* The roles of the states that will be in the file: of the others a reader knows nothing. */
static bool count_roles(Fitting *x)
{
    const ThTm *m = x->m;
    bool *named TH_OWNED(free) = th_alloc((size_t)m->n_states, sizeof *named, x->err);
    if (!named)
        return false;
    named[m->start] = true;
    for (size_t i = 0; i < m->n_rules; i++)
        if (m->rule[i].to != TH_TM_ANY)
            named[m->rule[i].to] = true;
    x->accepts = x->halts = false;
    for (int q = 0; q < m->n_states; q++) {
        bool seen = named[q] || can(x, FIT_LISTED | FIT_ACCEPTS);
        x->accepts = x->accepts || (seen && m->role[q] == TH_TM_ACCEPTS);
        x->halts = x->halts || (seen && m->role[q] == TH_TM_HALTS);
    }
    return true;
}

/* ---- what the machine does ------------------------------------------------------------------- */

static bool check_kind(const Fitting *x)
{
    const ThTm *m = x->m;
    if (m->n_tapes > x->fit->most_tapes)
        return refuse(x,
                      x->fit->most_tapes == 1 ? "machine with several tapes"
                                              : "machine with that many tapes",
                      NULL);
    if (m->branching && !can(x, FIT_CHOICE))
        return refuse(x, "choice between several rules",
                      ".jff files hold nondeterministic machines");
    if (can(x, FIT_ACCEPTS) && x->halts && x->accepts)
        return refuse(x, "difference between halting and accepting",
                      "the machine has states of both kinds");
    return true;
}

static bool fit_edge(Fitting *x)
{
    const ThTm *m = x->m;
    if (m->edge == TH_TM_TWO_WAY || (m->edge == TH_TM_EDGE_STAY && can(x, FIT_EDGE_STAYS)))
        return true;
    if (m->n_tapes > 1)
        return refuse(x, "tapes with an edge", NULL);
    if (m->edge == TH_TM_EDGE_ERROR)
        return refuse(x, "edge at which a move is an error",
                      "tape one-way edge=stay or edge=reject can be written");
    if (!become(x, th_tm_unbounded(m, TH_FORMAT_MOST_IMPORTED, x->err)))
        return false;
    th_format_note(x->notes, "the edge of the tape became a symbol, %s, that two first steps write",
                   x->m->symbol[x->m->n_symbols - 1]);
    return count_roles(x);
}

/* What happens where no rule applies, in a machine that stops otherwise there than the format. */
static ThTmRole missing_role(const Fitting *x)
{
    bool reject = x->m->missing == TH_TM_MISSING_REJECT;
    return reject ? TH_TM_REJECTS : can(x, FIT_ACCEPTS) && !x->halts ? TH_TM_ACCEPTS : TH_TM_HALTS;
}

/* jsturing has a rule for all that is left. */
static bool catch_all(Fitting *x, ThTmRole role, const char *name)
{
    ThTmBuild b = {0};
    ThTmRule r = {TH_TM_ANY, 0, {TH_TM_ANY}, {TH_TM_ANY}, {0}, false, false};
    th_tm_like(&b, x->m);
    for (size_t i = 0; i < x->m->n_rules; i++)
        th_tm_add(&b, &x->m->rule[i]);
    r.to = th_tm_state(&b, name);
    if (!b.failed && r.to >= x->m->n_states)
        b.m.role[r.to] = role;
    bool fresh = b.failed || b.m.role[r.to] == role;
    th_tm_add(&b, &r);
    if (fresh)
        return become(x, th_tm_finish(&b, x->err));
    th_tm_build_free(&b);
    return th_fail(x->err, TH_EVALUE, "the state %s would have to stop the machine", name);
}

static bool fit_missing(Fitting *x)
{
    ThTmMissing has = x->m->missing, wants = x->fit->missing;
    bool rejecting = wants == TH_TM_MISSING_HALT && can(x, FIT_ROLE_NAMES) && x->accepts;
    if (rejecting)
        wants = TH_TM_MISSING_REJECT;
    if (has == wants || !th_tm_misses(x->m))
        return true;
    if (wants == TH_TM_MISSING_STEP && has == TH_TM_MISSING_HALT) {
        th_format_note(x->notes, "where no rule applies, jsturing makes one more step");
        return true;
    }
    ThTmRole role = missing_role(x);
    const char *name = role == TH_TM_REJECTS ? "reject" : role == TH_TM_ACCEPTS ? "accept" : "halt";
    if (role != TH_TM_REJECTS && can(x, FIT_ACCEPTS) && x->accepts)
        return refuse(x, "halting where no rule applies beside accepting", NULL);
    if (can(x, FIT_WILDCARDS) && x->m->n_tapes == 1) {
        if (!catch_all(x, role, role == TH_TM_REJECTS ? "halt-reject" : "halt"))
            return false;
    } else if (!become(x, th_tm_total(x->m, role, name, TH_FORMAT_MOST_IMPORTED, x->err))) {
        return false;
    }
    if (has != TH_TM_MISSING_STEP)
        th_format_note(x->notes,
                       "where no rule applied there is one now, which goes to the state %s: one "
                       "more step",
                       x->m->state[x->m->rule[x->m->n_rules - 1].to]);
    x->m->missing = wants;
    return count_roles(x);
}

static bool has_wildcards(const ThTm *m)
{
    for (size_t i = 0; i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        bool any = r->from == TH_TM_ANY || r->to == TH_TM_ANY;
        for (int t = 0; t < m->n_tapes; t++)
            any = any || r->read[t] == TH_TM_ANY;
        if (any)
            return true;
    }
    return false;
}

static bool fit_wildcards(Fitting *x)
{
    if (can(x, FIT_WILDCARDS) || !has_wildcards(x->m))
        return true;
    size_t before = x->m->n_rules;
    if (!become(x, th_tm_expand(x->m, TH_FORMAT_MOST_IMPORTED, x->err)))
        return false;
    th_format_note(x->notes, "wildcards became rules for each symbol: %zu instead of %zu",
                   x->m->n_rules, before);
    return true;
}

static bool fit_stays(Fitting *x)
{
    size_t stays = 0;
    int before = x->m->n_states;
    for (size_t i = 0; i < x->m->n_rules; i++)
        stays += x->m->rule[i].move[0] == 0;
    if (can(x, FIT_STAYS) || stays == 0)
        return true;
    if (!become(x, th_tm_moving(x->m, TH_FORMAT_MOST_IMPORTED, x->err)))
        return false;
    int more = x->m->n_states - before;
    th_format_note(x->notes,
                   "%zu rule%s that stand%s still became a step to the right and one back, through "
                   "%d new state%s",
                   stays, stays == 1 ? "" : "s", stays == 1 ? "s" : "", more, more == 1 ? "" : "s");
    return true;
}

static void fit_pauses(Fitting *x)
{
    bool any = false;
    for (size_t i = 0; i < x->m->n_rules && !can(x, FIT_PAUSES); i++) {
        any = any || x->m->rule[i].pause;
        x->m->rule[i].pause = false;
    }
    if (any)
        th_format_note(x->notes, "breakpoints were left out");
}

/* ---- names ----------------------------------------------------------------------------------- */

/* No control characters, ends of lines, byte order marks, or code points that are no characters:
 * one format or another drops or refuses them. */
static bool printable(const char *name)
{
    for (size_t n = strlen(name), size; n > 0; name += size, n -= size) {
        int32_t c = 0;
        size = th_utf8_next(name, n, &c);
        if (size == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x2028 || c == 0x2029 ||
            c == 0xfeff || (c & 0xfffe) == 0xfffe)
            return false;
    }
    return true;
}

static bool fit_symbols(const Fitting *x)
{
    for (int s = 0; s < x->m->n_symbols; s++) {
        const char *name = x->m->symbol[s];
        if (s == x->m->blank && x->fit->blank)
            continue;
        if (can(x, FIT_SINGLE) && !th_format_field_single((ThFormatField){name, strlen(name)}))
            return th_fail(x->err, TH_EVALUE,
                           "symbols are single characters in %s, and %.60s is none", x->fit->format,
                           name);
        if (!printable(name) || strpbrk(name, x->fit->no_symbol) ||
            (can(x, FIT_NO_BLANKS) && strchr(name, ' ')))
            return th_fail(x->err, TH_EVALUE, "%s cannot have the symbol \"%.60s\"", x->fit->format,
                           name);
        if (x->fit->blank && strcmp(name, x->fit->blank) == 0)
            return th_fail(x->err, TH_EVALUE, "in %s %s is the blank, and here another symbol",
                           x->fit->format, name);
    }
    return true;
}

/* Puts another name in the place of one, where nothing has it yet. */
static bool rename_state(Fitting *x, int q, const char *front, const char *name)
{
    ThTm *m = x->m;
    ThText t = {0};
    th_text_printf(&t, "%s%s", front, name);
    bool taken = t.failed;
    for (int p = 0; !taken && p < m->n_states; p++)
        taken = p != q && strcmp(m->state[p], t.data) == 0;
    char *own = th_text_take(&t, x->err);
    if (!own || taken) {
        free(own);
        return false;
    }
    th_format_note(x->notes, "the state %s is written %s", m->state[q], own);
    free(m->state[q]);
    m->state[q] = own;
    return true;
}

/* The role that a reader will see. */
static ThTmRole role_seen(const Fitting *x, int q)
{
    const char *name = x->m->state[q];
    ThTmRole role = th_format_role_of_name(name);
    bool word = strcasecmp(name, "accept") == 0 || strcasecmp(name, "reject") == 0;
    /* Of jsturing only a clone stops there. */
    if (can(x, FIT_HALT_NAMES) && word)
        return x->m->role[q] == TH_TM_RUNS ? role : TH_TM_RUNS;
    if (can(x, FIT_HALT_NAMES))
        return role == TH_TM_RUNS || strncasecmp(x->m->state[q], "halt", 4) == 0 ? role
                                                                                 : TH_TM_RUNS;
    if (x->m->role[q] == TH_TM_RUNS)
        return TH_TM_RUNS;
    return role == TH_TM_RUNS ? TH_TM_HALTS : role;
}

static bool fit_role_name(Fitting *x, int q)
{
    static const char *const plain[] = {"q-", "halt-", "accept-", "reject-"},
                             *const halting[] = {"q-", "halt-", "halt-accept-", "halt-reject-"},
                             *const bare[] = {"", "halt", "accept", "reject"},
                             *const halts[] = {"", "halt", "halt-accept", "halt-reject"};
    ThTmRole role = x->m->role[q];
    bool names = can(x, FIT_HALT_NAMES);
    if (role_seen(x, q) == role)
        return true;
    if (role != TH_TM_RUNS && rename_state(x, q, names ? halts[role] : bare[role], ""))
        return true;
    char *old TH_OWNED(free) = th_strdup(x->m->state[q], x->err);
    bool ok = old && (rename_state(x, q, names ? halting[role] : plain[role], old) ||
                      rename_state(x, q, names ? "_halting[" : "_", old));
    return ok && role_seen(x, q) == role;
}

static bool fit_states(Fitting *x)
{
    for (int q = 0; q < x->m->n_states; q++) {
        const char *name = x->m->state[q];
        if (!printable(name) || strpbrk(name, x->fit->no_state) ||
            (can(x, FIT_NO_BLANKS) && strchr(name, ' ')))
            return th_fail(x->err, TH_EVALUE, "%s cannot have the state \"%.60s\"", x->fit->format,
                           name);
        if (can(x, FIT_ROLE_NAMES) && !fit_role_name(x, q))
            return th_fail(x->err, TH_EVALUE, "the state %.60s of %s would need another name",
                           x->m->state[q], x->fit->format);
    }
    return true;
}

/* A state without rules stops the machine as a missing rule does; in these formats it must say so
 * by its name. */
static bool fit_ruleless(Fitting *x)
{
    ThTm *m = x->m;
    if (can(x, FIT_HALT_NAMES) || m->missing == TH_TM_MISSING_STEP)
        return true;
    bool *left TH_OWNED(free) = th_alloc((size_t)m->n_states, sizeof *left, x->err), any = false;
    for (size_t i = 0; left && i < m->n_rules; i++) {
        any = any || m->rule[i].from == TH_TM_ANY;
        if (m->rule[i].from != TH_TM_ANY)
            left[m->rule[i].from] = true;
    }
    for (int q = 0; left && !any && q < m->n_states; q++)
        if (m->role[q] == TH_TM_RUNS && !left[q])
            m->role[q] = m->missing == TH_TM_MISSING_REJECT ? TH_TM_REJECTS : TH_TM_HALTS;
    return left != NULL;
}

/* States and symbols that no rule names are not in the file. */
static bool note_unused(const Fitting *x)
{
    const ThTm *m = x->m;
    bool *state TH_OWNED(free) = th_alloc((size_t)m->n_states, sizeof *state, x->err);
    bool *symbol TH_OWNED(free) = th_alloc((size_t)m->n_symbols, sizeof *symbol, x->err);
    int states = 0, symbols = 0;
    for (size_t i = 0; state && symbol && i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        if (r->from != TH_TM_ANY)
            state[r->from] = true;
        if (r->to != TH_TM_ANY)
            state[r->to] = true;
        for (int t = 0; t < m->n_tapes; t++) {
            if (r->read[t] != TH_TM_ANY)
                symbol[r->read[t]] = true;
            if (r->write[t] != TH_TM_ANY)
                symbol[r->write[t]] = true;
        }
    }
    for (int q = 0; state && q < m->n_states; q++)
        states += !state[q] && q != m->start && !can(x, FIT_LISTED);
    for (int s = 0; symbol && s < m->n_symbols; s++)
        symbols += !symbol[s] && s != m->blank;
    if (states)
        th_format_note(x->notes, "%d state%s that no rule names %s not in the file", states,
                       states == 1 ? "" : "s", states == 1 ? "is" : "are");
    if (symbols)
        th_format_note(x->notes, "%d symbol%s that no rule names %s not in the file", symbols,
                       symbols == 1 ? "" : "s", symbols == 1 ? "is" : "are");
    return state && symbol;
}

static void note_roles(const Fitting *x)
{
    if (can(x, FIT_ACCEPTS) && x->halts)
        th_format_note(x->notes, "states that halt are written as states that accept");
    const char *blank = x->m->symbol[x->m->blank];
    if (x->fit->blank && strcmp(blank, *x->fit->blank ? x->fit->blank : "_") != 0)
        th_format_note(x->notes, "the blank %s is written %s", blank,
                       *x->fit->blank ? x->fit->blank : "as no symbol");
}

ThTm *th_format_machine_fit(const ThTm *m, const ThFormatFit *fit, ThText *notes, ThError *err)
{
    Fitting x = {th_tm_copy(m, err), fit, false, false, notes, err};
    if (!x.m)
        return NULL;
    bool ok = count_roles(&x) && check_kind(&x) && fit_edge(&x) && fit_missing(&x) &&
              fit_wildcards(&x) && fit_stays(&x) && fit_ruleless(&x) && fit_symbols(&x) &&
              fit_states(&x) && note_unused(&x);
    if (ok) {
        fit_pauses(&x);
        note_roles(&x);
        return x.m;
    }
    th_tm_free(x.m);
    return NULL;
}
