/* objects.c - commands about named objects of any kind. */
#include <math.h>

#include "terminal/confirm.h"
#include "rasp.h"
#include "commands/modelling.h"
#include "object_kinds.h"

static ShSize automaton_size(const ThAutomaton *a)
{
    size_t states, transitions;
    th_automaton_size(a, &states, &transitions);
    return (ShSize){NULL,
                    {{"states", (long long)states},
                     {"transitions", (long long)transitions},
                     {"symbols", a->n_symbols},
                     {"all_states", a->n_states},
                     {"all_transitions", (long long)a->n_arcs}}};
}

static ShSize model_size(const ThModel *m)
{
    if (!m->bound)
        return (ShSize){.of = m->kind->name};
    return (ShSize){m->kind->name,
                    {{"parameters", (long long)th_params_count(&m->params)},
                     {"steps", m->training.step},
                     {m->n_ablations > 0 ? "ablations" : NULL, (long long)m->n_ablations}}};
}

static ShSize object_size(ShSession *s, const ShObject *o)
{
    if (sh_is_rasp(o->kind))
        return sh_rasp_size(s, o);
    if (o->kind == SH_AUTOMATON)
        return automaton_size(o->as.automaton);
    if (o->kind == SH_MODEL)
        return model_size(o->as.model);
    if (o->kind == SH_MACHINE)
        return (ShSize){NULL,
                        {{"states", o->as.machine->n_states},
                         {"symbols", o->as.machine->n_symbols},
                         {"tapes", o->as.machine->n_tapes}}};
    if (o->kind == SH_LANGUAGE) {
        int n;
        th_language_symbols(o->as.language, &n);
        return (ShSize){th_language_kind_name(o->as.language), {{"symbols", n}}};
    }
    const ThSignature *g = &o->as.task->signature;
    return (ShSize){o->as.task->kind->name,
                    {{"symbols", g->n_symbols},
                     {g->target == TH_TARGET_BITS ? "bits" : "classes", g->n_classes}}};
}

static void add_count(ThText *t, const char *plural, long long n)
{
    int letters = (int)strlen(plural) - (n == 1);
    th_text_printf(t, "%s%lld %.*s", t->size ? ", " : "", n, letters, plural);
}

/* Of automata the counts of the trimmed one, and where there is more to it the others. */
static void add_counts(ThText *t, const ShObject *o, const ShSize *size)
{
    enum { STATES, TRANSITIONS, SYMBOLS, ALL_STATES, ALL_TRANSITIONS };
    bool automaton = o->kind == SH_AUTOMATON;
    for (int i = 0; i < (automaton ? SYMBOLS : 5) && size->count[i].name; i++)
        if (strcmp(size->count[i].name, "tapes") != 0 || size->count[i].n > 1)
            add_count(t, size->count[i].name, size->count[i].n);
    if (automaton && (size->count[STATES].n != size->count[ALL_STATES].n ||
                      size->count[TRANSITIONS].n != size->count[ALL_TRANSITIONS].n))
        th_text_printf(t, " (%lld and %lld before trimming)", size->count[ALL_STATES].n,
                       size->count[ALL_TRANSITIONS].n);
}

char *sh_object_size_text(ShSession *s, const ShObject *o)
{
    ShSize size = object_size(s, o);
    ThText t = {0};
    th_text_add(&t, size.of ? size.of : "");
    if (o->kind == SH_MODEL && !o->as.model->bound)
        th_text_add(&t, ", no task yet");
    add_counts(&t, o, &size);
    return th_text_take(&t, NULL);
}

/* What is counted of any object: columns of csv. */
static const char *const counted[] = {
    "states", "transitions", "symbols", "all_states", "all_transitions", "tapes",   "classes",
    "bits",   "parameters",  "steps",   "layers",     "nodes",           "elements"};
enum { COUNTED = sizeof counted / sizeof *counted };

/* A row of `list` for programs. */
static void list_counts(ShSession *s, const ShObject *o)
{
    ShSize size = object_size(s, o);
    double n[COUNTED];
    for (int k = 0; k < COUNTED; k++) {
        n[k] = (double)NAN;
        for (int i = 0; i < 5 && size.count[i].name; i++)
            if (strcmp(size.count[i].name, counted[k]) == 0)
                n[k] = (double)size.count[i].n;
    }
    sh_row(s, o->name, sh_kind_name(o->kind), size.of ? size.of : "", n);
}

static void list_text(ShSession *s, const ShObject *o)
{
    char *size TH_OWNED(free) = sh_object_size_text(s, o);
    if (size)
        sh_row(s, o->name, sh_kind_name(o->kind), size);
}

/* "automata" and "models" for "automaton" and "model". */
static int kind_of_word(const char *word)
{
    static const char *const plural[] = {"automata",  "tasks",     "models",
                                         "machines",  "languages", "s-ops",
                                         "selectors", "functions", "values"};
    for (int k = 0; k < SH_N_KINDS; k++)
        if (strcmp(word, sh_kind_name((ShKind)k)) == 0 || strcmp(word, plural[k]) == 0)
            return k;
    return -1;
}

SH_COMMAND(
    list, .group = "objects", .summary = "list what has been defined",
    .detail =
        "One object a line, in order of definition, with its size; KIND is automaton, language, "
        "machine, task, model, or of RASP s-op, selector, function or value.  Of an automaton the "
        "states and transitions are counted that lie on a way from a start to an accepting state; "
        "where there are others, their number with these stands in brackets.  In csv and json each "
        "count stands by itself, and of is the kind of a task or model, or the type of a value.",
    .example = "automaton p = parity\ntask t = parity\nlist\n"
               "#> name  kind       size\n"
               "#> p     automaton  2 states, 4 transitions\n"
               "#> t     task       parity, 2 symbols, 2 classes",
    .args = {{A_KIND, "KIND", A_OPTIONAL}}, .flags = C_PAGED | C_KEEPS_RESULT)
{
    int kind = call->n ? kind_of_word(call->operand[0].text) : -1;
    if (call->n && kind < 0)
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                               "'%s' is no kind of object: automaton, language, machine, task, "
                               "model, s-op, selector, function or value",
                               call->operand[0].text);
    bool people = sh_out(s) != NULL;
    sh_table(s, "objects", people ? "name:s kind:s size:s" : "name:s kind:s of:s :v");
    sh_table_parts(s, counted, COUNTED);
    for (size_t i = 0; sh_object_at(s, i); i++)
        if (kind < 0 || (int)sh_object_at(s, i)->kind == kind)
            (people ? list_text : list_counts)(s, sh_object_at(s, i));
    sh_table_end(s);
    return true;
}

static const ThOptionSpec show_options[] = {
    {"alphabet", TH_STRING, NULL, 0, 0, NULL,
     "of an s-op as ltl or counts: what tokens are: characters, or words with blanks between them; "
     "default: the strings that it mentions, and a and b until there are two"},
    {0}};

SH_COMMAND(
    show, .group = "objects", .summary = "show an object in the syntax that defines it",
    .detail = "An automaton is shown as its block; a task with its alphabet, its classes and the "
              "chance level; a model with its layers, their shapes, how they are drawn and how "
              "many parameters there are; an s-op or selector of RASP as the program that computes "
              "it: typing its name shows its value.\n\n"
              "With as regex an automaton is shown as a regular expression for its language: a "
              "short one, and the same one for equal languages over the same alphabet.  as ltl "
              "shows it as a formula of temporal logic, if the language is star-free: what the "
              "levels of the cascade remember (decompose) is said by S, P and Y, with definitions "
              "where it would be long.  Read again it is the automaton, which is checked.\n\n"
              "as brasp writes a star-free language as a program of B-RASP, as crasp one that "
              "counting tells (classes: C-RASP), or that counting defines, as one of C-RASP, for "
              "load: in_NAME is true at the last position of the words of the language.  as counts "
              "is the latter as a formula, in which #x is how often x was true up to here, and is "
              "read again (help counting).  An s-op of such a program (see cost) is shown as ltl "
              "or counts, over the strings that it mentions: the way back.",
    .example = "automaton p = parity\nshow p\nautomaton e = regex \"(b*ab*a)*b*\"\n"
               "echo that was e\nshow e as regex\n"
               "automaton f = regex \"(10)*\"\nshow f as ltl",
    .results = "states transitions symbols all_states all_transitions regex ltl counts brasp crasp",
    .args = {{A_OBJECT, "NAME", 0}},
    .args2 = {{A_OBJECT, "NAME", 0},
              {A_KEYWORD, "as", 0},
              {A_TEXT, "regex|ltl|counts|brasp|crasp", 0}},
    .options = show_options, .flags = C_PAGED)
{
    const ShObject *o = call->operand[0].object;
    if (call->form == 2)
        return sh_show_as(s, call, err);
    if (o->kind == SH_AUTOMATON)
        return sh_show_automaton(s, o, err);
    if (o->kind == SH_MACHINE)
        return sh_show_machine(s, o, err);
    if (o->kind == SH_LANGUAGE)
        return sh_show_language(s, o, err);
    if (sh_is_rasp(o->kind))
        return sh_show_rasp(s, o, err);
    return o->kind == SH_TASK ? sh_show_task(s, o, err) : sh_show_model(s, o, err);
}

SH_COMMAND(
    drop, .group = "objects", .summary = "forget objects",
    .detail =
        "What was made from them stays.  Of a trained model it is said how much training is lost; "
        "at the prompt, tapehead asks first, also where a definition would replace such a model.",
    .example = "automaton p = parity\nautomaton q = even_pairs\ndrop p\nlist",
    .args = {{A_OBJECT, "NAME", A_REPEATED | A_NAMED}}, .flags = C_KEEPS_RESULT)
{
    for (int i = 0; i < call->n; i++)
        for (int j = i + 1; j < call->n; j++)
            if (call->operand[i].object == call->operand[j].object)
                return sh_fail_operand(err, &call->operand[j], TH_EUSAGE, "'%s' is named twice",
                                       call->operand[j].text);
    for (int i = 0; i < call->n; i++)
        if (call->operand[i].object == s->library)
            return sh_fail_operand(err, &call->operand[i], TH_EUSAGE,
                                   "'%s' belongs to RASP's library", call->operand[i].text);
    for (int i = 0; i < call->n; i++)
        if (!sh_confirm_loss(s, call->operand[i].object, err))
            return false;
    for (int i = 0; i < call->n; i++)
        sh_undefine(s, call->operand[i].object);
    return true;
}

SH_COMMAND(rename, .group = "objects", .summary = "give an object another name",
           .example = "automaton p = parity\nrename p q\nlist\n"
                      "#> name  kind       size\n"
                      "#> q     automaton  2 states, 4 transitions",
           .args = {{A_OBJECT, "OLD", A_NAMED}, {A_NEW, "NEW", 0}}, .flags = C_KEEPS_RESULT)
{
    return sh_rename(s, call->operand[0].object, call->operand[1].text, err) ||
           sh_error_inside(err, &call->operand[1]);
}

static void *copy_value(const ShObject *o, ThError *err)
{
    if (o->kind == SH_AUTOMATON)
        return th_automaton_copy(o->as.automaton, err);
    if (o->kind == SH_MACHINE)
        return th_tm_copy(o->as.machine, err);
    if (o->kind == SH_LANGUAGE)
        return th_language_share(o->as.language);
    if (o->kind == SH_MODEL)
        return th_model_copy(o->as.model, err);
    return th_task_copy(o->as.task, err);
}

static const ThOptionSpec copy_options[] = {
    {"noise", TH_REAL, "0", 0, 1000, NULL,
     "of a model: deviation of Gaussian noise that is added to every parameter"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the noise; default: set seed"},
    {0}};

/* Adds noise to the parameters. */
static void disturb(ThModel *m, double noise, uint64_t seed)
{
    ThRng r = th_rng(seed, "copy.noise", 0);
    for (size_t i = 0; i < m->params.total; i++)
        m->params.value[i] += (float)(noise * th_rng_normal(&r));
}

SH_COMMAND(copy, .group = "objects", .summary = "make a copy of an object under another name",
           .detail =
               "The copy of a model has its parameters and its training state.  With noise= its "
               "parameters are disturbed: how much does what was compiled, or learned, bear?",
           .example = "automaton p = parity\ncopy p q\nlist\n"
                      "#> name  kind       size\n"
                      "#> p     automaton  2 states, 4 transitions\n"
                      "#> q     automaton  2 states, 4 transitions\n"
                      "compile p as m prove=no > \"said.txt\"\ncopy m shaken noise=0.01 seed=1",
           .args = {{A_OBJECT, "NAME", A_NAMED}, {A_NEW, "NEW", 0}}, .options = copy_options,
           .flags = C_KEEPS_RESULT)
{
    const ShObject *o = call->operand[0].object;
    const char *name = call->operand[1].text;
    double noise = th_option_real(&call->options, "noise");
    ThRaspValue v;
    if (noise > 0 && (o->kind != SH_MODEL || !o->as.model->bound))
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                               "noise is for models that have parameters");
    if (sh_is_rasp(o->kind))
        return sh_rasp_value_of(s, o, &v, err) && th_rasp_define(s->rasp, name, &v, err) &&
               sh_define_rasp(s, name, o->kind, err);
    void *value = copy_value(o, err);
    if (value && noise > 0)
        disturb(value, noise, (uint64_t)sh_seed(s, &call->options));
    return value && sh_define(s, call->operand[1].text, o->kind, value, o->made_by, err);
}

static bool no_inputs_for(const ShOperand *o, const char *verb, ThError *err)
{
    return sh_fail_operand(err, o, TH_EUSAGE, "'%s' is a task, and tasks do not %s", o->text,
                           verb) ||
           th_hint(err, "sample %s shows its strings with their labels", o->text);
}

static bool no_tokens(const ShCall *call, ThError *err)
{
    return !th_option_given(&call->options, "tokens") ||
           sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                           "the option tokens is for s-ops, not for a machine");
}

/* Automata, models and s-ops are not run without an input, and have no limits. */
static bool needs_input(const ShCall *call, ThError *err)
{
    const ShOperand *o = &call->operand[0];
    for (size_t i = 0; i < call->options.n; i++) {
        const char *name = call->options.item[i].spec->name;
        bool tokens = strcmp(name, "tokens") == 0;
        if (call->options.item[i].given && !(tokens && sh_is_rasp(o->object->kind)))
            return sh_fail_operand(err, o, TH_EUSAGE, "the option %s is for %s, not for %s", name,
                                   tokens ? "s-ops" : "machines", sh_a_kind(o->object->kind));
    }
    if (call->n > 1)
        return true;
    return sh_fail_operand(err, o, TH_EUSAGE, "INPUT is missing") || th_hint(err, "see help run");
}

SH_COMMAND(
    run, .group = "objects",
    .summary = "run an automaton, a machine, a model or an s-op on inputs, from start to end",
    .detail =
        "An automaton accepts or rejects each input, or translates it where it has outputs; a "
        "model predicts the class of each, and truth is the right one where the alphabet shows "
        "what is asked (nested lists, see list_ops); an s-op of RASP gives a sequence, a selector "
        "its matrix, for an input whose characters are the tokens, or its words or ints with "
        "tokens=.\n\n"
        "A machine is run until it stops by itself or a limit is reached, on a blank tape where "
        "there is no INPUT: running out of steps, cells or seconds is never called halting.  Its "
        "verdict is halted, accepted, rejected, edge (a move over the edge of a tape where that is "
        "an error), or the limit: steps, cells, seconds.  nonblank are the cells that hold "
        "something else than the blank at the end, cells those that the head stood on.  The words "
        "of several tapes are separated by |; behind a * stands the cell on which the head starts "
        "(10*11), where that is no symbol.  The step limit lets the busy beaver of five states "
        "end, which takes 47 million, and still ends the run of a machine that goes on.\n\n"
        "Where a machine has the choice of rules, all its runs are followed, breadth first: it "
        "accepts if some run does (a shortest is shown), and rejects only if all runs end so.  A "
        "configuration that is met again is followed once; on two-way tapes also if it has been "
        "shifted.  endless says that no run accepts and some run comes back to where it was; "
        "configurations, that too many were met.  cells= then bounds what lies between the "
        "outermost cells that are not blank or scanned.  A machine without accepting states is "
        "asked whether some run halts.  With choose=random a rule is drawn wherever there is a "
        "choice.\n\n"
        "trace shows every step of a run, step makes them one by one by hand, and continue takes "
        "up a run of a machine that was stopped.\n\n"
        "LIST is a file of machines, a bbchallenge string a line, or a variable that holds them: "
        "see analyze, load, enumerate.",
    .example = "automaton p = parity\nrun p abab\n#> accept\n#>   even -a-> even -b-> odd -a-> odd "
               "-b-> even",
    .results = "model architecture task seed accepted state output truth halted verdict steps "
               "nonblank cells head tape configurations merged",
    .args = {{A_OBJECT, "OBJECT", 0}, {A_INPUT, "INPUT", A_OPTIONAL | A_REPEATED}},
    .args2 = {{A_LIST, "LIST", 0}}, .options = sh_run_options, .flags = C_LISTS)
{
    const ShOperand *o = &call->operand[0];
    if (call->form == 2)
        return sh_run_list(s, call, err);
    if (o->object->kind == SH_MACHINE)
        return no_tokens(call, err) && sh_run_machine(s, call, err);
    if (o->object->kind != SH_TASK && !needs_input(call, err))
        return false;
    if (o->object->kind == SH_TASK)
        return no_inputs_for(o, "run", err);
    if (sh_is_rasp(o->object->kind))
        return sh_run_rasp(s, call, err);
    if (o->object->kind == SH_LANGUAGE)
        return sh_run_language(s, call, err);
    return o->object->kind == SH_AUTOMATON ? sh_run_automaton(s, call, err)
                                           : sh_run_model(s, call, err);
}

SH_COMMAND(
    trace, .group = "objects", .summary = "run on one input and show every step",
    .detail = "Of an automaton the state (or the set of states) after every symbol; of a model the "
              "prediction after every prefix, then every layer's vectors: the part of the input "
              "that each covers, its norm, and the three positions that it attends to most; of an "
              "s-op every s-op and selector that it depends on, with its layer and its value.\n\n"
              "Of a machine the configuration after every step: its number, the state, and the "
              "tape with the scanned cell in brackets, or in another form; .. stands for what is "
              "not blank beyond the width.  In runs, 1^3 <A 0 says that the head came from the "
              "right and scans the last of three ones, 1^3 A> 0 that it scans the 0.  Where a "
              "machine has the choice of rules the tree of its runs is shown: a + for each choice, "
              "and for a configuration that is also met elsewhere the line of its other place.",
    .example = "automaton p = parity\ntrace p abb\n"
               "machine ends { nondeterministic ; start s ; accept y\n"
               "  s a,b -> R s ; s a -> R t ; t _ -> S y }\n"
               "trace ends aa\n"
               "#> step  symbol  states\n#>    0          even\n#>    1  a       even\n"
               "#>    2  b       odd\n#>    3  b       even\n#> accept\n"
               "#>    1  0  s  [a]a\n"
               "#>    2  + 1  s  a[a]\n"
               "#>    3  | + 2  s  aa[_]  rejected\n"
               "#>    4  | + 2  t  aa[_]\n"
               "#>    5  | | 3  y  aa[_]  accepted\n"
               "#>    6  + 1  t  a[a]  rejected\n"
               "#> accepted after 3 steps, which no run does sooner\n"
               "#>   6 configurations",
    .results = "model architecture task seed accepted state output halted verdict steps nonblank "
               "cells head tape configurations merged",
    .args = {{A_OBJECT, "OBJECT", 0}, {A_INPUT, "INPUT", A_OPTIONAL}}, .options = sh_trace_options)
{
    const ShOperand *o = &call->operand[0];
    if (o->object->kind == SH_MACHINE)
        return no_tokens(call, err) && sh_trace_machine(s, call, err);
    if (o->object->kind != SH_TASK && !needs_input(call, err))
        return false;
    if (o->object->kind == SH_TASK)
        return no_inputs_for(o, "run", err);
    if (sh_is_rasp(o->object->kind))
        return sh_trace_rasp(s, call, err);
    if (o->object->kind == SH_LANGUAGE)
        return sh_trace_language(s, call, err);
    return o->object->kind == SH_AUTOMATON ? sh_trace_automaton(s, call, err)
                                           : sh_trace_model(s, call, err);
}
