#include "help/help_start.h"

#include <dirent.h>
#include <limits.h>

#include "help/help.h"
#include "platform.h"

/* ---- the first screen ------------------------------------------------------------------------ */

static const char *const ways[][2] = {
    {"tutorial 1", "thirteen short pages: read on, or type along"},
    {"automaton p = parity", "an automaton; run p abba, plot automaton p"},
    {"machine b = \"1RB1LB_1LA1RZ\"", "a Turing machine; run b, trace b"},
    {"sort(tokens, tokens)", "RASP: what transformers compute, on an example"},
    {"task t = recognize p", "a task; model m = regulargpt, train m on t"},
    {"help examples", "scripts to run with source, and to change"},
};

void sh_help_start(const ShSheet *to)
{
    size_t n;
    const ShCommandGroup *group = sh_command_groups(&n);
    fputs("Ways to start:\n", to->out);
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
        sh_wrap_from(to, fprintf(to->out, "  %-28s", ways[i][0]), 31, ways[i][1]);
    fputs("\nGroups of commands, for help GROUP:\n", to->out);
    for (size_t i = 0; i < n; i++)
        sh_wrap_from(to, fprintf(to->out, "  %-11s", group[i].name), 14, group[i].summary);
    ThText more TH_OWNED(th_text_free) = {0};
    th_text_add(&more, "help COMMAND, apropos WORD, or help TOPIC:");
    for (size_t i = 1; sh_help_topics[i]; i++)
        th_text_printf(&more, "%s%s", i > 1 ? ", " : " ", sh_help_topics[i]);
    sh_wrap(to, 0, th_text_string(&more));
}

/* ---- examples -------------------------------------------------------------------------------- */

static int is_script(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 3 && strcmp(entry->d_name + n - 3, ".th") == 0;
}

/* Appends the first sentence of a script's comments, which may fill several lines, or its heading;
 * a note to the tests is none. */
static void add_sentence(ThText *t, FILE *in)
{
    char line[256];
    while (fgets(line, sizeof line, in) && (!t->size || line[0] == '#')) {
        line[strcspn(line, "\n")] = '\0';
        const char *text = line + strspn(line, "# ");
        const char *stop = strstr(text, ".  ");
        size_t n = stop ? (size_t)(stop - text) + 1 : strlen(text);
        if (line[0] != '#' || n == 0 || strncmp(line, "# slow", 6) == 0)
            continue;
        th_text_add(t, t->size ? " " : "");
        th_text_add_bytes(t, text, n);
        if (stop || strchr(".?", text[n - 1]) || strncmp(line, "# # ", 4) == 0)
            return;
    }
}

static void list_script(const ShSheet *to, const char *folder, const char *name)
{
    ThText path TH_OWNED(th_text_free) = {0}, about TH_OWNED(th_text_free) = {0};
    th_text_printf(&path, "%s/%s", folder, name);
    FILE *in = path.data ? fopen(path.data, "r") : NULL;
    if (in) {
        add_sentence(&about, in);
        fclose(in);
    }
    sh_wrap_row(to, name, th_text_string(&about));
}

static int is_folder(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
}

/* Prints the scripts of a folder of examples under its name, if it has any; how many. */
static int list_chapter(const ShSheet *to, const char *root, const char *chapter)
{
    struct dirent **entry TH_OWNED(free) = NULL;
    char *folder TH_OWNED(free) = th_printed(NULL, "%s/%s", root, chapter);
    int n = folder ? scandir(folder, &entry, is_script, alphasort) : 0;
    if (n > 0)
        fprintf(to->out, "\n%s\n", chapter);
    for (int i = 0; i < n; i++) {
        list_script(to, folder, entry[i]->d_name);
        free(entry[i]);
    }
    return n;
}

/* The scripts in the folders of `root`; false if there are none. */
static bool list_examples(const ShSheet *to, const char *root)
{
    struct dirent **entry TH_OWNED(free) = NULL;
    int n = scandir(root, &entry, is_folder, alphasort), found = 0;
    if (n > 0)
        fprintf(to->out, "scripts in %s, for source \"%s/FOLDER/NAME\":\n", root, root);
    for (int i = 0; i < n; i++) {
        found += list_chapter(to, root, entry[i]->d_name);
        free(entry[i]);
    }
    return found > 0;
}

/* They lie beside the program: where it was built, or where it was installed. */
void sh_help_examples(const ShSheet *to)
{
    static const char *const places[] = {"examples", "../share/doc/tapehead/examples",
                                         "../../examples"};
    char program[PATH_MAX], real[PATH_MAX];
    char *slash = sh_platform_self(program, sizeof program) ? strrchr(program, '/') : NULL;
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        char *folder TH_OWNED(free) =
            th_printed(NULL, "%.*s/%s", (int)(slash - program), program, places[i]);
        bool found = folder && realpath(folder, real) && list_examples(to, real);
        if (found)
            return;
    }
    fputs("the scripts that belong to tapehead are not installed here\n", to->out);
}
