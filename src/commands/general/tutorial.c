/* tutorial.c - short pages that run as they are read. */

#include "help/help.h"
#include "help/help_start.h"
#include "help/pages.h"
#include "shell.h"

/* Each page stands by itself: it defines what it needs. */
static const struct {
    const char *title;
    struct {
        const char *text, *commands; /* lines, each run by itself */
    } step[4];
} pages[] = {
    {"an automaton",
     {{"An automaton reads a word symbol by symbol and moves from state to state.  This one "
       "accepts the words with an odd number of b.",
       "automaton odd { start even; accept odd; even a -> even; even b -> odd; odd a -> odd; odd b "
       "-> even }\n"
       "run odd abba ab"},
      {"Expressions define automata, too, and combine them: this one also wants the word to begin "
       "with a.  What are its first words?",
       "automaton both = odd & regex \"a(a|b)*\"\n"
       "words both most=5"}}},
    {"a picture",
     {{"plot draws.  Without a file it opens a window, or draws in the terminal; the ending of a "
       "file says what is written: .png, .svg, .pdf, .txt, or .gp for gnuplot.",
       "automaton odd = minimize(regex \"a*b(a*ba*b)*a*\")\n"
       "plot automaton odd > \"odd.svg\""},
      {"The file odd.svg is in the current directory now.  help plots lists the pictures.", ""}}},
    {"a task",
     {{"A task is where a model's examples come from: strings, each with its answer.  Any "
       "automaton makes one.",
       "automaton odd = minimize(regex \"a*b(a*ba*b)*a*\")\n"
       "task bits = recognize odd\n"
       "sample bits length=3..8 count=1"},
      {"help tasks lists the tasks of the papers, among them this one: parity.", ""}}},
    {"training",
     {{"A model is an architecture with its sizes.  This RegularGPT sees short strings and is then "
       "measured on longer ones.",
       "automaton odd = minimize(regex \"a*b(a*ba*b)*a*\")\n"
       "task bits = recognize odd\n"
       "model learner = regulargpt\n"
       "train learner on bits report=1000\n"
       "evaluate learner on bits length=100..400:100 samples=100\n"
       "run learner abbb"},
      {"train learner on bits steps=100 would go on from here.  help models lists the "
       "architectures.",
       ""}}},
    {"a look inside",
     {{"Where does a model look?  attention tells it for one input, level by level; clusters "
       "whether the hidden vectors stand for what the parts of a string do to the automaton's "
       "state.",
       "automaton odd = minimize(regex \"a*b(a*ba*b)*a*\")\n"
       "task bits = recognize odd\n"
       "model seen = regulargpt\n"
       "train seen on bits report=2000\n"
       "attention seen abba\n"
       "clusters seen on bits length=16"}}},
    {"a Turing machine",
     {{"A machine is written rule by rule, or in one line as busy beaver hunters do.  This one "
       "adds one to a binary number.",
       "machine inc { start right; halt done; right 0,1 -> R right; right _ -> L carry; carry 1 -> "
       "0 L carry; carry 0,_ -> 1 L done }\n"
       "run inc 1011\n"
       "trace inc 1011 steps=3"},
      {"The busy beaver of four states halts after 107 steps; that others never halt, analyze "
       "proves.",
       "machine four = \"1RB1LB_1LA0LC_1RZ1LD_1RD0RA\"\n"
       "run four\n"
       "machine on = \"1RB0LB_0LA1RB\"\n"
       "analyze on"}}},
    {"a scratchpad",
     {{"Models learn long computations better when they are written out, each line a small change "
       "of the one before.  scratchpad writes such a text, check reads one and finds mistakes.",
       "scratchpad addition 57 68\n"
       "check \"57+68|5h+6i(1,5)|f+g(1,25)|^+^(0,125)|125\"\n"
       "check \"57+68|5h+6i(1,5)|f+g(0,25)|^+^(0,25)|25\""}}},
    {"RASP",
     {{"RASP says what a transformer can compute.  An s-op gives a sequence for every input, and "
       "is shown on an example.",
       "set example \"abcab\"\n"
       "backwards = aggregate(select(indices, length - 1 - indices, ==), tokens)\n"
       "seen = selector_width(select(tokens, tokens, ==) and select(indices, indices, <));"},
      {"backwards needs two layers; seen counts how often a symbol came before.",
       "run seen banana\n"
       "cost seen"}}},
    {"comparing",
     {{"Two descriptions of a language: are they the same?  If not, a shortest word shows it.",
       "automaton odd = minimize(regex \"a*b(a*ba*b)*a*\")\n"
       "compare odd regex \"(a|b)*b\"\n"
       "compare odd minimize(odd)"},
      {"The monoid of a language tells what it takes to compute it.", "monoid odd"}}},
    {"a proof",
     {{"A model that was right on every string tried may be wrong on a longer one.  certify proves "
       "that it is right on strings of every length, if it can; until=proved trains until it does: "
       "the vectors that mean the same are drawn together, stage by stage.",
       "model sure = regulargpt dim=16 heads=2\n"
       "train sure on parity until=proved seed=1 certificate=\"sure.cert\""},
      {"The certificate is a file.  Another program text checks it, from the weights alone.",
       "check certificate \"sure.cert\" of sure on parity"}}},
    {"weights without training",
     {{"What a model has to compute for an automaton is known, so its weights can be written down. "
       " "
       "compile does that, and they are proved as trained ones are.",
       "compile tomita(5) as made\n"
       "certify made on tomita(5)"},
      {"Where a model is not the automaton, compare finds a shortest word that shows it.",
       "compare made tomita(3) length=1..10"}}},
    {"many trainings",
     {{"sweep runs its commands for every point of a grid and keeps what they measured in a "
       "folder; a point that is done is not done again.",
       "sweep \"runs\" jobs=1 for kind in [rnn, lstm], seed in 1..2 { model m = $kind dim=8; train "
       "m "
       "on parity length=1..8 steps=100 seed=$seed > \"log.txt\"; evaluate m on parity "
       "length=9..16 "
       "}\n"
       "results \"runs\" by kind"},
      {"plot results draws them, and help sweep says how a grid goes on a cluster.", ""}}},
    {"a script",
     {{"What is typed here also works in a file.  Every command leaves figures behind; assert "
       "makes a script a test.",
       "automaton odd = minimize(regex \"a*b(a*ba*b)*a*\")\n"
       "echo odd has $states states\n"
       "assert states == 2\n"
       "save odd \"odd.th\"\n"
       "source \"odd.th\""},
      {"tapehead odd.th runs it without the prompt.  help examples lists scripts to begin with, "
       "help syntax says how commands are written.",
       ""}}},
};

enum { N_PAGES = sizeof pages / sizeof *pages };

void sh_help_tutorial(const ShSheet *to)
{
    fputs("pages of the tutorial, for tutorial N:\n", to->out);
    for (int i = 0; i < N_PAGES; i++)
        fprintf(to->out, "  %2d  %s\n", i + 1, pages[i].title);
}

bool sh_tutorial_page(size_t i, const char **title, ThText *t)
{
    if (i >= N_PAGES)
        return false;
    *title = pages[i].title;
    for (int k = 0; k < 4 && pages[i].step[k].text; k++) {
        th_text_printf(t, "%s%s\n", k ? "\n" : "", pages[i].step[k].text);
        for (const char *c = pages[i].step[k].commands; *c; c += *c == '\n') {
            size_t n = strcspn(c, "\n");
            th_text_printf(t, "\n  tapehead> %.*s", (int)n, c);
            c += n;
        }
        th_text_add(t, "\n");
    }
    return true;
}

static void say(ShSession *s, const char *text)
{
    if (!sh_out(s))
        return;
    ShSheet to = sh_session_sheet(s);
    sh_wrap(&to, 0, text);
}

/* Shows a command as it is typed, and runs it. */
static bool type(ShSession *s, const char *command, size_t n, ThError *err)
{
    char *line TH_OWNED(free) = strndup(command, n);
    if (!line)
        return th_fail(err, TH_ENOMEM, "out of memory");
    sh_say(s, "tapehead> %s\n", line);
    bool ok = sh_shell_text(s, line, "tutorial");
    err->code = ok ? TH_OK : TH_EUSAGE; /* told already */
    return ok;
}

static bool run_page(ShSession *s, int page, ThError *err)
{
    for (int i = 0; i < 4 && pages[page].step[i].text; i++) {
        sh_say(s, i ? "\n" : "");
        say(s, pages[page].step[i].text);
        for (const char *c = pages[page].step[i].commands; *c; c += *c == '\n') {
            size_t n = strcspn(c, "\n");
            if (!type(s, c, n, err))
                return false;
            c += n;
        }
    }
    return true;
}

SH_COMMAND(tutorial, .group = "general", .summary = "thirteen short pages to start with",
           .detail = "Each page says a few things and runs the commands that show them; what it "
                     "defines stays.  Without a number, lists the pages.",
           .example = "tutorial 9", .args = {{A_TEXT, "N", A_OPTIONAL}}, .flags = C_KEEPS_RESULT)
{
    if (call->n == 0) {
        ShSheet to = sh_session_sheet(s);
        sh_help_tutorial(&to);
        return true;
    }
    int page = atoi(call->operand[0].text);
    if (page < 1 || page > N_PAGES)
        return sh_fail_operand(err, &call->operand[0], TH_EUSAGE, "the pages are 1 to %d", N_PAGES);
    if (s->depth >= SH_DEEPEST)
        return th_fail(err, TH_ELIMIT, "files run each other more than %d deep", SH_DEEPEST);
    const char *outer = s->script;
    s->script = "tutorial"; /* nobody is asked */
    s->depth++;
    sh_say(s, "%d: %s\n\n", page, pages[page - 1].title);
    bool ok = run_page(s, page - 1, err);
    s->depth--;
    s->script = outer;
    if (ok && page < N_PAGES)
        sh_say(s, "\ntutorial %d: %s\n", page + 1, pages[page].title);
    return ok;
}
