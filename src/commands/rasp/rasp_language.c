/* rasp_language.c - an s-op that gives truth values as a language, beside an automaton. */

#include "rasp.h"

typedef struct {
    const ThDfa *machine;
    ThRaspWords program;
    int *word, length, longest;
    long long words;
    bool differ, accepts; /* accepts: what the program says there */
} Search;

/* The words of one length, up to one on which the two differ. */
static bool search_length(ShSession *s, Search *x, ThError *err)
{
    for (int i = 0; i < x->length; i++)
        x->word[i] = 0;
    do {
        if (th_stopped(x->program.stop, err) ||
            !th_rasp_accepts(&x->program, x->word, x->length, &x->accepts, err))
            return false;
        if (++x->words % 1024 == 0)
            sh_progress(s, "%lld words, of %d symbols now", x->words, x->length);
        x->differ = x->accepts != (th_dfa_class(x->machine, x->word, (size_t)x->length) == 1);
    } while (!x->differ && th_symbols_next(x->word, x->length, x->machine->n_symbols));
    return true;
}

static bool search(ShSession *s, Search *x, ThError *err)
{
    x->word = th_alloc((size_t)x->longest + 1, sizeof *x->word, err);
    bool ok = x->word != NULL;
    while (ok && !x->differ && x->length < x->longest) {
        x->length++;
        ok = search_length(s, x, err);
    }
    return ok;
}

static void say(ShSession *s, const Search *x, const ThAutomaton *a, const char *program,
                const char *automaton)
{
    ThText t TH_OWNED(th_text_free) = {0};
    bool single = th_symbols_single(a->symbol, a->n_symbols);
    for (int i = 0; x->differ && i < x->length; i++) {
        th_text_add(&t, i && !single ? " " : "");
        th_text_add(&t, a->symbol[x->word[i]]);
    }
    sh_results(s, "agree:b word:s inputs:i", !x->differ, th_text_string(&t), (long long)x->words);
    if (x->differ) {
        sh_say(s, "they differ on %s\n", th_text_string(&t));
        sh_say(s, "  %s %s it\n", program, x->accepts ? "accepts" : "rejects");
        sh_say(s, "  %s %s it\n", automaton, x->accepts ? "rejects" : "accepts");
        return;
    }
    sh_say(s, "the same on all %lld words of 1 to %d symbol%s over", x->words, x->longest,
           sh_plural(x->longest));
    for (int i = 0; i < a->n_symbols; i++)
        sh_say(s, " %s", a->symbol[i]);
    sh_say(s, "; the empty word is no input\n");
}

bool sh_compare_language(ShSession *s, const ShCall *call, const ShOperand *program, ThRaspSop sop,
                         const ShOperand *automaton, ThError *err)
{
    ThAutomaton *a TH_OWNED(th_automaton_free) = sh_automaton_value(s, automaton, err);
    size_t most = (size_t)sh_setting_int(s, "limit-states");
    ThDfa *machine TH_OWNED(th_dfa_free) =
        a ? th_automaton_acceptor(a, most, sh_stop(s), err) : NULL;
    ThRaspGraph *g = th_rasp_graph(s->rasp);
    ThRaspAtom *letter TH_OWNED(free) =
        machine ? th_rasp_letters(g, a->symbol, a->n_symbols, err) : NULL;
    Search x = {.machine = machine,
                .program = {g, sop, letter, sh_stop(s)},
                .longest = (int)th_option_range(&call->options, "length").hi};
    bool ok = letter != NULL;
    if (ok && x.longest == 0)
        ok = sh_fail_operand(err, program, TH_EUSAGE, "the empty word is no input of a program");
    ok = ok && (search(s, &x, err) || sh_error_inside(err, program));
    if (ok)
        say(s, &x, a, program->text, automaton->text);
    free(x.word);
    return ok;
}
