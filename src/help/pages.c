#include "help/pages.h"

#include "help/help.h"
#include "help/sections.h"

/* The topics of help that have pages. */
static const struct {
    const char *topic, *summary;
} topics[] = {
    {"tutorial", "thirteen short pages to start with"},
    {"syntax", "how commands are written"},
    {"automata", "built-in automata and the functions of automaton expressions"},
    {"regex", "regular expressions"},
    {"logic", "formulas of temporal logic, sentences about positions"},
    {"variables", "variables, and the results of commands"},
    {"rasp", "the language of what transformers compute"},
    {"tasks", "kinds of tasks"},
    {"models", "kinds of models"},
    {"positions", "positional encodings"},
    {"optimizers", "update rules of training"},
    {"weights", "how to compute with a model's file"},
    {"formats", "the files that save and load know"},
    {"figures", "where plots go, and how they look"},
    {"settings", "what set changes"},
    {"results", "the results that commands leave"},
    {"proofs", "what can be proved of each kind of model"},
    {"keys", "keys of the prompt"},
    {"words", "words of the field"},
};
enum { TOPICS = sizeof topics / sizeof *topics, NAME = 100 };

static const ShDocumentPage main_page = {
    "tapehead", 1, "a laboratory for automata, machines and the sequence models that learn them"};

/* Names live in `to`. */
static ShDocumentPage page_of(const char *name, int section, const char *summary, char to[NAME])
{
    snprintf(to, NAME, "tapehead-%s", name);
    for (char *c = to; *c; c++)
        *c = *c == ' ' || *c == '_' ? '-' : *c;
    return (ShDocumentPage){to, section, summary};
}

static void begin_page(ShDocument *d, const ShDocumentPage *p)
{
    ThText file TH_OWNED(th_text_free) = {0};
    sh_document_file(&file, d->form, p);
    fprintf(d->sheet.out, "\f %s\n", th_text_string(&file));
    sh_document_begin(d, p);
}

/* ---- tapehead(1) ----------------------------------------------------------------------------- */

/* A section of tapehead(1): names of sections of guides.txt, which may be NULL; in the second one
 * every other paragraph is a term. */
typedef struct {
    const char *heading, *guide, *list;
} Section;

/* What tapehead(1) says in front of the commands, and behind them. */
static const Section before[] = {{"Description", "main: description", NULL},
                                 {"Options", NULL, "main: list of options"},
                                 {"The prompt", "main: prompt", NULL},
                                 {"One language", "main: language", NULL},
                                 {"Experiments", "main: experiments", NULL},
                                 {"Output", NULL, "main: list of output"},
                                 {NULL, NULL, NULL}};

static const Section behind[] = {{"Environment", NULL, "main: list of environment"},
                                 {"Files", NULL, "main: list of files"},
                                 {"Exit status", "main: at the prompt", "main: list of status"},
                                 {"Examples", "main: examples", NULL},
                                 {"Diagnostics", "main: diagnostics", NULL},
                                 {"See also", "main: see", NULL},
                                 {"Bugs", "main: bugs", NULL},
                                 {NULL, NULL, NULL}};

static void put_list(ShDocument *d, const char *name)
{
    char term[64], text[1024];
    ThText t TH_OWNED(th_text_free) = {0};
    sh_section_text(sh_guides, name, &t);
    for (const char *at = t.data; at && *at;) {
        at = sh_take_line(at, term, sizeof term);
        at = sh_take_line(at, text, sizeof text);
        sh_document_row(d, term, text);
    }
}

static void put_sections(ShDocument *d, const Section *s)
{
    for (; s->heading; s++) {
        d->description = true;
        sh_document_heading(d, s->heading);
        if (s->guide)
            sh_put_guide(d, s->guide);
        if (s->list)
            put_list(d, s->list);
    }
}

static void put_commands(ShDocument *d)
{
    size_t n_groups, n;
    char name[NAME];
    const ShCommandGroup *group = sh_command_groups(&n_groups);
    const ShCommand *const *commands = sh_commands(&n);
    sh_document_heading(d, "Commands");
    for (size_t g = 0; g < n_groups; g++) {
        sh_document_lead(d, group[g].name);
        for (size_t i = 0; i < n; i++) {
            char typed[SH_COMMAND_NAME];
            if (strcmp(commands[i]->group, group[g].name) != 0)
                continue;
            ShDocumentPage p = page_of(commands[i]->name, 1, commands[i]->summary, name);
            sh_document_link(d, &p, sh_command_typed(commands[i], typed));
        }
    }
    sh_document_heading(d, "Topics");
    for (size_t i = 0; i < TOPICS; i++) {
        ShDocumentPage p = page_of(topics[i].topic, 7, topics[i].summary, name);
        sh_document_link(d, &p, topics[i].topic);
    }
}

static void main_of_all(ShDocument *d)
{
    begin_page(d, &main_page);
    sh_document_call(d, "tapehead [-iknqhV] [-e COMMANDS] [-D NAME=VALUE] [-f text|json|csv] "
                        "[--seed N] [--threads N] [FILE ...] [-- ARGUMENT ...]");
    put_sections(d, before);
    put_commands(d);
    put_sections(d, behind);
    sh_document_end(d);
}

/* ---- commands -------------------------------------------------------------------------------- */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const ShDocumentPage *)a)->name, ((const ShDocumentPage *)b)->name);
}

/* The others of its group, where they are few, those who draw figures their topic, and the whole.
 */
static void see_also(ShDocument *d, const ShCommand *c)
{
    enum { MOST = 24 };
    ShDocumentPage page[MOST];
    char name[MOST][NAME];
    size_t n, k = 0;
    const ShCommand *const *commands = sh_commands(&n);
    page[k++] = main_page;
    for (size_t i = 0; i < n && k + 2 < MOST && !c->common; i++) {
        if (commands[i] != c && strcmp(commands[i]->group, c->group) == 0) {
            page[k] = page_of(commands[i]->name, 1, NULL, name[k]);
            k++;
        }
    }
    qsort(page, k, sizeof *page, by_name);
    if (c->common) {
        page[k] = page_of("figures", 7, NULL, name[k]);
        k++;
    }
    sh_document_see(d, page, k);
}

/* The kinds that are second words of a command, as entries of its page. */
static void put_second_words(ShDocument *d, const ShFamily *f)
{
    for (size_t i = 0; i < f->count(); i++) {
        ShKindRow k = f->row(i);
        char *name TH_OWNED(free) = th_printed(NULL, "%s%s", f->before, k.name);
        sh_document_entry(d, name ? name : k.name);
        sh_help_kind(d, f, &k, NULL);
    }
}

static void command_page(ShDocument *d, const ShCommand *c)
{
    char name[NAME];
    ShDocumentPage p = page_of(c->name, 1, c->summary, name);
    begin_page(d, &p);
    sh_help_command(d, c);
    if (sh_family_of_command(c)) {
        sh_document_heading(d, "Kinds");
        put_second_words(d, sh_family_of_command(c));
    }
    see_also(d, c);
    sh_document_end(d);
}

/* ---- topics ---------------------------------------------------------------------------------- */

/* Every kind of the families of a topic; false if it is none of theirs. */
static bool put_families(ShDocument *d, const char *topic)
{
    size_t n;
    bool any = false;
    const ShFamily *f = sh_families(&n);
    for (size_t i = 0; i < n; i++) {
        if (f[i].second_word || strcmp(f[i].topic, topic) != 0)
            continue;
        for (size_t k = 0; k < f[i].count(); k++) {
            ShKindRow row = f[i].row(k);
            sh_document_entry(d, row.name);
            sh_help_kind(d, &f[i], &row, NULL);
        }
        any = true;
    }
    return any;
}

static void put_tutorial(ShDocument *d)
{
    char title[SH_SECTION_NAME];
    for (size_t i = 0; sh_section_name(sh_tutorial, i, title); i++) {
        ThText t TH_OWNED(th_text_free) = {0};
        sh_document_entry(d, title);
        sh_section_text(sh_tutorial, title, &t);
        sh_document_text(d, th_text_string(&t));
    }
}

/* What a positional encoding reads besides, once for all models. */
static void put_position_options(ShDocument *d)
{
    size_t n;
    const ThModelKind *const *kinds = th_model_kinds(&n);
    d->entry = false;
    sh_document_heading(d, "Options of the encodings");
    for (size_t i = 0; i < n; i++) {
        if (!kinds[i]->options || strcmp(kinds[i]->name, "transformer") != 0)
            continue;
        for (const ThOptionSpec *o = kinds[i]->options; o->name; o++) {
            ThText values TH_OWNED(th_text_free) = {0};
            if (strncmp(o->help, "position=", 9) != 0)
                continue;
            sh_option_values(&values, o);
            sh_document_option(d, o->name, th_text_string(&values), o->help);
        }
    }
}

static void topic_page(ShDocument *d, const char *topic, const char *summary)
{
    char name[NAME];
    ShDocumentPage p = page_of(topic, 7, summary, name);
    begin_page(d, &p);
    if (strcmp(topic, "tutorial") == 0)
        put_tutorial(d);
    else if (!put_families(d, topic))
        sh_help_topic(d, topic);
    if (strcmp(topic, "positions") == 0)
        put_position_options(d);
    sh_document_see(d, &main_page, 1);
    sh_document_end(d);
}

void sh_emit_pages(FILE *out, ShDocumentForm form)
{
    size_t n;
    const ShCommand *const *commands = sh_commands(&n);
    ShDocument d = {.sheet = {.out = out}, .form = form};
    main_of_all(&d);
    for (size_t i = 0; i < n; i++)
        command_page(&d, commands[i]);
    for (size_t i = 0; i < TOPICS; i++)
        topic_page(&d, topics[i].topic, topics[i].summary);
}
