/* main_text.c - what tapehead(1) says besides the commands. */
#include "help/pages.h"

static const char *const description[] = {
    "tapehead reads commands that define finite automata, Turing machines, tasks made from "
    "automata, RASP programs and small sequence models; that run, compare and analyse automata and "
    "machines; that train the models on the tasks, measure how far beyond the lengths seen in "
    "training they are right, draw what they have learned, and prove or refute that a model is an "
    "automaton.",
    "Without FILE and -e, and with a terminal on standard input, commands are read from a prompt.  "
    "Otherwise each FILE is run in order, '-' being standard input, which is also what is run "
    "where nothing is given.  The same commands print the same on standard output whichever way "
    "they come.  What stands behind a double hyphen is for the script, which finds it as $1, $2 "
    "and so on, and all of it as $args.",
    NULL};

static const ShPageItem options[] = {
    {"-e COMMANDS, --execute=COMMANDS", "run commands; several -e run in order, before the files"},
    {"-D NAME=VALUE, --define=NAME=VALUE",
     "set a variable before anything is run: an integer, another number, or else a string"},
    {"-k, --keep-going",
     "in batch, go on after a failed command; the exit status is still 1 at the end"},
    {"-q, --quiet", "print no banner and no progress"},
    {"-i, --interactive", "prompt after the files and -e are done"},
    {"-n, --no-init", "do not read the init file"},
    {"--serve",
     "answer requests of another program, as the Python package does: lines of JSON, {\"run\": "
     "\"COMMANDS\"}, {\"complete\": \"TEXT\"}, {\"incomplete\": \"TEXT\"} or {\"commands\": \"\"}, "
     "the table of commands; commands print as "
     "with --format=json, and then comes {\"done\": N, \"status\": \"ok\"}, \"error\" or "
     "\"interrupted\"; commands of the shell are refused"},
    {"--allow-shell", "with --serve, ! and | run commands of the shell, as they do elsewhere"},
    {"--safe",
     "for servers and classes: no ! and no |, no pager and no history, and no file is written but "
     "in the folder in which tapehead was started and below it, wherever links lead; what the "
     "user may read can be read, and limit-time and limit-memory are there for the rest; the "
     "folder "
     "is to be made for it, and no home, where other programs look for files"},
    {"-f FORMAT, --format=FORMAT", "how tables and results are printed: text, json or csv"},
    {"--seed=N, --threads=N", "the same as set seed and set threads"},
    {"-h, --help", "print a summary of the options"},
    {"-V, --version", "print the version, and which kernels are in use"},
    {NULL, NULL}};

static const char *const prompt[] = {
    "Lines are edited with readline(3), under the application name tapehead for inputrc.  Tab "
    "completes commands, options, their values, the names of objects of the fitting kind, and file "
    "names.  Meta-h explains the word at the cursor.  An open bracket or string continues on the "
    "next line, under another prompt; the whole becomes one entry of the history.",
    "Definitions say in one line what they have made.  An empty line repeats the last step.",
    "Ctrl-C drops the line being typed, or stops the running command at its next safe point: a "
    "training keeps its last finished step.  Ctrl-C three times in one command ends tapehead.  "
    "Ctrl-D on an empty line leaves.",
    "help lists ways to start and the groups of commands on one screen, tutorial 1 is the first of "
    "thirteen short pages, and help examples lists the scripts that are installed.",
    NULL};

static const char *const language[] = {
    "Commands and RASP, a language of what transformers compute, are typed at the same prompt; the "
    "shape of a line tells which it is.  Constants of RASP are variables, which $x inserts into "
    "commands, as it does the results of the last one:\n\n"
    "  for kind in [rnn, lstm], seed in 1..3 {\n"
    "    model m = $kind dim=16\n"
    "    train m on parity length=1..20 steps=500 seed=$seed\n"
    "    evaluate m on parity length=21..40 >> \"scores.csv\"\n"
    "    if accuracy > 0.99 { echo $kind learned it with seed $seed }\n"
    "  }",
    "Where a command wants an automaton, a machine or a task, what describes one will do: words "
    "tomita(1), compare parity regex \"(a|b)*\".  The topic syntax says all of it.",
    NULL};

static const char *const experiments[] = {
    "sweep runs such a body for every point of a grid, each in a process of its own with one "
    "thread, and records what its commands answer:\n\n"
    "  sweep \"runs\" for kind in [rnn, lstm], seed in 1..5 {\n"
    "    model m = $kind dim=16\n"
    "    train m on parity length=1..20 steps=500 seed=$seed\n"
    "    evaluate m on parity length=21..40\n"
    "    keep m\n"
    "  }\n"
    "  results \"runs\" by kind layout=latex\n"
    "  plot results \"runs\" > \"runs.pdf\"",
    "A point that has a record is not run again: what was interrupted, or grew by more values, "
    "goes on where it stands.  mpirun -n 64 tapehead FILE shares the points among processes on "
    "many machines; a train outside of a sweep they do together, each on its part of every batch.",
    NULL};

static const ShPageItem output[] = {
    {"> FILE, >> FILE",
     "send what one command prints to a file, or append it; the ending .csv or .json chooses the "
     "format, and what is appended to a table has to have its columns"},
    {"| COMMAND", "send it to a command of the shell: words parity length=0..9 | wc -l"},
    {"log FILE", "keep a transcript of the session"},
    {"save all FILE", "write everything that has been defined to a script, and models beside it"},
    {NULL, NULL}};

static const ShPageItem environment[] = {
    {"NO_COLOR", "if set and not empty, messages are not coloured"},
    {"PAGER", "the program that shows long listings at the prompt"},
    {"TERM", "if it is dumb, messages are not coloured, and long listings are printed whole"},
    {"DISPLAY, WAYLAND_DISPLAY", "where one of them is set, plots without a file open a window"},
    {"OPENBLAS_CORETYPE", "the kernels that OpenBLAS uses; if it is not set and OpenBLAS does not "
                          "know the processor, tapehead chooses"},
    {"TAPEHEAD_KERNELS",
     "which of the program's own kernels run: plain, v3 or v4 (registers of 256 "
     "and 512 bits, on x86-64); if it is not set, the highest that the processor has. "
     "The same seed means the same bits on the same kernels; a model and the "
     "record of a sweep say theirs"},
    {"XDG_CONFIG_HOME, XDG_STATE_HOME", "see Files"},
    {NULL, NULL}};

static const ShPageItem files[] = {
    {"$XDG_CONFIG_HOME/tapehead/init.th",
     "commands that are run before the first prompt, and never in batch; below ~/.config if the "
     "variable is not set"},
    {"$XDG_STATE_HOME/tapehead/history",
     "the lines typed at the prompt; below ~/.local/state if the variable is not set"},
    {"NAME.safetensors",
     "a model: every parameter is a tensor of the name that show prints, of 32-bit floats row by "
     "row; the topic weights says what each means, so that any program can compute with it"},
    {NULL, NULL}};

static const ShPageItem status[] = {
    {"0", "all commands succeeded"},
    {"1", "a command failed, or standard output could not be written"},
    {"STATUS", "quit STATUS was run"},
    {"2", "the command line was wrong"},
    {"130", "a batch was interrupted"},
    {"129, 143", "a batch, or the prompt, was ended by SIGHUP or SIGTERM"},
    {NULL, NULL}};

static const char *const at_the_prompt[] = {
    "At the prompt a failed command does not end the session, and leaving is success.", NULL};

static const char *const examples[] = {
    "Define an automaton and ask it about words:\n\n"
    "  $ tapehead -e 'automaton p = parity; run p abab'",
    "Run a script that asserts what it found out:\n\n"
    "  $ tapehead --quiet parity.th && echo learned",
    "Take results into another program:\n\n"
    "  $ tapehead -f json -e 'automaton p = parity' | jq .states",
    "Collect the answers to several questions in one table:\n\n"
    "  $ tapehead -f csv -e 'for n in 1..7 { count tomita($n) length=9 }' > counts.csv",
    NULL};

static const char *const diagnostics[] = {
    "Messages go to standard error.  In batch they have the form\n\n"
    "  FILE:LINE:COLUMN: error: what is wrong",
    "followed by the line with a caret under the column and, where one helps, a line that begins "
    "with hint.  Columns count characters.  Standard input is called <stdin> and the text of -e "
    "<command>.  A failed command changes nothing: no object is half defined and no file half "
    "written.",
    NULL};

static const char *const see[] = {"dot(1), gnuplot(1), readline(3); a book of thirteen chapters is "
                                  "among the sources, in man/book.",
                                  NULL};

static const char *const bugs[] = {
    "Limits on memory count address space, so that they must leave room for the libraries.", NULL};

const ShPageSection sh_main_before[] = {{"Description", description, NULL},
                                        {"Options", NULL, options},
                                        {"The prompt", prompt, NULL},
                                        {"One language", language, NULL},
                                        {"Experiments", experiments, NULL},
                                        {"Output", NULL, output},
                                        {NULL, NULL, NULL}};

const ShPageSection sh_main_behind[] = {{"Environment", NULL, environment},
                                        {"Files", NULL, files},
                                        {"Exit status", at_the_prompt, status},
                                        {"Examples", examples, NULL},
                                        {"Diagnostics", diagnostics, NULL},
                                        {"See also", see, NULL},
                                        {"Bugs", bugs, NULL},
                                        {NULL, NULL, NULL}};
