/* language_words.c - words, count, shortest, ambiguity and compare of languages that are not known
 * to be regular. */
#include <math.h>

#include "commands/languages/languages.h"
#include "commands/modelling.h"
#include "language/operand.h"

/* ---- words ----------------------------------------------------------------------------------- */

enum {
    LONGEST = 1000,       /* of the words that are listed where no length is given */
    LONGEST_UNSURE = 150, /* where it is not known whether there are any */
    LONGEST_OUTSIDE = 64,
    MOST_OUTSIDE = 250000 /* words that are asked for one that is no member */
};

typedef struct {
    ShSession *s;
    const ThLanguage *l;
    long long printed, most, unknown;
    bool cut;
} Listing;

static void say_open(ShSession *s, long long words)
{
    if (words)
        sh_say(s, "%lld word%s got no answer\n", words, &"s"[words == 1]);
}

/* A word as it is typed. */
static void write_word(ThText *t, const ThLanguage *l, ThLanguageWord word)
{
    int n;
    char *const *symbol = th_language_symbols(l, &n);
    th_symbols_write(t, symbol, n, word.symbol, word.n);
}

void sh_print_word(ShSession *s, char *const *symbol, int n, ThLanguageWord word)
{
    ThText t TH_OWNED(th_text_free) = {0};
    th_symbols_write(&t, symbol, n, word.symbol, word.n);
    const char *text = t.data ? t.data : "";
    if (sh_out(s))
        fprintf(sh_out(s), "%s\n", word.n ? text : "\"\"");
    else
        sh_row(s, text, (long long)word.n);
}

static bool print_word(void *context, ThLanguageWord word, ThLanguageAnswer answer)
{
    Listing *x = context;
    int n;
    char *const *symbol = th_language_symbols(x->l, &n);
    x->unknown += answer == TH_LANGUAGE_UNKNOWN;
    if (answer != TH_LANGUAGE_YES)
        return true;
    x->cut = x->printed == x->most;
    if (x->cut)
        return false;
    sh_print_word(x->s, symbol, n, word);
    x->printed++;
    return true;
}

/* Are there words of a length?  Where that is not known, there may be. */
static bool has_words(const ThLanguage *l, int length, bool *has, ThStop *stop, ThError *err)
{
    if ((*has = th_language_may_not_answer(l)))
        return true;
    ThLanguageWords *w TH_OWNED(th_language_words_free) = th_language_words(l, length, stop, err);
    *has = w && !(th_language_words_log(w) == -HUGE_VAL);
    return w != NULL;
}

/* How long words are looked for where no length is given: none where it is known that there are
 * none, longer ones where it is known that there are some. */
static bool find_longest(const ThLanguage *l, int *longest, ThStop *stop, ThError *err)
{
    int n;
    bool some = false;
    ThError own = {0};
    th_language_symbols(l, &n);
    ThLanguageReader *r TH_OWNED(th_language_reader_free) = th_language_reader(l, stop, err);
    bool *next TH_OWNED(free) = r ? th_alloc((size_t)n + 1, sizeof *next, err) : NULL;
    *longest = LONGEST;
    if (!next || !th_language_knows_prefixes(l))
        return next != NULL;
    if (!th_language_next(r, 0, next, &own)) {
        *longest = LONGEST_UNSURE;
        return own.code == TH_ELIMIT || th_fail(err, own.code, "%s", own.msg);
    }
    for (int a = 0; a <= n; a++)
        some = some || next[a];
    *longest = some ? LONGEST : -1;
    return true;
}

static bool list_words(Listing *x, ThRange range, bool given, ThError *err)
{
    long long tried = 0, most = given ? 0 : TH_LANGUAGE_MOST_TRIED;
    for (long long k = range.lo; k <= range.hi && !x->cut; k += range.step) {
        bool has;
        ThError own = {0};
        if (!has_words(x->l, (int)k, &has, sh_stop(x->s), err))
            return false;
        if (!has || th_language_each(x->l, (int)k, given ? 0 : most - tried, print_word, x, &tried,
                                     sh_stop(x->s), &own))
            continue;
        if (own.code != TH_ELIMIT)
            return th_fail(err, own.code, "%s", own.msg);
        sh_say(x->s, "... longer words were not looked for: length= names them\n");
        return true;
    }
    if (x->cut)
        sh_say(x->s, "... the first %lld; there are more\n", x->most);
    else if (!given)
        sh_say(x->s, "... longer words were not looked for: length= names them\n");
    return true;
}

/* Of a distribution, words of any length. */
static bool draw_any(Listing *x, const ShCall *call, ThError *err)
{
    ThRng r = th_rng((uint64_t)sh_seed(x->s, &call->options), "words", 0);
    int *word TH_OWNED(free) = NULL, n;
    size_t cap = 0;
    bool ok = true;
    for (long long i = th_option_int(&call->options, "random"); ok && i > 0; i--) {
        ok = th_distribution_draw(x->l, &r, &word, &cap, &n, sh_stop(x->s), err);
        if (ok)
            print_word(x, (ThLanguageWord){word, n}, TH_LANGUAGE_YES);
    }
    return ok;
}

static bool draw_words(Listing *x, const ShCall *call, ThError *err)
{
    long long times = th_option_int(&call->options, "random");
    if (!th_option_given(&call->options, "length") && th_language_is_distribution(x->l))
        return draw_any(x, call, err);
    if (!th_option_given(&call->options, "length"))
        return th_fail(err, TH_EUSAGE, "random words need a length") ||
               th_hint(err, "for instance length=20");
    ThRange range = th_option_range(&call->options, "length");
    bool ok = true;
    for (long long k = range.lo; ok && k <= range.hi; k += range.step) {
        ThRng r = th_rng((uint64_t)sh_seed(x->s, &call->options), "words", (uint64_t)k);
        ThLanguageWords *w TH_OWNED(th_language_words_free) =
            th_language_words(x->l, (int)k, sh_stop(x->s), err);
        int *word TH_OWNED(free) = w ? th_alloc((size_t)k, sizeof *word, err) : NULL;
        ok = word != NULL;
        for (long long i = 0; ok && i < times; i++) {
            ok = !th_stopped(sh_stop(x->s), err) && th_language_draw(w, &r, word, err);
            if (ok)
                print_word(x, (ThLanguageWord){word, (int)k}, TH_LANGUAGE_YES);
        }
    }
    return ok;
}

bool sh_words_language(ShSession *s, const ShCall *call, const ThAutomaton *a, ThError *err)
{
    size_t limit = (size_t)sh_setting_int(s, "limit-states");
    bool given = th_option_given(&call->options, "length");
    bool random = th_option_int(&call->options, "random") > 0;
    ThLanguage *l TH_OWNED(th_language_free) =
        a ? th_language_of_automaton(a, limit, sh_stop(s), err)
          : sh_language_with(s, call->operand[0].object, &call->options, NULL, err);
    Listing x = {s, l, .most = th_option_int_or(&call->options, "most", given ? 1000 : 20)};
    if (random)
        x.most = -1;
    bool table = !sh_out(s);
    if (table && l)
        sh_table(s, "words", "word:s length:i");
    int longest = 0;
    bool ok =
        l && (random ? draw_words(&x, call, err) : find_longest(l, &longest, sh_stop(s), err));
    ThRange range = given ? th_option_range(&call->options, "length") : (ThRange){0, longest, 1};
    if (ok && !random && longest >= 0)
        ok = list_words(&x, range, given, err);
    if (table && l)
        sh_table_end(s);
    if (ok)
        sh_result_int(s, "count", x.printed);
    if (ok && !random && (given || longest < 0) && x.printed + x.unknown == 0)
        sh_say(s, "no words\n");
    say_open(s, ok ? x.unknown : 0);
    return ok;
}

static bool print_found(void *context, ThLanguageWord word, uint64_t stage)
{
    Listing *x = context;
    x->cut = x->printed == x->most;
    if (x->cut)
        return false;
    ThText t TH_OWNED(th_text_free) = {0};
    write_word(&t, x->l, word);
    sh_row(x->s, (long long)stage, word.n ? t.data : "\"\"");
    x->printed++;
    return true;
}

bool sh_find_words(ShSession *s, const ShCall *call, ThError *err)
{
    static const char *const others[] = {"length", "random", "seed"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (th_option_given(&call->options, others[i]))
            return th_fail(err, TH_EUSAGE, "%s= is for order=length", others[i]);
    ThLanguage *l TH_OWNED(th_language_free) =
        sh_language_with(s, call->operand[0].object, &call->options, NULL, err);
    Listing x = {s, l, .most = th_option_int_or(&call->options, "most", 20)};
    sh_table(s, "words", "step:i word:s");
    bool ok = l && th_language_enumerate(l, print_found, &x, sh_stop(s), err);
    sh_table_end(s);
    if (ok)
        sh_result_int(s, "count", x.printed);
    if (ok)
        sh_say(s,
               x.cut ? "... the first %lld; there are more\n"
                     : "%lld within the steps; steps= looks further\n",
               x.printed);
    return ok;
}

/* ---- count ----------------------------------------------------------------------------------- */

typedef struct {
    ShSession *s;
    ThRange range;
    long long open;
} Count;

static bool count_row(void *context, int length, const char *digits, long long open)
{
    Count *t = context;
    bool asked = (length - t->range.lo) % t->range.step == 0;
    t->open += asked ? open : 0;
    if (asked)
        sh_row(t->s, (long long)length, digits);
    return true;
}

/* What the numbers of a grammar count. */
static bool say_trees(ShSession *s, const ThLanguage *l, int hi, ThError *err)
{
    ThLanguageAmbiguity a;
    if (strcmp(th_language_kind_name(l), "grammar") != 0 || th_language_has_cycles(l))
        return true;
    if (!th_language_ambiguity(l, hi < 12 ? hi : 12, &a, sh_stop(s), err))
        return false;
    if (a.word)
        sh_say(s, "the grammar is ambiguous: its words were tried one by one\n");
    else if (!a.never && a.tried_to < hi)
        sh_say(s,
               "no word of up to %d symbol%s has two trees; of longer ones the trees are counted\n",
               a.tried_to, sh_plural(a.tried_to));
    free(a.word);
    return true;
}

bool sh_count_language(ShSession *s, const ShCall *call, ThError *err)
{
    Count t = {s, th_option_range(&call->options, "length"), 0};
    ThLanguage *l TH_OWNED(th_language_free) =
        sh_language_with(s, call->operand[0].object, &call->options, NULL, err);
    if (!l)
        return false;
    char *total TH_OWNED(free) = NULL;
    sh_table(s, "lengths", "length:i words:n");
    bool ok = th_language_count(l, (int)t.range.lo, (int)t.range.hi, count_row, &t,
                                t.range.step == 1 ? &total : NULL, sh_stop(s), err);
    sh_table_end(s);
    say_open(s, ok ? t.open : 0);
    ok = ok && say_trees(s, l, (int)t.range.hi, err);
    if (ok && total)
        sh_result_digits(s, "total", total);
    return ok;
}

/* ---- shortest -------------------------------------------------------------------------------- */

typedef struct {
    const ThLanguage *l;
    ThText text;
    bool found, none; /* none: it is known that there is none */
    long long open;   /* words before it that got no answer */
} First;

static bool first_member(void *context, ThLanguageWord word, ThLanguageAnswer answer)
{
    First *f = context;
    f->open += answer == TH_LANGUAGE_UNKNOWN;
    f->found = answer == TH_LANGUAGE_YES;
    if (f->found)
        write_word(&f->text, f->l, word);
    return !f->found;
}

/* The first word of a length that is no member: what two words in a row begin with is read once. */
static bool first_of_length(ThLanguageReader *r, First *f, int length, long long *tried,
                            ThStop *stop, ThError *err)
{
    int word[LONGEST_OUTSIDE] = {0}, n, read = 0;
    th_language_symbols(f->l, &n);
    bool more = length == 0 || n > 0;
    while (more && !f->found && ++*tried < MOST_OUTSIDE) {
        ThLanguageAnswer answer;
        for (; read < length; read++)
            if (!th_language_push(r, word[read], NULL, err))
                return false;
        if (th_stopped(stop, err) || !th_language_accepts(r, &answer, err))
            return false;
        f->open += answer == TH_LANGUAGE_UNKNOWN;
        f->found = answer == TH_LANGUAGE_NO;
        if (f->found)
            write_word(&f->text, f->l, (ThLanguageWord){word, length});
        for (; read > 0 && word[read - 1] == n - 1; read--)
            th_language_pop(r);
        more = read > 0;
        if (more)
            th_language_pop(r);
        read -= more;
        more = more && th_symbols_next(word, length, n);
    }
    for (; read > 0; read--)
        th_language_pop(r);
    return true;
}

static bool first_outside(const ThLanguage *l, First *f, ThStop *stop, ThError *err)
{
    long long tried = 0;
    ThLanguageReader *r TH_OWNED(th_language_reader_free) = th_language_reader(l, stop, err);
    bool ok = r != NULL;
    for (int k = 0; ok && !f->found && k < LONGEST_OUTSIDE && tried < MOST_OUTSIDE; k++)
        ok = first_of_length(r, f, k, &tried, stop, err);
    return ok;
}

static void say_first(ShSession *s, const char *what, const char *name, const First *f)
{
    const char *text = f->text.data ? f->text.data : "";
    sh_result_text(s, name, f->found ? text : NULL);
    sh_say(s, "%s %s\n", what,
           f->none     ? "no word"
           : !f->found ? "no word that was looked at"
           : *text     ? text
                       : "the empty word");
    if (f->open)
        sh_say(s, "  %lld earlier word%s got no answer\n", f->open, &"s"[f->open == 1]);
}

bool sh_shortest_language(ShSession *s, const ShCall *call, ThError *err)
{
    ThLanguage *l TH_OWNED(th_language_free) =
        sh_language_with(s, call->operand[0].object, &call->options, NULL, err);
    First in = {.l = l}, out = {.l = l};
    ThError own = {0};
    long long tried = 0;
    int longest = 0;
    bool ok = l && find_longest(l, &longest, sh_stop(s), err);
    for (int k = 0; ok && !in.found && k <= longest && tried < TH_LANGUAGE_MOST_TRIED; k++) {
        bool has;
        ok = has_words(l, k, &has, sh_stop(s), err) &&
             (!has ||
              th_language_each(l, k, TH_LANGUAGE_MOST_TRIED - tried, first_member, &in, &tried,
                               sh_stop(s), &own) ||
              own.code == TH_ELIMIT);
    }
    if (own.code && own.code != TH_ELIMIT)
        th_fail(err, own.code, "%s", own.msg);
    in.none = longest < 0;
    ok = ok && first_outside(l, &out, sh_stop(s), err);
    if (ok) {
        if (in.none || in.found)
            sh_result_flag(s, "empty", in.none);
        say_first(s, "accepts", "accepted", &in);
        say_first(s, "rejects", "rejected", &out);
    }
    th_text_free(&in.text);
    th_text_free(&out.text);
    return ok;
}

/* ---- ambiguity ------------------------------------------------------------------------------- */

bool sh_ambiguity_language(ShSession *s, const ShCall *call, ThError *err)
{
    const ShOperand *o = &call->operand[0];
    const ThLanguage *l = o->object->kind == SH_LANGUAGE ? o->object->as.language : NULL;
    ThLanguageAmbiguity a = {0};
    bool trees =
        l && (th_language_is_pushdown(l) || strcmp(th_language_kind_name(l), "grammar") == 0);
    if (!trees)
        return sh_fail_operand(err, o, TH_EUSAGE, "'%s' is no automaton and no grammar", o->text);
    bool cycles = th_language_has_cycles(l);
    if (!cycles && !th_language_ambiguity(l, 12, &a, sh_stop(s), err))
        return false;
    sh_result_text(s, "ambiguity", a.never ? "none" : a.word || cycles ? "ambiguous" : "unknown");
    if (a.never) {
        sh_say(s, "unambiguous: a parser that sees one symbol ahead is never in doubt\n");
    } else if (cycles) {
        sh_say(s, "ambiguous: a variable derives itself alone, in infinitely many trees\n");
    } else if (a.word) {
        ThText t TH_OWNED(th_text_free) = {0};
        write_word(&t, l, (ThLanguageWord){a.word, a.n});
        sh_result_text(s, "word", t.data ? t.data : "");
        sh_say(s, "ambiguous: %s has %.15g trees\n", t.data ? t.data : "the empty word", a.trees);
    } else {
        sh_say(s, "no ambiguous word to length %d (all tried)\n", a.tried_to);
    }
    free(a.word);
    return true;
}

/* ---- compare --------------------------------------------------------------------------------- */

/* An operand of compare: the language that it names, or an automaton's, beside another one. */
static ThLanguage *side(ShSession *s, const ShCall *call, int k, const ThLanguage *other,
                        ThError *err)
{
    const ShOperand *o = &call->operand[k];
    ShOperand own = {.kind = A_LANGUAGE, .text = o->text, .line = o->line, .col = o->col};
    ThLanguageAlphabet beside = {0};
    if (other)
        beside.name = th_language_symbols(other, &beside.n);
    ThLanguage *l = NULL;
    if (sh_operand_resolve(s, &own, false, err))
        l = sh_language_with(s, own.object, &call->options, &beside, err);
    sh_object_free(own.own);
    if (!l)
        sh_error_inside(err, o);
    return l;
}

/* Both; a machine and an s-op come last, for they take the symbols of what is beside them. */
static bool sides(ShSession *s, const ShCall *call, ThLanguage *l[2], ThError *err)
{
    const ShObject *o = sh_find(s, call->operand[0].text);
    int last = !o || (o->kind != SH_MACHINE && o->kind != SH_S_OP);
    l[!last] = side(s, call, !last, NULL, err);
    l[last] = l[!last] ? side(s, call, last, l[!last], err) : NULL;
    return l[last] != NULL;
}

static void say_compared(ShSession *s, const ShCall *call, const ThLanguage *a, ThRange length,
                         const ThLanguageDifference *d)
{
    static const char *const does[] = {"rejects", "accepts", "does not answer to"};
    ThText t TH_OWNED(th_text_free) = {0};
    if (d->differ)
        write_word(&t, a, (ThLanguageWord){d->word, d->n});
    const char *word = t.data ? t.data : "";
    sh_result_flag(s, "agree", !d->differ && d->unknown == 0);
    sh_result_text(s, "word", word);
    if (d->words >= 0)
        sh_result_int(s, "inputs", d->words);
    sh_result_int(s, "open", d->unknown);
    if (d->differ) {
        sh_say(s, "they differ on %s\n", *word ? word : "the empty word");
        for (int k = 0; k < 2; k++)
            sh_say(s, "  %s %s it\n", call->operand[k].text, does[d->answer[k]]);
    } else {
        char number[32] = "";
        if (d->words >= 0)
            snprintf(number, sizeof number, "%lld ", d->words - d->unknown);
        sh_say(s, "the same on %s %swords of %lld to %lld symbol%s%s\n",
               d->unknown ? "those" : "all", number, length.lo, length.hi, sh_plural(length.hi),
               d->unknown ? " that both answer" : "");
    }
    if (d->unknown)
        sh_say(s, "  %lld word%s got no answer\n", d->unknown, &"s"[d->unknown == 1]);
}

/* Does it name what is asked word by word?  Names of the session come before the library's. */
static bool is_language(ShSession *s, const ShOperand *o)
{
    const ShObject *x = sh_find(s, o->text);
    ThLanguage *named TH_OWNED(th_language_free) = x ? NULL : th_language_named(o->text, NULL);
    return x ? x->kind == SH_LANGUAGE || x->kind == SH_MACHINE : named != NULL;
}

bool sh_compare_languages(ShSession *s, const ShCall *call, bool *does, ThError *err)
{
    const ShOperand *o = call->operand;
    *does = is_language(s, &o[0]) || is_language(s, &o[1]);
    if (!*does)
        return true;
    ThRange length = th_option_range(&call->options, "length");
    ThLanguageDifference d = {0};
    ThAutomaton *a[2] = {NULL, NULL};
    ThLanguage *l[2] = {NULL, NULL};
    bool ok = sides(s, call, l, err) && th_language_automaton(l[0], &a[0], sh_stop(s), err) &&
              th_language_automaton(l[1], &a[1], sh_stop(s), err);
    if (ok && a[0] && a[1]) {
        ok = sh_compare_automata(s, call, a[0], a[1], err);
    } else if (ok) {
        ThLanguageLengths lengths = {(int)length.lo, (int)length.hi};
        ok = th_language_compare(l[0], l[1], lengths, &d, sh_stop(s), err);
        if (ok)
            say_compared(s, call, l[0], length, &d);
        free(d.word);
    }
    for (int k = 0; k < 2; k++) {
        th_automaton_free(a[k]);
        th_language_free(l[k]);
    }
    return ok;
}
