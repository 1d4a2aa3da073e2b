/* exam.c - a folder of answers, each compared with an automaton. */
#include <dirent.h>
#include <sys/stat.h>

#include "commands/modelling.h"

static const ThOptionSpec options[] = {
    {"states", TH_INT, NULL, 1, 1000000, NULL, "states that an answer may have at most"},
    {"deterministic", TH_FLAG, "no", 0, 0, NULL, "an answer must be deterministic"},
    {0}};

enum { RIGHT, WRONG, UNREADABLE, VERDICTS };
static const char *const verdicts[] = {"right", "wrong", "unreadable"};

/* ---- reading --------------------------------------------------------------------------------- */

static char *behind_comments(char *s)
{
    for (s += strspn(s, " \t\r\n"); *s == '#'; s += strspn(s, " \t\r\n"))
        s += strcspn(s, "\n");
    return s;
}

static bool begins(char **s, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(*s, word, n) != 0 || !strchr(" \t\r\n\"{=", (*s)[n]))
        return false;
    *s = behind_comments(*s + n);
    return true;
}

/* Returns new: the automaton of a block, or of a regular expression, as people write them:
 * automaton NAME { … }, automaton NAME = regex "…", or without what comes before. */
static ThAutomaton *read_definition(ThAutomatonWork w, char *text, ThError *err)
{
    char *s = behind_comments(text), *end;
    if (begins(&s, "automaton")) {
        s += strcspn(s, " \t\r\n{=");
        s = behind_comments(s);
        s = *s == '=' ? behind_comments(s + 1) : s;
    }
    if (*s == '{' && (end = strrchr(s, '}'))) {
        *end = '\0';
        for (char *c = text; c <= s; c++) /* positions stay those in the file */
            *c = *c == '\n' ? '\n' : ' ';
        return th_automaton_parse(text, err);
    }
    if (begins(&s, "regex") && *s == '"' && (end = strchr(s + 1, '"'))) {
        *end = '\0';
        return th_regex_automaton(s + 1, NULL, 0, w.max_states, w.stop, err);
    }
    return th_null(th_fail(err, TH_EPARSE, "no automaton { … } and no regex \"…\""));
}

/* *to: new, NULL with an error. */
static void read_answer(ThAutomaton **to, ThAutomatonWork w, const char *path, ThError *err)
{
    enum { MOST_BYTES = 1 << 24 };
    const ThFormat *f = th_format_of_extension(path);
    ThText notes TH_OWNED(th_text_free) = {0};
    size_t size;
    char *text TH_OWNED(free) = th_file_read(path, MOST_BYTES, &size, err);
    if (!text)
        return;
    char *s = behind_comments(text);
    bool defines = *s == '{' || strncmp(s, "automaton", 9) == 0 || strncmp(s, "regex", 5) == 0;
    ThFormatInput in = {.text = text, .size = size, .stop = w.stop};
    if (!f || !f->read_automaton || (f->shared && defines) || th_ends_with(path, ".th"))
        *to = read_definition(w, text, err);
    else if (f->text && strlen(text) != size)
        th_fail(err, TH_EPARSE, "it holds a zero byte: it is no text");
    else
        *to = f->read_automaton(&in, &notes, err);
}

/* ---- grading --------------------------------------------------------------------------------- */

typedef struct {
    ShSession *s;
    const ShCall *call;
    const ThAutomaton *due;
    ThAutomatonWork work;
    long long count[VERDICTS];
} Exam;

static const char *answer(const ThAutomatonDifference *d, int side)
{
    return d->by_output && d->out[side] ? d->out[side] : d->accepted[side] ? "accept" : "reject";
}

/* What an answer asks for besides what was compared; "": nothing is wrong with it.  Outputs are
 * compared where both sides have them. */
static const char *form_of(const Exam *x, const ThAutomaton *a)
{
    const ThOptions *o = &x->call->options;
    if (th_automaton_transducer(x->due) && !th_automaton_transducer(a))
        return "it has no outputs";
    if (th_option_given(o, "states") && a->n_states > th_option_int(o, "states"))
        return "too many states";
    return th_option_flag(o, "deterministic") && !th_automaton_deterministic(a)
               ? "not deterministic"
               : "";
}

/* A row for a file; false only on what is no answer's fault. */
static bool grade(Exam *x, const char *folder, const char *file, ThError *err)
{
    ThError own = {0};
    ThAutomatonDifference d = {0};
    char *path TH_OWNED(free) = th_printed(err, "%s/%s", folder, file), why[300] = "";
    struct stat is;
    if (!path || (stat(path, &is) == 0 && !S_ISREG(is.st_mode)))
        return path != NULL;
    ThAutomaton *a TH_OWNED(th_automaton_free) = NULL;
    read_answer(&a, x->work, path, &own);
    bool ok = a && th_automaton_compare(x->due, a, x->work.max_states, x->work.stop, &d, &own);
    char *word TH_OWNED(free) = d.word;
    if (own.code == TH_ENOMEM || own.code == TH_EINTERRUPTED)
        return th_fail(err, own.code, "%s", own.msg);
    if (!ok && own.line > 0)
        snprintf(why, sizeof why, "line %d, column %d: %.200s", own.line, own.col, own.msg);
    else
        snprintf(why, sizeof why, "%.250s", !ok ? own.msg : d.equivalent ? form_of(x, a) : "");
    int verdict = !ok ? UNREADABLE : d.equivalent && !*why ? RIGHT : WRONG;
    bool differs = ok && !d.equivalent;
    x->count[verdict]++;
    sh_row(x->s, file, verdicts[verdict], ok ? (long long)a->n_states : 0LL,
           differs ? (*word ? word : "ε") : "", differs ? answer(&d, 0) : "",
           differs ? answer(&d, 1) : "", why);
    return true;
}

/* Hidden files are no answers, and neither is one that is being written, such as the gradebook. */
static int is_shown(const struct dirent *d)
{
    return d->d_name[0] != '.' && !strstr(d->d_name, ".tapehead-");
}

SH_COMMAND(
    exam, .group = "automata", .summary = "grade a folder of answers against an automaton",
    .detail =
        "Every file of the folder is an answer: a file that load reads (JFLAP, DOT, AT&T, ...), or "
        "a text with automaton NAME { ... }, automaton NAME = regex \"...\", the block alone or "
        "regex \"...\".  Nothing else in it is run.  In a row for each stands whether it has the "
        "same language (of transducers the same outputs, which an answer must have): right; wrong, "
        "with the shortest word, "
        "first in order, on which the two differ, what is due and what the answer says; or "
        "unreadable, and why.  An alphabet that lacks symbols, or has more, counts by the words.  "
        "As csv and json the rows are a gradebook.\n\n"
        "random automaton draws what can be asked.",
    .example = "echo \"automaton mine { start a; accept a; a 0 -> b; b 0 -> a }\" > \"even.th\"\n"
               "exam regex \"(00)*\" \".\" states=2 > \"grades.csv\"\n"
               "assert right == 1",
    .results = "files right wrong unreadable",
    .args = {{A_AUTOMATON, "A", 0}, {A_FILE, "FOLDER", 0}}, .options = options, .flags = C_PAGED)
{
    const ShOperand *folder = &call->operand[1];
    struct dirent **entry = NULL;
    Exam x = {s,
              call,
              call->operand[0].object->as.automaton,
              {(size_t)sh_setting_int(s, "limit-states"), sh_stop(s)},
              {0}};
    int n = scandir(folder->text, &entry, is_shown, alphasort);
    if (n < 0)
        return sh_fail_operand(err, folder, TH_EIO, "cannot read the folder '%s'", folder->text);
    bool ok = true;
    sh_table(s, "answers", "file:s verdict:s states:i word:s due:s said:s why:s");
    for (int i = 0; i < n; i++) {
        ok = ok && grade(&x, folder->text, entry[i]->d_name, err);
        free(entry[i]);
    }
    free(entry);
    sh_table_end(s);
    if (!ok)
        return false;
    const long long *c = x.count;
    sh_say(s, "%lld right, %lld wrong, %lld unreadable\n", c[RIGHT], c[WRONG], c[UNREADABLE]);
    sh_results(s, "files:i right:i wrong:i unreadable:i", c[0] + c[1] + c[2], c[RIGHT], c[WRONG],
               c[UNREADABLE]);
    return true;
}
