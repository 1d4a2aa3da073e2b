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
    {"turing", MACHINES},
    {"tm", MACHINES},
    {"fit", "train M on TASK trains a model"},
    {"eval", "evaluate M on TASK measures a model by length"},
    {"predict", "run M INPUT tells what a model answers"},
    {"network", "model NAME = lstm defines a model; help models lists the architectures"},
    {"man", "help COMMAND explains a command"},
    {"info", "help COMMAND explains a command"},
    {"examples", "help examples lists the scripts that came with tapehead"},
    {"demo", "tutorial 1 is the first of ten short pages; help examples lists scripts"},
    {"undo",
     "nothing is undone, but back takes back steps of a machine that is run by hand; copy A "
     "B keeps an object before it is changed"},
    {"clear", "Ctrl-L clears the screen"},
    {"bash", "!COMMAND runs a command of the shell"},
    {"shell", "!COMMAND runs a command of the shell"},
    {"let", "x = 3 defines a value of RASP: help rasp"},
    /* Terms of the field, under which apropos finds what has another name here. */
    {"logit lens", "lens M INPUT reads the answer off every level of a model"},
    {"linear probe", "probe trains a linear map from a level's vectors to something known"},
    {"activation patching", "patch puts vectors of one run into another, and looks at the answer"},
    {"causal tracing", "patch puts vectors of one run into another, and looks at the answer"},
    {"interchange intervention",
     "patch puts vectors of one run into another, and looks at the answer"},
    {"ablation study", "ablate silences heads and layers of a model"},
    {"saliency", "receptive field shows which symbols an answer depends on, by gradients"},
    {"attention map", "attention M INPUT prints who attends to whom, plot attention draws it"},
    {"attention head", "attention M INPUT prints who attends to whom, head by head"},
    {"induction head", "attention M INPUT prints who attends to whom; task ngram is what they do"},
    {"early stopping", "train with validate=, patience= and keep=best ends when nothing improves"},
    {"checkpoint", "train with checkpoint= saves every so many steps and goes on from there"},
    {"gradient clipping", "train with clip= bounds the norm of the gradient"},
    {"gradient norm", "train with clip= bounds the norm of the gradient"},
    {"curriculum learning", "train with curriculum= begins with short strings"},
    {"curriculum length", "train with curriculum= begins with short strings"},
    {"learning rate", "train with lr= sets it, schedule= and warmup= let it change"},
    {"hyperparameter", "sweep runs a body of commands over a grid of options"},
    {"grid search", "sweep runs a body of commands over a grid of options"},
    {"length generalization", "evaluate M on TASK length=41..500 measures a model beyond training"},
    {"length extrapolation", "evaluate M on TASK length=41..500 measures a model beyond training"},
    {"kv cache", "generate keeps keys and values of what it has read: cache=yes"},
    {"sampling", "generate draws symbols with temperature= and top_k="},
    {"greedy decoding", "generate with temperature=0 takes the likeliest symbol"},
    {"beam search", "there is none: generate takes the likeliest symbol, or draws"},
    {"tokenizer", "symbols are an automaton's or a task's; task text reads characters of a file"},
    {"vector quantization", "quantize makes a model's vectors snap to a codebook, its centres"},
    {"codebook", "quantize makes a model's vectors snap to a codebook, its centres"},
    {"straight-through",
     "pd_ssm's maps of zeros and ones are trained by the gradient of their softmax"},
    {"center loss", "train with centre_loss= draws vectors of one element of the monoid together"},
    {"centre loss", "train with centre_loss= draws vectors of one element of the monoid together"},
    {"auxiliary loss",
     "train with auxiliary_loss= adds the loss of a head that says the monoid's element"},
    {"contraction loss",
     "train with contraction_loss= makes a model's map shrink what certify bounds"},
    {"ponder cost", "train and halting show it; ponder= is its weight in the loss"},
    {"adaptive computation time",
     "universal, gated_universal and gutlb halt by themselves: halting"},
    {"confidence interval", "evaluate and results give one: of the strings, or of the seeds"},
    {"significance", "results DIR versus= tests two sorts of runs against each other"},
    {"myhill-nerode", "minimize A: its states are the classes of the congruence"},
    {"nerode", "minimize A: its states are the classes of the congruence"},
    {"powerset construction", "trace determinize A shows it, determinize(A) is what it makes"},
    {"subset construction", "trace determinize A shows it, determinize(A) is what it makes"},
    {"syntactic monoid", "monoid A computes it, with its Green's relations"},
    {"pumping lemma", "words and count tell a language by length; no command pumps words"},
    {"thompson construction",
     "automaton A = regex \"…\" makes an automaton; trace determinize A goes on"},
    {"state elimination", "show A as regex writes an automaton as a regular expression"},
    {"l-star", "learn B from A asks an automaton, a task or a model; trace learn shows the table"},
    {"angluin", "learn B from A asks an automaton, a task or a model; trace learn shows the table"},
    {"active learning", "learn B from A asks an automaton, a task or a model"},
    {"chain of thought", "scratchpad writes a computation line by line; it is a task, too"},
    {"scratch pad", "scratchpad writes a computation line by line; it is a task, too"},
    {"padding",
     "strings of a batch are ragged; regulargpt has a learned vector before a string: missing="},
    {"equivalence checking",
     "compare A B of automata, machines, programs and models; certify proves models"},
    {"formal verification", "certify M on TASK proves a model right on strings of every length"},
    {"robustness", "certify bounds what rounding may do to a model's answers"},
    {"reproducibility", "the same seed= and threads give the same bits: help train"},
    {"mixed precision", "set precision double runs models in double; training is in single"},
    {"onnx", "models are saved as safetensors: help formats"},
    {"pytorch", "models are saved as safetensors, which PyTorch reads: help formats"},
    {"huggingface", "models are saved as safetensors: help formats"},
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

const char *sh_option_here(const char *name, const ThOptions *among)
{
    static const char *const own[][2] = {{"learning_rate", "lr"},
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
                                         {"intermediate_size", "mlp_ratio"},
                                         {"expansion", "mlp_ratio"},
                                         {"d_state", "state"},
                                         {"state_size", "state"},
                                         {"pos_encoding", "position"},
                                         {"position_embedding", "position"}};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (strcmp(own[i][0], name) == 0 && th_option_known(among, own[i][1]))
            return own[i][1];
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
