#include "terminal/repl.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <readline/history.h>
#include <readline/readline.h>

#include "terminal/complete.h"
#include "terminal/confirm.h"
#include "help/help.h"
#include "shell.h"
#include "terminal/signals.h"

/* Readline's callbacks take no context, so the one prompt of the program keeps its state here. */
static struct {
    ShSession *session;
    char *line;
    bool ready;
    sigset_t held, while_waiting; /* signals blocked while a line is edited; the mask of before */
    char *history;                /* file name, or NULL */
    ThText pending;               /* the lines of the statement being typed */
    char *again;                  /* what an empty line stands for, or NULL */
    ThText typed;                 /* ahead of the prompt, and how much of it has been read */
    size_t typed_read;
    ShCandidates candidates;
} repl;

/* ---- files ----------------------------------------------------------------------------------- */

/* Returns new: the XDG directory's `tapehead/NAME`, by its variable or below HOME; NULL if there is
 * neither.  Relative values are ignored, as the specification says. */
static char *xdg_file(const char *variable, const char *below_home, const char *name)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    ThText t = {0};
    if (base && base[0] == '/')
        th_text_printf(&t, "%s/tapehead/%s", base, name);
    else if (home && home[0] == '/')
        th_text_printf(&t, "%s/%s/tapehead/%s", home, below_home, name);
    else
        return NULL;
    return th_text_take(&t, NULL);
}

/* Makes the directories above a file, for the user only. */
static void make_directories(char *path)
{
    for (char *c = path + 1; *c; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        mkdir(path, 0700);
        *c = '/';
    }
}

static void start_history(void)
{
    using_history();
    history_comment_char = '#'; /* time stamps keep entries of several lines together */
    history_write_timestamps = 1;
    stifle_history(10000);
    if (!repl.session->no_shell) /* which is where nothing is written outside a folder */
        repl.history = xdg_file("XDG_STATE_HOME", ".local/state", "history");
    if (!repl.history)
        return;
    make_directories(repl.history);
    int fd = open(repl.history, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    if (fd < 0) {
        free(repl.history); /* a home that cannot be written to: no history is kept */
        repl.history = NULL;
        return;
    }
    close(fd);
    read_history(repl.history);
}

/* Puts the finished statement into the history, unless it says nothing new. */
static void remember(void)
{
    char *text = repl.pending.data;
    size_t n = repl.pending.size;
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
        text[--n] = '\0';
    HIST_ENTRY *last = history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
    if (n > 0 && text[0] != ' ' && !(last && strcmp(last->line, text) == 0)) {
        add_history(text);
        if (repl.history)
            append_history(1, repl.history);
    }
    repl.pending.size = 0;
}

/* ---- completion, help key -------------------------------------------------------------------- */

static char *next_candidate(const char *text TH_UNUSED, int state)
{
    static size_t at;
    if (state == 0)
        at = 0;
    return at < repl.candidates.n ? strdup(repl.candidates.item[at++]) : NULL;
}

static char **attempt(const char *text, int start, int end TH_UNUSED)
{
    sh_candidates_free(&repl.candidates);
    ThText line TH_OWNED(th_text_free) = {0};
    th_text_add(&line, repl.pending.data && repl.pending.size ? repl.pending.data : "");
    size_t before = line.size;
    th_text_add_bytes(&line, rl_line_buffer, (size_t)start);
    th_text_add(&line, text);
    if (!line.failed)
        sh_complete(repl.session, line.data, before + (size_t)start, &repl.candidates);
    rl_attempted_completion_over = !repl.candidates.files;
    char **matches = rl_completion_matches(text, next_candidate);
    bool goes_on =
        matches && matches[0] && matches[0][0] && strchr("=(}", matches[0][strlen(matches[0]) - 1]);
    rl_completion_append_character = goes_on ? '\0' : ' ';
    rl_completion_suppress_quote = goes_on;
    return matches;
}

/* Meta-h: help on the word at the cursor, or on the command of the line. */
static int help_on_word(int count TH_UNUSED, int key TH_UNUSED)
{
    char word[SH_COMMAND_NAME];
    ThError err = {0};
    int start = rl_point, end = rl_point;
    while (start > 0 && !strchr(" \t;=(", rl_line_buffer[start - 1]))
        start--;
    while (rl_line_buffer[end] && !strchr(" \t;=(", rl_line_buffer[end]))
        end++;
    snprintf(word, sizeof word, "%.*s", end - start, rl_line_buffer + start);
    char first[SH_COMMAND_NAME], option[2 * SH_COMMAND_NAME];
    size_t blank = strspn(rl_line_buffer, " \t");
    snprintf(first, sizeof first, "%.*s", (int)strcspn(rl_line_buffer + blank, " \t;"),
             rl_line_buffer + blank);
    snprintf(option, sizeof option, "%s_%s", first, word);
    ShSheet to = sh_sheet(rl_outstream, true);
    fputc('\n', rl_outstream);
    bool shown =
        rl_line_buffer[end] == '=' && (sh_help_option(&to, option) || sh_help_option(&to, word));
    if (!shown && !sh_help(&to, word, &err)) {
        err = (ThError){0};
        if (!sh_help(&to, first, &err))
            fprintf(rl_outstream, "%s\n", err.msg);
    }
    rl_on_new_line();
    rl_redisplay();
    return 0;
}

/* ---- lines ----------------------------------------------------------------------------------- */

static void on_line(char *line)
{
    repl.line = line;
    repl.ready = true;
    rl_callback_handler_remove();
}

/* With NOFLSH: else the terminal throws typed keys away at a Ctrl-C or Ctrl-Z, maybe between the
 * moment when a key can be read and the moment when it is read, which then waits for the next. */
static void prepare_terminal(int meta)
{
    struct termios t;
    rl_prep_terminal(meta);
    if (tcgetattr(STDIN_FILENO, &t) == 0) {
        t.c_lflag |= NOFLSH;
        tcsetattr(STDIN_FILENO, TCSANOW, &t);
    }
}

static void suspend(void)
{
    rl_deprep_terminal();
    raise(SIGSTOP);
    prepare_terminal(1);
    rl_forced_update_display();
}

/* Ctrl-C: the line is left on the screen, and forgotten, with the keys that were typed before. */
static void drop_line(void)
{
    sh_signals_clear();
    tcflush(STDIN_FILENO, TCIFLUSH);
    rl_callback_sigcleanup(); /* leaves a search */
    rl_free_line_state();
    rl_point = rl_end;
    rl_redisplay();
    fputs("^C\n", rl_outstream);
    rl_replace_line("", 0);
    rl_callback_handler_remove();
}

/* Waits for a key, or for one of the signals that are blocked meanwhile: a signal that comes just
 * before the wait would otherwise be noticed with the next key only.  Where there are both, pselect
 * does not let the signal in. */
static int wait_for_key(void)
{
    fd_set input;
    if (repl.typed_read < repl.typed.size)
        return 1;
    FD_ZERO(&input);
    FD_SET(STDIN_FILENO, &input);
    int r = pselect(STDIN_FILENO + 1, &input, NULL, NULL, NULL, &repl.while_waiting);
    if (r > 0) {
        sigprocmask(SIG_SETMASK, &repl.while_waiting, NULL);
        sigprocmask(SIG_BLOCK, &repl.held, NULL);
    }
    return r;
}

/* A key for readline, which also asks in the middle of things: for the rest of a key's sequence,
 * in a search, whether to list all completions.  A signal that ends the line aborts these. */
static int read_key(FILE *in)
{
    unsigned char key;
    for (;;) {
        int r = wait_for_key();
        if (sh_suspend_wanted())
            suspend();
        else if (sh_interrupted() || sh_terminated())
            return CTRL('G');
        else if (repl.typed_read < repl.typed.size)
            return (unsigned char)repl.typed.data[repl.typed_read++];
        else if (r > 0 && (r = (int)read(fileno(in), &key, 1)) > 0)
            return key;
        else if (r == 0 || errno != EINTR)
            return EOF;
    }
}

/* Returns false if the line was dropped; repl.line is NULL at the end of input. */
static bool edit_line(const char *prompt)
{
    repl.ready = false;
    repl.line = NULL;
    sh_signals_clear();
    rl_callback_handler_install(prompt, on_line);
    while (!repl.ready && !sh_terminated()) {
        int r = wait_for_key();
        if (sh_suspend_wanted())
            suspend();
        else if (sh_resized())
            rl_resize_terminal();
        else if (r > 0 && !sh_interrupted())
            rl_callback_read_char();
        else if (r < 0 && errno != EINTR)
            break;
        if (sh_interrupted() && !repl.ready) {
            drop_line();
            return false;
        }
    }
    if (!repl.ready)
        rl_callback_handler_remove();
    return true;
}

static bool read_line(const char *prompt)
{
    sigprocmask(SIG_BLOCK, &repl.held, &repl.while_waiting);
    bool kept = edit_line(prompt);
    sigprocmask(SIG_SETMASK, &repl.while_waiting, NULL);
    return kept;
}

static void start_readline(void)
{
    static char name[] = "tapehead", breaks[] = " \t\n;(){}[],=<>&|~!\"", quotes[] = "\"",
                quoted[] = " \t;#\"(){}[]=<>";
    rl_readline_name = name;
    rl_catch_signals = 0;
    rl_catch_sigwinch = 0;
    rl_prep_term_function = prepare_terminal;
    rl_getc_function = read_key;
    rl_outstream = isatty(STDOUT_FILENO) ? stdout : stderr;
    rl_attempted_completion_function = attempt;
    rl_basic_word_break_characters = breaks;
    rl_completer_word_break_characters = breaks;
    rl_completer_quote_characters = quotes;
    rl_filename_quote_characters = quoted;
    sigemptyset(&repl.held);
    sigaddset(&repl.held, SIGINT);
    sigaddset(&repl.held, SIGTSTP);
    sigaddset(&repl.held, SIGTERM);
    sigaddset(&repl.held, SIGHUP);
    sigaddset(&repl.held, SIGWINCH);
    rl_initialize();
    rl_bind_keyseq_if_unbound("\\eh", help_on_word);
}

void sh_type_ahead(const char *text, size_t n)
{
    th_text_add_bytes(&repl.typed, text, n);
}

void sh_offer_again(ShSession *s, char *command)
{
    free(repl.again);
    repl.again = s->interactive ? command : NULL;
    if (!repl.again)
        free(command);
}

/* An empty line becomes the command that was offered, and any line takes the offer back. */
static void take_offer(bool continued)
{
    char *again = repl.again;
    repl.again = NULL;
    if (again && !continued && !repl.line[strspn(repl.line, " \t")]) {
        free(repl.line);
        repl.line = again;
    } else {
        free(again);
    }
}

static ShLineResult next_line(ShSource *src TH_UNUSED, bool continued, char **line, size_t *cap,
                              size_t *n)
{
    if (!continued)
        remember();
    fflush(stdout);
    sh_hold_suspend(true);
    bool got = read_line(continued ? "      ...> " : "tapehead> ");
    sh_hold_suspend(false);
    if (!got) {
        repl.pending.size = 0;
        return SH_LINE_DROPPED;
    }
    if (!repl.line) {
        if (sh_terminated())
            return SH_LINES_END;
        fputc('\n', rl_outstream);
        repl.pending.size = 0;
        return sh_confirm_leave(repl.session) ? SH_LINES_END : SH_LINE_DROPPED;
    }
    take_offer(continued);
    size_t before = repl.pending.size;
    th_text_add(&repl.pending, repl.line);
    th_text_add(&repl.pending, "\n");
    free(repl.line);
    *n = repl.pending.failed ? 0 : repl.pending.size - before;
    free(*line);
    *line = *n ? strdup(repl.pending.data + before) : NULL;
    *cap = *line ? *n + 1 : 0;
    return *line ? SH_LINE : SH_LINES_END;
}

static void run_init_file(ShSession *s)
{
    char *path TH_OWNED(free) = xdg_file("XDG_CONFIG_HOME", ".config", "init.th");
    FILE *in = path ? fopen(path, "r") : NULL;
    if (in) {
        sh_shell_file(s, in, path);
        fclose(in);
    }
}

void sh_repl(ShSession *s, bool init)
{
    s->interactive = true;
    repl.session = s;
    signal(SIGQUIT,
           SIG_IGN); /* Ctrl-\\ would lose everything; kill -TERM and three Ctrl-C end it */
    sh_signals_clear();
    if (init)
        run_init_file(s);
    start_readline();
    start_history();
    ShSource src = {.name = "<stdin>", .prompt = true, .next = next_line};
    if (!s->leaving)
        sh_shell_run(s, &src);
    remember();
    if (repl.history)
        history_truncate_file(repl.history, 10000);
    sh_candidates_free(&repl.candidates);
    th_text_free(&repl.pending);
    th_text_free(&repl.typed);
    free(repl.again);
    repl.again = NULL;
    free(repl.history);
    clear_history();
}
