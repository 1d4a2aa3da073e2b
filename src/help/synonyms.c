#include "help/synonyms.h"

#include <stdio.h>
#include <string.h>

#include "base/version.h"

#define PICTURES "plot automaton A draws one, > \"FILE.pdf\" puts it in a file; see help plots"
#define DROPS    "drop NAME forgets an object"
#define SAVES    "save NAME \"FILE\" writes an object, COMMAND > \"FILE\" what a command prints"
#define LOADS    "load \"FILE\" defines what a file holds, source \"FILE\" runs a script"
#define DEFINES  "automaton NAME { ... } or automaton NAME = EXPRESSION defines one: help automaton"
#define RUNS     "run A WORD tells whether an automaton or a machine accepts it"
#define MACHINES                                                                                   \
    "machine NAME { ... } or machine NAME = \"1RB1LB_1LA1RZ\" defines one: help machine"
#define COMPARES "compare A B finds a shortest word on which two automata differ"

static const ShSynonym table[] = {
    {"cfg", "grammar NAME { S -> a S b | epsilon } defines a context-free grammar: help grammar"},
    {"draw", PICTURES},
    {"picture", PICTURES},
    {"figure", PICTURES},
    {"image", PICTURES},
    {"graph", PICTURES},
    {"slides", PICTURES},
    {"diagram", PICTURES},
    {"q", "quit leaves"},
    {"bye", "quit leaves"},
    {"print", "show NAME prints an object, echo prints text and figures"},
    {"display", "show NAME prints an object, plot draws it"},
    {"cat", "show NAME prints an object; !cat FILE prints a file"},
    {"ls", "list lists what has been defined; !ls lists files"},
    {"dir", "list lists what has been defined; !ls lists files"},
    {"objects", "list lists what has been defined"},
    {"who", "list lists what has been defined"},
    {"delete", DROPS},
    {"remove", DROPS},
    {"rm", DROPS},
    {"del", DROPS},
    {"unset", DROPS},
    {"export", SAVES},
    {"write", SAVES},
    {"import", LOADS},
    {"open", LOADS},
    {"read", LOADS},
    {"include", LOADS},
    {"dfa", DEFINES},
    {"nfa", DEFINES},
    {"fsm", DEFINES},
    {"fsa", DEFINES},
    {"mealy", "a transition P A -> Q / X of an automaton has the output X: help automaton"},
    {"moore", "in an automaton, output Q X gives a state an output: help automaton"},
    {"transducer", "a transition P A -> Q / X of an automaton has the output X: help automaton"},
    {"regexp", "automaton NAME = regex \"(a|b)*\" makes an automaton of an expression"},
    {"grep", "automaton NAME = regex \"(a|b)*\" makes an automaton of an expression"},
    {"union", "automaton C = A | B is the union of two languages"},
    {"intersection", "automaton C = A & B is the intersection of two languages"},
    {"intersect", "automaton C = A & B is the intersection of two languages"},
    {"complement", "automaton C = ~A has the words that A rejects"},
    {"difference", "automaton C = A - B has the words of A that B rejects"},
    {"determinise", "automaton D = determinize(A) is deterministic; trace determinize A shows how"},
    {"minimise", "minimize A makes an automaton minimal"},
    {"equal", COMPARES},
    {"equivalent", COMPARES},
    {"diff", COMPARES},
    {"accept", RUNS},
    {"accepts", RUNS},
    {"watch", "step M INPUT watch=0.5 plays a run of an automaton or a machine; plot run A INPUT "
              "watch=1 draws it"},
    {"turing", MACHINES},
    {"tm", MACHINES},
    {"fit", "train M on TASK trains a model"},
    {"eval", "evaluate M on TASK measures a model by length"},
    {"predict", "run M INPUT tells what a model answers"},
    {"network", "model NAME = lstm defines a model; help models lists the architectures"},
    {"man", "help COMMAND explains a command"},
    {"info", "help COMMAND explains a command"},
    {"examples", "help examples lists the scripts that came with tapehead"},
    {"demo", "tutorial 1 is the first of thirteen short pages; help examples lists scripts"},
    {"undo", "nothing is undone, but back takes back steps of a machine that is run by hand; copy "
             "A B keeps an object before it is changed"},
    {"clear", "Ctrl-L clears the screen"},
    {"bash", "!COMMAND runs a command of the shell"},
    {"shell", "!COMMAND runs a command of the shell"},
    {"let", "x = 3 defines a value of RASP: help rasp"},
    {"glossary", "help words explains the words of the field"},
    {"terms", "help words explains the words of the field"},
    /* Questions, which the sentence answers also where there is no ? */
    {"history", "the up key goes back to what was typed before, Ctrl-R searches it; log FILE keeps "
                "what is typed and printed"},
    {"version", "this is tapehead " TH_VERSION},
};
enum { SYNONYMS = sizeof table / sizeof *table, QUESTIONS = 2 };

const ShSynonym *sh_synonyms(size_t *n)
{
    *n = SYNONYMS;
    return table;
}

const ShSynonym *sh_synonym(const char *word)
{
    for (size_t i = 0; i < SYNONYMS; i++)
        if (strcmp(table[i].word, word) == 0)
            return &table[i];
    return NULL;
}

static bool begins(const char *text, size_t n, const char *with)
{
    size_t k = strlen(with);
    return n >= k && memcmp(text, with, k) == 0;
}

static bool ends(const char *text, size_t n, const char *with)
{
    size_t k = strlen(with);
    return n >= k && memcmp(text + n - k, with, k) == 0;
}

/* Names of options elsewhere and here; the first that a command knows counts. */
static const char *const names_elsewhere[][2] = {{"learning_rate", "lr"},
                                                 {"batch_size", "batch"},
                                                 {"epochs", "steps"},
                                                 {"num_epochs", "steps"},
                                                 {"max_steps", "steps"},
                                                 {"num_steps", "steps"},
                                                 {"iterations", "steps"},
                                                 {"weight_decay", "decay"},
                                                 {"wd", "decay"},
                                                 {"grad_clip", "clip"},
                                                 {"max_grad_norm", "clip"},
                                                 {"clip_grad_norm", "clip"},
                                                 {"eval_every", "validate"},
                                                 {"eval_steps", "validate"},
                                                 {"logging_steps", "report"},
                                                 {"save_steps", "every"},
                                                 {"warmup_steps", "warmup"},
                                                 {"lr_scheduler", "schedule"},
                                                 {"lr_scheduler_type", "schedule"},
                                                 {"scheduler", "schedule"},
                                                 {"optim", "optimizer"},
                                                 {"optimiser", "optimizer"},
                                                 {"random_seed", "seed"},
                                                 {"seq_len", "length"},
                                                 {"max_length", "length"},
                                                 {"n_samples", "samples"},
                                                 {"num_samples", "samples"},
                                                 {"d_model", "dim"},
                                                 {"hidden_size", "dim"},
                                                 {"hidden_dim", "dim"},
                                                 {"embed_dim", "dim"},
                                                 {"n_embd", "dim"},
                                                 {"n_head", "heads"},
                                                 {"n_heads", "heads"},
                                                 {"num_heads", "heads"},
                                                 {"nhead", "heads"},
                                                 {"n_layer", "layers"},
                                                 {"n_layers", "layers"},
                                                 {"num_layers", "layers"},
                                                 {"depth", "layers"},
                                                 {"d_ff", "mlp_ratio"},
                                                 {"dim_feedforward", "mlp_ratio"},
                                                 {"d_ff", "hidden"},
                                                 {"dim_feedforward", "hidden"},
                                                 {"ff", "mlp_ratio"},
                                                 {"ff", "hidden"},
                                                 {"units", "dim"},
                                                 {"pe", "position"},
                                                 {"max_len", "longest"},
                                                 {"max_len", "length"},
                                                 {"n_ctx", "longest"},
                                                 {"intermediate_size", "mlp_ratio"},
                                                 {"expansion", "mlp_ratio"},
                                                 {"d_state", "state"},
                                                 {"state_size", "state"},
                                                 {"pos_encoding", "position"},
                                                 {"position_embedding", "position"}};

const char *sh_option_here(const char *name, const ThOptions *among)
{
    for (size_t i = 0; i < sizeof names_elsewhere / sizeof *names_elsewhere; i++)
        if (strcmp(names_elsewhere[i][0], name) == 0 &&
            th_option_known(among, names_elsewhere[i][1]))
            return names_elsewhere[i][1];
    return NULL;
}

bool sh_asks_for_help(const char *statement, size_t n, char topic[SH_TOPIC])
{
    static const char *const before[] = {"?", "man "}, *const after[] = {"?", " --help", "--help"};
    snprintf(topic, SH_TOPIC, "%.*s", (int)(n < SH_TOPIC ? n : 0), statement);
    const ShSynonym *word = sh_synonym(topic);
    if (word && word >= table + SYNONYMS - QUESTIONS)
        return true;
    for (size_t i = 0; i < 5; i++) {
        const char *mark = i < 2 ? before[i] : after[i - 2];
        size_t k = strlen(mark), skip = i < 2 ? k : 0;
        if (!(i < 2 ? begins : ends)(statement, n, mark))
            continue;
        while (n > k && skip && statement[skip] == ' ') {
            skip++;
            k++;
        }
        snprintf(topic, SH_TOPIC, "%.*s", (int)(n - k < SH_TOPIC ? n - k : 0), statement + skip);
        return true;
    }
    return false;
}
