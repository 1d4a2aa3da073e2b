/* step_automaton.c - an automaton reads a word by hand: step, back. */

#include "commands/automata/runs.h"
#include "commands/machines/machines.h"

/* What an automaton has no use for. */
static bool refuse_options(const ShCall *call, ThError *err)
{
    static const char *const no[] = {"choice", "undo", "seed", "form", "width"};
    for (size_t i = 0; i < sizeof no / sizeof *no; i++)
        if (th_option_known(&call->options, no[i]) && th_option_given(&call->options, no[i]))
            return sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                                   "an automaton has no use for %s=", no[i]);
    return true;
}

static bool begin(const ShCall *call, ShObject *o, ThError *err)
{
    const ThAutomaton *a = o->as.automaton;
    int length;
    int *word = th_symbols_read(a->symbol, a->n_symbols, call->operand[1].text, &length, err);
    if (!word)
        return sh_error_inside(err, &call->operand[1]);
    sh_drop_stepping(o);
    o->word = word;
    o->word_length = length;
    o->word_read = 0;
    return true;
}

/* Symbols up to the end of the run: one more than can be read where that leads nowhere. */
static int last_of(const ThAutomatonRun *r)
{
    return r->read < r->length ? r->read + 1 : r->length;
}

static void show(ShSession *s, const ShObject *o, const ThAutomatonRun *r, bool figures)
{
    const ThAutomaton *a = o->as.automaton;
    ThText states TH_OWNED(th_text_free) = {0}, word TH_OWNED(th_text_free) = {0};
    int at = o->word_read;
    if (at <= r->read)
        sh_write_states(&states, a, r, at);
    else
        th_text_add(&states, "nowhere");
    th_symbols_write_at(&word, a->symbol, a->n_symbols, o->word, o->word_length, at);
    sh_say(s, "%d  %s%s%s\n", at, th_text_string(&states), word.size ? "  " : "",
           th_text_string(&word));
    if (!figures)
        return;
    if (at == last_of(r))
        sh_say(s, "%s\n", r->accepted ? "accept" : "reject");
    sh_results(s, "halted:b accepted:b steps:i state:s", (int)(at == last_of(r)),
               (int)(at == last_of(r) && r->accepted), (long long)at, th_text_string(&states));
}

/* Goes to a place of the word, or one after the other with so many seconds between them. */
static bool go_to(ShSession *s, const ShCall *call, uint64_t steps, ThError *err)
{
    ShObject *o = call->operand[0].object;
    ThAutomatonRun r TH_OWNED(th_automaton_run_free) = {0};
    if (!th_automaton_run_word(&r, o->as.automaton, o->word, o->word_length, sh_stop(s), err))
        return sh_error_inside(err, &call->operand[0]);
    uint64_t left = (uint64_t)(last_of(&r) - o->word_read);
    int end = o->word_read + (int)(steps < left ? steps : left);
    bool watch = th_option_known(&call->options, "watch") &&
                 th_option_given(&call->options, "watch") && sh_out(s);
    for (; watch && o->word_read < end && !*sh_stop(s); o->word_read++) {
        show(s, o, &r, false);
        fflush(sh_out(s));
        sh_wait_seconds(th_option_real(&call->options, "watch"), sh_stop(s));
    }
    o->word_read = watch ? o->word_read : end;
    show(s, o, &r, true);
    return true;
}

static bool fail_none(const ShCall *call, ThError *err)
{
    const char *name = call->operand[0].object->name;
    return sh_fail_operand(err, &call->operand[0], TH_EUSAGE, "there is no run of %s by hand",
                           name) ||
           th_hint(err, "step %s INPUT starts one", name);
}

bool sh_step_automaton(ShSession *s, const ShCall *call, uint64_t steps, ThError *err)
{
    ShObject *o = call->operand[0].object;
    if (!refuse_options(call, err) || (call->n > 1 && !begin(call, o, err)))
        return false;
    return o->word ? go_to(s, call, steps, err) : fail_none(call, err);
}

bool sh_back_automaton(ShSession *s, const ShCall *call, uint64_t steps, ThError *err)
{
    ShObject *o = call->operand[0].object;
    if (!refuse_options(call, err))
        return false;
    if (!o->word)
        return fail_none(call, err);
    if (steps > (uint64_t)o->word_read)
        sh_say(s, "only %d step%s had been made\n", o->word_read, sh_plural(o->word_read));
    o->word_read -= steps > (uint64_t)o->word_read ? o->word_read : (int)steps;
    return go_to(s, call, 0, err);
}
