/* analyze.c - commands that say what a machine will do before or without running it. */

#include "commands/machines/machine_lists.h"

static const ThOptionSpec analyze_options[] = {
    {"steps", TH_INT, "1000000", 0, 4e18, NULL, "steps that the machine is run for at most"},
    {"cells", TH_INT, "0", 0, 4e18, NULL, "cells that it may stand on in this run; 0: no limit"},
    {"configurations", TH_INT, "1000000", 1, 2e9, NULL,
     "configurations that a machine with choices may come to"},
    {"depth", TH_INT, "100", 0, 100000, NULL, "steps back from the ways to stop"},
    {"width", TH_INT, "8", 0, 64, NULL, "cells of a context on either side of the head, at most"},
    {"history", TH_INT, "4", 0, 16, NULL,
     "cases in which a cell of a context was written, at most"},
    {"words", TH_INT, "8", 1, 64, NULL, "cells of a repeated word, at most"},
    {"rules", TH_INT, "1000000", 1, 1e15, NULL, "moves by rules, at most"},
    {"ask", TH_CHOICE, "stops", 0, 0, "stops|quasihalts|blank",
     "of a list: whether a machine stops; leaves a state for the last time; ever has a blank tape "
     "again"},
    {"far", TH_INT, "5", 1, TH_TM_FAR_STATES, NULL, "states of the automaton of far, at most"},
    {"method", TH_CHOICE, "all", 0, 0,
     "all|unreachable|cyclers|backward_reasoning|ngram_cps|bouncers|far|repeated_words|rules",
     "only one decider; cyclers runs the machine and looks for cyclers and translated cyclers, or "
     "goes through all choices"},
    {"lines", TH_INT, "60", 0, 1e9, NULL, "lines of a long proof that are printed; 0: all"},
    SH_LIST_OPTIONS,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};
enum { ASK_STOPS, ASK_QUASIHALTS, ASK_BLANK }; /* ask= */
/* method= */
enum {
    METHOD_ALL,
    METHOD_REACH,
    METHOD_RUN,
    METHOD_BACKWARD,
    METHOD_CONTEXTS,
    METHOD_BOUNCERS,
    METHOD_FAR,
    METHOD_WORDS,
    METHOD_RULES
};

static ThTmAnalysisLimits analysis_limits(const ShCall *call)
{
    const ThOptions *o = &call->options;
    int method = th_option_choice(o, "method");
    long long cells = th_option_int(o, "cells");
    bool all = method == METHOD_ALL;
    ThTmAnalysisLimits l = {.run = {(uint64_t)th_option_int(o, "steps"), UINT64_MAX}};
    l.configurations = (uint64_t)th_option_int(o, "configurations");
    if (cells > 0)
        l.run.cells = (uint64_t)cells;
    l.depth = (int)th_option_int(o, "depth");
    l.width = (int)th_option_int(o, "width");
    l.history = (int)th_option_int(o, "history");
    l.reach = all || method == METHOD_REACH;
    l.run_it = all || method == METHOD_RUN;
    l.backward = all || method == METHOD_BACKWARD;
    l.contexts = all || method == METHOD_CONTEXTS;
    l.bouncers = all || method == METHOD_BOUNCERS ? l.run.steps : 0;
    l.words = all || method == METHOD_WORDS ? (int)th_option_int(o, "words") : 0;
    l.rules = all || method == METHOD_RULES ? (uint64_t)th_option_int(o, "rules") : 0;
    l.far = all || method == METHOD_FAR ? (int)th_option_int(o, "far") : 0;
    return l;
}

/* Of a machine with choices, all runs of which were gone through. */
static void say_choices(ShSession *s, const ThTmAnalysis *a)
{
    unsigned long long n = a->end.steps;
    const char *plural = sh_plural(n);
    if (a->proof != TH_TM_PROOF_STOPS)
        sh_say_folded(
            s,
            "unknown: no run stops within %zu configuration%s and %llu step%s, which was the "
            "limit of %s",
            a->configurations, sh_plural((long long)a->configurations), n, plural,
            th_tm_verdict_name(a->runs));
    else if (a->runs == TH_TM_REJECTED)
        sh_say(s, "stops: every run is rejected, the first after %llu step%s\n", n, plural);
    else
        sh_say(s, "stops: a run is %s after %llu step%s%s\n", th_tm_verdict_name(a->end.verdict), n,
               plural,
               a->runs == TH_TM_ENDLESS  ? "; no run accepts, and some go on for ever"
               : a->runs > TH_TM_ENDLESS ? "; what others do is open"
                                         : "");
}

/* What rules say of a machine that stops. */
static void say_big(ShSession *s, const ThTmAnalysis *a)
{
    ThText steps TH_OWNED(th_text_free) = {0}, nonblank TH_OWNED(th_text_free) = {0};
    th_tm_big_write(&steps, a->ruled.steps);
    th_tm_big_write(&nonblank, a->ruled.nonblank);
    sh_say_folded(s, "stops: after %s steps, with %s cells that are not blank",
                  th_text_string(&steps), th_text_string(&nonblank));
    sh_results(s, "all_steps:s all_nonblank:s", a->ruled.steps, a->ruled.nonblank);
}

static void say_verdict(ShSession *s, const ThTmAnalysis *a, const ThTm *m)
{
    unsigned long long n = a->end.steps;
    const char *plural = sh_plural(n);
    if (a->runs != TH_TM_GOES_ON && (a->proof == TH_TM_PROOF_STOPS || a->proof == TH_TM_PROOF_NONE))
        say_choices(s, a);
    else if (a->ruled.stops)
        say_big(s, a);
    else if (a->proof == TH_TM_PROOF_STOPS)
        sh_say(s, "stops: %s after %llu step%s\n", th_tm_verdict_name(a->end.verdict), n, plural);
    else if (a->proof != TH_TM_PROOF_NONE)
        sh_say(s, "never stops (%s)%s\n", th_tm_proof_name(a->proof),
               m->branching ? ", whatever it chooses" : "");
    else if (a->end.steps > 0)
        sh_say(s, "unknown: it has not stopped after %llu step%s on %llu cell%s\n", n, plural,
               (unsigned long long)a->end.cells, sh_plural(a->end.cells));
    else
        sh_say(s, "unknown\n");
}

/* States that no input can lead to, and the number of them. */
static int say_states(ShSession *s, const ThTmAnalysis *a, const ThTm *m)
{
    int n = 0;
    for (int q = 0; q < m->n_states; q++)
        if (!a->any.state[q] && (m->role[q] == TH_TM_RUNS || !m->busy_beaver))
            sh_say(s, "%s %s", n++ == 0 ? "no input leads to state" : ",", m->state[q]);
    sh_say(s, n ? "\n" : "");
    return n;
}

static void write_rule(ThText *t, const ThTm *m, const ThTmRule *r)
{
    static const char *const move[] = {"L", "S", "R"};
    th_text_add(t, r->from == TH_TM_ANY ? "*" : m->state[r->from]);
    for (int k = 0; k < m->n_tapes; k++)
        th_text_printf(t, "%s %s", k ? " |" : "",
                       r->read[k] == TH_TM_ANY ? "*" : m->symbol[r->read[k]]);
    th_text_add(t, " ->");
    for (int k = 0; k < m->n_tapes; k++)
        th_text_printf(t, "%s %s%s%s", k ? " |" : "",
                       r->write[k] == TH_TM_ANY ? "" : m->symbol[r->write[k]],
                       r->write[k] == TH_TM_ANY ? "" : " ", move[r->move[k] + 1]);
    th_text_printf(t, " %s", r->to == TH_TM_ANY ? "*" : m->state[r->to]);
}

/* Rules that no input can make the machine use, and the number of them. */
static int say_rules(ShSession *s, const ThTmAnalysis *a, const ThTm *m, ThText *t)
{
    enum { MOST = 20 };
    int n = 0;
    for (size_t i = 0; i < m->n_rules; i++) {
        const ThTmRule *r = &m->rule[i];
        if (a->any.rule[i] || r->undefined)
            continue;
        if (n++ == 0)
            th_text_add(t, "no input makes it use\n");
        if (n > MOST)
            continue;
        th_text_add(t, "  ");
        write_rule(t, m, r);
        th_text_add(t, "\n");
    }
    if (n > MOST)
        th_text_printf(t, "  and %d other rules\n", n - MOST);
    sh_say(s, "%s", th_text_string(t));
    return n;
}

static const char *verdict_of(const ThTmAnalysis *a)
{
    return a->proof == TH_TM_PROOF_STOPS || a->ruled.stops ? "stops"
           : a->proof == TH_TM_PROOF_NONE                  ? "unknown"
                                                           : "never";
}

static void set_figures(ShSession *s, const ThTmAnalysis *a)
{
    bool again = a->proof == TH_TM_PROOF_CYCLE || a->proof == TH_TM_PROOF_TRANSLATION;
    sh_results(s, "verdict:s proof:s steps:i cells:i", verdict_of(a), th_tm_proof_name(a->proof),
               (long long)a->end.steps, (long long)a->end.cells);
    ThText certificate TH_OWNED(th_text_free) = {0};
    th_tm_certificate(&certificate, a);
    sh_result_text(s, "certificate", th_text_string(&certificate));
    if (again)
        sh_results(s, "begins:i period:i shift:i", (long long)a->again.step,
                   (long long)a->again.period, (long long)a->again.shift);
    if (a->proof == TH_TM_PROOF_BACKWARD)
        sh_result_int(s, "depth", a->backward.depth);
    if (a->proof == TH_TM_PROOF_CONTEXTS)
        sh_results(s, "width:i history:i contexts:i", (long long)a->contexts.width,
                   (long long)a->contexts.history, (long long)a->contexts.context.n);
}

/* Of a run that repeats itself: what it does for the last time. */
static bool say_afterwards(ShSession *s, const ThTmAnalysis *a, const ThTmWork *work, ThError *err)
{
    ThTmAfterwards x TH_OWNED(th_tm_afterwards_free) = {0};
    const ThTm *m = work->machine;
    if (a->proof != TH_TM_PROOF_CYCLE && a->proof != TH_TM_PROOF_TRANSLATION)
        return true;
    if (!th_tm_afterwards(&x, work, a->again.step, a->again.period, err))
        return false;
    if (x.settled) {
        sh_say(s, "quasihalts: after %llu step%s it uses only", (unsigned long long)x.settled,
               sh_plural((long long)x.settled));
        for (int q = 0; q < x.n; q++)
            sh_say(s, "%s%s", x.again[q] ? " " : "", x.again[q] ? m->state[q] : "");
        sh_say(s, "\n");
    }
    if (x.blank)
        sh_say(s, "the tape is blank again after %llu step%s\n", (unsigned long long)x.blank,
               sh_plural((long long)x.blank));
    sh_results(s, "quasihalts:i blank:i", (long long)x.settled, (long long)x.blank);
    return true;
}

static bool say_analysis(ShSession *s, const ShCall *call, const ThTmAnalysis *a,
                         const ThTmTapeWords *words, ThError *err)
{
    const ThTm *m = call->operand[0].object->as.machine;
    ThText proof TH_OWNED(th_text_free) = {0}, rules TH_OWNED(th_text_free) = {0};
    size_t lines = (size_t)th_option_int(&call->options, "lines");
    ThTmWork work = {.machine = m, .words = words, .stop = sh_stop(s)};
    bool ok = th_tm_proof_write(&proof, a, &work, lines, err);
    if (ok && (proof.failed || rules.failed))
        ok = th_fail(err, TH_ENOMEM, "out of memory for the proof");
    if (ok) {
        set_figures(s, a);
        say_verdict(s, a, m);
        FILE *out = sh_out(s);
        if (out && proof.data)
            fputs(proof.data, out);
        else if (!out)
            sh_result_text(s, "text", th_text_string(&proof));
        ok = say_afterwards(s, a, &work, err);
        sh_result_int(s, "unreached", say_states(s, a, m));
        sh_result_int(s, "unused", say_rules(s, a, m, &rules));
    }
    return ok;
}

/* What ask= asks of a machine instead: whether it leaves a state for ever, or has a blank tape. */
static bool ask_row(ShListRow *row, const ThTmAnalysis *a, const ThTmWork *w, int ask, ThError *err)
{
    ThTmAfterwards x TH_OWNED(th_tm_afterwards_free) = {0};
    bool again = a->proof == TH_TM_PROOF_CYCLE || a->proof == TH_TM_PROOF_TRANSLATION,
         stops = a->proof == TH_TM_PROOF_STOPS;
    if (!th_tm_afterwards(&x, w, again ? a->again.step : a->end.steps, again ? a->again.period : 0,
                          err))
        return false;
    row->number[0] = ask == ASK_BLANK ? x.blank : again ? x.settled : a->end.steps;
    if (ask == ASK_BLANK)
        row->verdict = x.blank ? "blank" : again || stops ? "never" : "unknown";
    else
        row->verdict = stops ? "stops" : !again ? "unknown" : x.settled ? "quasihalts" : "never";
    return true;
}

static bool analyze_listed(ShSession *s, const ShCall *call, const ThTm *m, ShListRow *row,
                           ThError *err)
{
    ThTmTapeWords words = {0};
    ThTmAnalysis a;
    ThTmWork work = {.machine = m, .words = &words, .stop = sh_stop(s)};
    int ask = th_option_choice(&call->options, "ask");
    ThTmAnalysisLimits limits = analysis_limits(call);
    if (ask != ASK_STOPS) /* which only runs tell */
        limits = (ThTmAnalysisLimits){.run = limits.run, .run_it = true};
    if (!th_tm_analyze(&a, m, &words, limits, sh_stop(s), err))
        return false;
    row->verdict = verdict_of(&a);
    row->proof = th_tm_proof_name(a.proof);
    row->number[0] = a.end.steps;
    row->number[1] = a.end.cells;
    bool ok = ask == ASK_STOPS || ask_row(row, &a, &work, ask, err);
    if (ask == ASK_STOPS)
        th_tm_certificate(&row->certificate, &a);
    th_tm_analysis_free(&a, m);
    if (ok && row->certificate.failed)
        ok = th_fail(err, TH_ENOMEM, "out of memory for a certificate");
    return ok;
}

SH_COMMAND(
    analyze, .group = "machines",
    .summary = "prove that a machine never stops, or run it to its end",
    .detail =
        "Answers whether the machine stops on an input (without one: on the blank tape), and "
        "prints the proof: \"stops\" with the number of steps, \"never stops\" with a reason, or "
        "\"unknown\", for no procedure decides this for every machine.  The reasons are those of "
        "bbchallenge's deciders:\n\n"
        "  unreachable: by states and symbols alone, no way to stop can be reached\n"
        "  cycler: a configuration comes back\n"
        "  translated_cycler: the head is farther out than ever before at two steps, in the same "
        "state, and all cells that it stood on in between are the same, moved by some cells\n"
        "  backward_reasoning: all ways to stop, followed backwards step by step, end in "
        "contradictions\n"
        "  ngram_cps: the cells nearest to the head and the groups of neighbours beside them form "
        "a set that is closed under all rules and has no way to stop.  Cells may carry the last "
        "cases in which they were written, up to history=.  Counters are often proved by it "
        "(closed position sets)\n"
        "  bouncers: the head goes back and forth, and each time the tape has the same words once "
        "more: shown of a formula in which they may be there any number of times\n"
        "  far: an automaton reads the tape up to the head; all that may stop are told by it from "
        "the start (finite automata reduction)\n"
        "  repeated_words: the tape as words of some cells, where of many equal ones in a row it "
        "is not told how many: finitely many configurations lead to each other only\n"
        "  rules: the tape is runs of equal words; what happens again and again is proved with "
        "letters for how many there are, and done as often as it can be at once: some machines "
        "stop so after 10^1000 steps ($all_steps), others never.  Such rows have no certificate\n\n"
        "Of a machine with several tapes only unreachable and cycler are tried.  Of one that has "
        "the choice of several rules all configurations that its choices lead to are gone through, "
        "breadth first, up to configurations= of them, instead of the two cyclers: \"stops\" means "
        "that some choice makes it stop, \"never\" that none does (choices: they are finitely "
        "many, and it goes on from each).\n\n"
        "Of a machine whose configuration comes back, shifted or not, it is told whether it "
        "quasihalts, leaving a state for the last time ($quasihalts: after so many steps, 0: no), "
        "and whether its tape is ever blank again ($blank, 0: never).\n\n"
        "Below, the states that no input leads to are listed, and the rules that no input makes "
        "the machine use, as far as states and symbols alone tell.\n\n"
        "LIST is a file of machines, a bbchallenge string a line; a # begins a comment, and what "
        "follows a comma is left alone.  It may also be a variable, a list of such strings, as "
        "load defines for such a file.  Each is started on the blank tape, and there is a row for "
        "each.  With > \"out.csv\" the rows are written as they come, and with >> \"out.csv\" a "
        "list that was not finished goes on after the last row: also if the program was killed, "
        "nothing is done twice or left out.  The last column has numbers from which check "
        "certificate \"out.csv\" proves the row again, by itself; behind the rows it is said how "
        "many machines have which verdict.",
    .example = "machine runner = \"1RB1LB_1LA1RC_---0RA\"\n"
               "analyze runner\n"
               "#> never stops (translated_cycler)\n"
               "#> after 3 steps the head is farther to the left than ever before,\n"
               "#> and again after 15, in the same state; the cells that it stood on in between\n"
               "#> hold the same symbols then, 2 to the left; and so on every 12 steps\n"
               "#>   3  B  cells -1 to 1: [0]11\n"
               "#>   15  B  cells -3 to -1: [0]11\n"
               "machine dead = \"1RA0LC_1RA1LA_---0RB\"\n"
               "analyze dead method=backward_reasoning\n"
               "#> never stops (backward_reasoning)\n"
               "#> all ways to stop, followed backwards, end in contradictions within 2 steps,\n"
               "#> and the start is none of these configurations (? is any symbol)\n"
               "#>   0  C  [0]  stops: C 0 -> 1 R Z\n"
               "#>   1  A  0[1]  by A 1 -> 0 L C\n"
               "#>        not by A 0 -> 1 R A: it leaves 1 where 0 stands\n"
               "#>        not by B 0 -> 1 R A: it leaves 1 where 0 stands\n"
               "#>   2  B  01[1]  by B 1 -> 1 L A\n"
               "#>        not by C 1 -> 0 R B: it leaves 0 where 1 stands\n",
    .results =
        "verdict proof steps cells begins period shift depth width history contexts "
        "unreached unused certificate quasihalts blank all_steps all_nonblank machines done never "
        "stops unknown",
    .args = {{A_MACHINE, "MACHINE", 0}, {A_INPUT, "INPUT", A_OPTIONAL}},
    .args2 = {{A_LIST, "LIST", 0}}, .options = analyze_options, .flags = C_PAGED | C_LISTS)
{
    if (call->form == 2)
        return sh_each_machine(s, call, "machine:s verdict:s proof:s steps:i cells:i certificate:s",
                               analyze_listed, err);
    const ThTm *m = call->operand[0].object->as.machine;
    const ShOperand *input = call->n > 1 ? &call->operand[1] : NULL;
    ThTmTapeWords words TH_OWNED(th_tm_tape_words_free) = {0};
    ThTmAnalysis a = {0};
    if (!th_tm_tape_words_read(&words, m, input ? input->text : "", err))
        return input ? sh_error_inside(err, input) : false;
    bool ok = th_tm_analyze(&a, m, &words, analysis_limits(call), sh_stop(s), err);
    if (ok) {
        ok = say_analysis(s, call, &a, &words, err);
        th_tm_analysis_free(&a, m);
    }
    return ok;
}
