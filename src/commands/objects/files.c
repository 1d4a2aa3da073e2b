/* files.c - saving and loading objects. */

#include "terminal/confirm.h"
#include "formats.h"
#include "shell.h"

static const char formats[] = "auto"
#define FORMAT(name) "|" #name
#include "formats/formats.def"
#undef FORMAT
    ;

static const ThOptionSpec save_options[] = {
    {"format", TH_CHOICE, "auto", 0, 0, formats,
     "how it is written, whatever the extension; auto: by the extension"},
    {"as", TH_CHOICE, "tapehead", 0, 0, "tapehead|pytorch",
     "of a model, the names of its tensors: those here, or those of PyTorch's module"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static const ThOptionSpec load_options[] = {
    {"format", TH_CHOICE, "auto", 0, 0, formats,
     "what the file holds; auto: by extension and content"},
    {"start", TH_STRING, NULL, 0, 0, NULL, "the state in which a machine starts"},
    {"blank", TH_STRING, NULL, 0, 0, NULL, "the blank symbol, of quintuples"},
    {"variant", TH_CHOICE, "auto", 0, 0, "auto|two-way|left-bounded|nondeterministic",
     "the variant of a program of jsturing; auto: as a comment says, else two-way"},
    {"fields", TH_CHOICE, "auto", 0, 0, "auto|next-write-move|write-next-move|write-move-next",
     "what follows state and symbol in quintuples; auto: what fits"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static bool save_for_pytorch(ShObject *const *object, int n, const ShOperand *file, ThError *err)
{
    if (n != 1 || object[0]->kind != SH_MODEL || !th_ends_with(file->text, ".safetensors"))
        return th_fail(err, TH_EUSAGE, "as=pytorch is for one model and a .safetensors file");
    return th_format_exchange_save(object[0]->as.model, file->text, err) ||
           sh_error_inside(err, file);
}

SH_COMMAND(
    save, .group = "objects", .summary = "write objects to a file",
    .detail =
        "The extension of the file says how: help formats lists the formats.  The file is written "
        "whole or not at all.\n\n"
        "save all writes every object, in an order that loads, and beside the file the models that "
        "have been trained: lab.th and lab-m.safetensors.  load \"lab.th\" gives all back.\n\n"
        "A Turing machine is written to .th, .jff, .tm, .yaml and .bb files, or with format= to "
        "any file.  What a format cannot say is written in its terms, and a note tells: wildcards "
        "become a rule for each symbol, a rule that stands still becomes a step to the right and "
        "one back, the edge of a tape becomes a symbol, states get names that tell whether they "
        "accept.  What it cannot say at all is an error with the reason.\n\n"
        "With as=pytorch an rnn, lstm or gru is written as the state dict of PyTorch's module, and "
        "so is a gpt: as nn.TransformerEncoder, or by Hugging Face's names, and a mamba or "
        "deltanet with decoder=yes (help weights).  The Python package reads all: "
        "tapehead.pytorch.load(\"m.safetensors\").",
    .example = "automaton p = parity\nsave p \"p.th\"\ndrop p\nload \"p.th\"\nlist\n"
               "#> name  kind       size\n"
               "#> p     automaton  2 states, 4 transitions",
    .args = {{A_OBJECT, "NAME", A_REPEATED | A_NAMED}, {A_FILE, "FILE", 0}},
    .args2 = {{A_KEYWORD, "all", 0}, {A_FILE, "FILE", 0}}, .options = save_options,
    .flags = C_KEEPS_RESULT | C_WRITES)
{
    enum { MOST = 256 };
    ShObject *object[MOST];
    const ShOperand *file = &call->operand[call->n - 1];
    int n = call->n - 1;
    if (call->form == 2)
        return sh_save_all(s, file->text, err) || sh_error_inside(err, file);
    if (n > MOST)
        return sh_fail_operand(err, &call->operand[MOST], TH_ELIMIT,
                               "at most %d objects go into one file", MOST);
    for (int i = 0; i < n; i++)
        object[i] = call->operand[i].object;
    const ThFormat *f = th_format_named(th_option_text(&call->options, "format"));
    if (th_option_choice(&call->options, "as") == 1)
        return save_for_pytorch(object, n, file, err);
    if (!sh_save_file(s, object, n, file->text, f, err))
        return sh_error_inside(err, file);
    for (int i = 0; i < n; i++)
        sh_note_saved(object[i]);
    return true;
}

/* Returns new: a file that a loaded file names stands beside it, one that a script names here or
 * beside the script. */
static char *path_of(const ShSession *s, const char *name, ThError *err)
{
    if (!s->loading)
        return sh_beside_script(s, name, err);
    const char *slash = *name != '/' ? strrchr(s->loading, '/') : NULL;
    ThText t = {0};
    if (slash)
        th_text_add_bytes(&t, s->loading, (size_t)(slash - s->loading) + 1);
    th_text_add(&t, name);
    return th_text_take(&t, err);
}

static const ThOptionSpec *exchange_options(size_t i)
{
    return i == 0 ? th_format_exchange_options : NULL;
}

/* What is only for the weights of other programs. */
static bool needs_no_kind(const ThOptions *o, ThError *err)
{
    for (const ThOptionSpec *x = th_format_exchange_options; x->name; x++)
        if (th_option_given(o, x->name))
            return th_fail(err, TH_EUSAGE, "%s= is for what kind= says", x->name);
    return true;
}

SH_COMMAND(
    load, .group = "objects", .summary = "define the objects that a file holds",
    .detail =
        "The extension of the file says how it is read: help formats lists the formats.  A "
        "script's file is looked for here, and then beside the script.  A format that holds one "
        "object without a name gives it the file's name, or NAME.\n\n"
        "Turing machines are recognised by what the file holds, whatever its extension is: help "
        "formats says how they look.\n\n"
        "A file of several machines, a bbchallenge string a line, becomes a variable, the list of "
        "these strings: load \"list.bb\" as many; for m in many { run $m }; analyze many.\n\n"
        "What was changed, assumed or left out is said in notes.  A text that could be words as "
        "well is not read until format= says what it is.\n\n"
        "With kind= the file holds the weights of a network of PyTorch's, as .safetensors of any "
        "writer, in parts beside a model.safetensors.index.json, or as .npz: help weights lists "
        "the names and shapes.  Symbols and classes are named in the order of their numbers there. "
        " The embedding is the matrix without a bias that is as wide as what the network reads; "
        "without one, symbols are one-hot.  What is left is the head.  Where names do not tell, "
        "map= is a file of lines like net = encoder.lstm.\n\n"
        "A .th file that is loaded holds definitions only: automata, machines, tasks, models, "
        "statements of RASP that define, and load, of files beside it.  Any other command in it is "
        "an error; source runs scripts.  The figures of what was defined last are set.\n\n"
        "A name without an extension is a RASP program: .rasp is added, and where there is no such "
        "file, the built-in program of that name is meant: raspl.",
    .example = "automaton p = parity\nsave p \"p.th\"\nload \"p.th\"\n"
               "machine m = \"1RB1LB_1LA1RZ\"\nsave m \"m.tm\"\nload \"m.tm\" as again\n"
               "run again\n"
               "#> note: the state Z is written halt\n"
               "#> note: the blank 0 is written _\n"
               "#> note: jsturing asks for the initial state, A: a comment says so\n"
               "#> note: a comment says that it starts in A\n"
               "#> halted after 6 steps\n"
               "#>   state halt, 4 non-blank cells, head at 0, 4 cells visited\n"
               "#>   tape 1111\n"
               "model g = gru dim=2\ntrain g on parity steps=1 > \"t.txt\"\n"
               "save g \"g.safetensors\" as=pytorch\n"
               "load \"g.safetensors\" as h kind=gru symbols=\"ab\" classes=\"even odd\" "
               "head=relu\nrun g abb\nrun h abb",
    .args = {{A_FILE, "FILE", 0}, {A_KEYWORD, "as", A_OPTIONAL}, {A_NEW, "NAME", A_OPTIONAL}},
    .results = "states transitions symbols rules tapes bound parameters steps",
    .options = load_options, .more_options = exchange_options, .flags = C_DEFINES)
{
    const ShOperand *file = &call->operand[0];
    const char *name = call->n > 1 ? call->operand[1].text : NULL;
    const ThOptions *o = &call->options;
    const ThFormat *f = th_format_named(th_option_text(o, "format"));
    ThFormatMachineReading how = {
        .start = th_option_given(o, "start") ? th_option_text(o, "start") : NULL,
        .blank = th_option_given(o, "blank") ? th_option_text(o, "blank") : NULL,
        .variant = th_option_choice(o, "variant"),
        .fields = (ThFormatFields)th_option_choice(o, "fields"),
    };
    char *path TH_OWNED(free) = path_of(s, file->text, err);
    bool weights = th_option_given(o, "kind");
    bool ok = path && (weights || needs_no_kind(o, err)) &&
              sh_load_file(s, path, name, f, &how, weights ? o : NULL, err);
    return ok || sh_error_inside(err, file);
}
