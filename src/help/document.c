#include "help/document.h"

#include <ctype.h>

/* ---- mdoc ------------------------------------------------------------------------------------ */

/* True after a word that ends with a full stop and is followed by the start of a sentence. */
static bool ends_sentence(const char *end, size_t n, char next)
{
    bool goes_on = (next >= 'a' && next <= 'z') || (next >= '0' && next <= '9');
    return n > 1 && strchr(".?!", end[-1]) && !goes_on;
}

static void mdoc_put(FILE *out, const char *word, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fputs(word[i] == '\\' ? "\\e" : (const char[]){word[i], '\0'}, out);
}

/* The bytes of a word once roff's preprocessor has written what is not ASCII as \[u....]. */
static size_t mdoc_length(const char *word, size_t n)
{
    size_t length = n;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)word[i];
        length += c == '\\' ? 1 : c >= 0xc0 ? 7 : 0;
    }
    return length;
}

static void mdoc_line(FILE *out, const char *text, size_t n)
{
    fputs(n > 0 && (*text == '.' || *text == '\'') ? "\\&" : "", out);
    mdoc_put(out, text, n);
    fputc('\n', out);
}

/* Lines that begin with a blank, as they stand.  Returns what follows them. */
static const char *mdoc_lines(FILE *out, const char *text)
{
    fputs(".Bd -literal -offset indent -compact\n", out);
    while (*text == ' ') {
        text += strspn(text, " ");
        size_t n = strcspn(text, "\n");
        mdoc_line(out, text, n);
        text += n;
        if (text[0] == '\n' && text[1] == ' ')
            text++;
    }
    fputs(".Ed\n", out);
    return text;
}

/* Text as mdoc input: a sentence begins a line, lines are short, nothing is taken for markup. */
static void mdoc_text(FILE *out, const char *text)
{
    size_t column = 0;
    const char *c = *text == ' ' ? mdoc_lines(out, text) : text;
    while (*c) {
        if (*c == '\n') {
            bool paragraph = c[1] == '\n';
            fputs(column ? "\n" : "", out);
            c += strspn(c, "\n");
            fputs(paragraph && *c ? ".Pp\n" : "", out);
            column = 0;
            if (*c == ' ')
                c = mdoc_lines(out, c);
            continue;
        }
        size_t n = strcspn(c, " \n");
        size_t length = mdoc_length(c, n);
        if (column > 0 && column + 1 + length > 78) {
            fputc('\n', out);
            column = 0;
        }
        if (column > 0)
            column += (size_t)(fputc(' ', out) != EOF);
        else if (*c == '.' || *c == '\'')
            fputs("\\&", out);
        mdoc_put(out, c, n);
        column += length;
        c += n;
        char next = c[strspn(c, " ")];
        if (*c == ' ' && ends_sentence(c, n, next)) {
            fputc('\n', out);
            column = 0;
        }
        c += strspn(c, " ");
    }
    fputs(column ? "\n" : "", out);
}

/* Text as one argument of a macro. */
static void mdoc_word(FILE *out, const char *text)
{
    fputs(" \"", out);
    for (const char *c = text; *c; c++)
        fputs(*c == '\\' ? "\\e" : *c == '"' ? "\"\"" : (const char[]){*c, '\0'}, out);
    fputc('"', out);
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static void markdown_put(FILE *out, const char *text, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strchr("\\`*_[]<>|#$~&", text[i]))
            fputc('\\', out);
        fputc(text[i], out);
    }
}

static void markdown_lines(FILE *out, const char **text)
{
    fputs("```\n", out);
    while (**text == ' ') {
        *text += strspn(*text, " ");
        size_t n = strcspn(*text, "\n");
        fprintf(out, "%.*s\n", (int)n, *text);
        *text += n;
        if ((*text)[0] == '\n' && (*text)[1] == ' ')
            ++*text;
    }
    fputs("```\n", out);
}

/* A paragraph is a line. */
static void markdown_text(FILE *out, const char *text)
{
    while (*text) {
        if (*text == ' ') {
            markdown_lines(out, &text);
        } else {
            size_t n = strcspn(text, "\n");
            fputs(strchr("-+=", *text) ? "\\" : "", out);
            markdown_put(out, text, n);
            fputc('\n', out);
            text += n;
        }
        size_t breaks = strspn(text, "\n");
        text += breaks;
        fputs(*text && (breaks > 1 || *text == ' ') ? "\n" : "", out);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

/* tapehead-train as train, and tapehead as it is. */
static const char *short_name(const ShDocumentPage *p)
{
    const char *hyphen = strchr(p->name, '-');
    return hyphen ? hyphen + 1 : p->name;
}

void sh_document_file(ThText *t, ShDocumentForm form, const ShDocumentPage *p)
{
    bool main = !strchr(p->name, '-');
    if (form == SH_MDOC)
        th_text_printf(t, "%s.%d", p->name, p->section);
    else
        th_text_printf(t, "%s%s.md",
                       main              ? ""
                       : p->section == 1 ? "commands/"
                                         : "topics/",
                       main ? "README" : short_name(p));
}

/* ---- sections -------------------------------------------------------------------------------- */

static void end_list(ShDocument *d)
{
    if (d->list)
        fputs(d->form == SH_MDOC ? ".El\n" : "\n", d->sheet.out);
    d->list = false;
}

static void begin_item(ShDocument *d)
{
    if (!d->list && d->form == SH_MARKDOWN && d->text)
        fputc('\n', d->sheet.out);
    d->text = false;
    if (!d->list && d->form == SH_MDOC)
        fputs(".Bl -tag -width Ds\n", d->sheet.out);
    d->list = true;
}

static void section(ShDocument *d, const char *word)
{
    FILE *out = d->sheet.out;
    end_list(d);
    d->text = false;
    if (d->form == SH_MARKDOWN) {
        fprintf(out, d->entry ? "\n**%s**\n\n" : "\n## %s\n\n", word);
    } else if (d->entry) {
        fputs(".Pp\n.Sy", out);
        mdoc_word(out, word);
        fputc('\n', out);
        d->text = true;
    } else {
        fputs(".Sh ", out);
        for (const char *c = word; *c; c++)
            fputc(toupper((unsigned char)*c), out);
        fputc('\n', out);
    }
}

static void begin_description(ShDocument *d)
{
    end_list(d);
    if (!d->entry && !d->description)
        section(d, "Description");
    d->description = true;
}

/* A summary, which has no full stop, as a sentence. */
static void sentence(ThText *t, const char *summary)
{
    size_t n = strlen(summary);
    th_text_add(t, summary);
    if (n > 0 && !strchr(".?!:", summary[n - 1]))
        th_text_add(t, ".");
    if (t->data && t->data[0] >= 'a' && t->data[0] <= 'z' && isalpha((unsigned char)t->data[1]))
        t->data[0] = (char)(t->data[0] - 'a' + 'A');
}

static void page_text(ShDocument *d, const char *text)
{
    d->text = true;
    if (d->form == SH_MDOC)
        mdoc_text(d->sheet.out, text);
    else
        markdown_text(d->sheet.out, text);
}

/* ---- pieces ---------------------------------------------------------------------------------- */

void sh_document_begin(ShDocument *d, const ShDocumentPage *p)
{
    FILE *out = d->sheet.out;
    d->entry = d->list = d->synopsis = d->description = false;
    if (d->form == SH_MARKDOWN) {
        fprintf(out, "# %s(%d)\n\n", p->name, p->section);
        markdown_text(out, p->summary);
    } else if (d->form == SH_MDOC) {
        fputs(".Dd November 24, 2026\n.Dt ", out);
        for (const char *c = p->name; *c; c++)
            fputc(toupper((unsigned char)*c), out);
        fprintf(out, " %d\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", p->section, p->name);
        mdoc_put(out, p->summary, strcspn(p->summary, "?"));
        fputc('\n', out);
    }
}

void sh_document_end(ShDocument *d)
{
    end_list(d);
}

void sh_document_entry(ShDocument *d, const char *name)
{
    if (d->form == SH_SCREEN)
        return;
    end_list(d);
    begin_description(d);
    d->entry = true;
    d->text = false;
    if (d->form == SH_MDOC) {
        fputs(".Ss", d->sheet.out);
        mdoc_word(d->sheet.out, name);
        fputc('\n', d->sheet.out);
    } else {
        fprintf(d->sheet.out, "\n### %s\n\n", name);
    }
}

void sh_document_call(ShDocument *d, const char *call)
{
    FILE *out = d->sheet.out;
    if (d->form == SH_SCREEN) {
        fprintf(out, "%s\n", call);
        return;
    }
    if (!d->entry && !d->synopsis)
        section(d, "Synopsis");
    d->synopsis = true;
    if (d->form == SH_MARKDOWN) {
        fprintf(out, "```\n%s\n```\n", call);
    } else {
        fputs(".D1", out);
        mdoc_word(out, call);
        fputc('\n', out);
    }
}

void sh_document_summary(ShDocument *d, const char *summary)
{
    ThText t TH_OWNED(th_text_free) = {0};
    if (d->form == SH_SCREEN) {
        sh_wrap(&d->sheet, 4, summary);
        return;
    }
    sentence(&t, summary);
    sh_document_text(d, th_text_string(&t));
}

void sh_document_detail(ShDocument *d, const char *text)
{
    if (!text)
        return;
    if (d->form == SH_SCREEN) {
        fputc('\n', d->sheet.out);
        sh_wrap(&d->sheet, 4, text);
        return;
    }
    sh_document_text(d, text);
}

void sh_document_text(ShDocument *d, const char *text)
{
    if (d->form == SH_SCREEN) {
        sh_wrap(&d->sheet, 0, text);
        return;
    }
    begin_description(d);
    if (d->text)
        fputs(d->form == SH_MDOC ? ".Pp\n" : "\n", d->sheet.out);
    page_text(d, text);
}

void sh_document_lead(ShDocument *d, const char *text)
{
    if (d->form == SH_SCREEN) {
        fprintf(d->sheet.out, "%s\n", text);
        return;
    }
    begin_description(d);
    if (text[strlen(text) - 1] == ':') {
        sh_document_summary(d, text);
        return;
    }
    fprintf(d->sheet.out, d->form == SH_MDOC ? ".Ss %c%s\n" : "\n### %c%s\n\n",
            toupper((unsigned char)*text), text + 1);
}

void sh_document_heading(ShDocument *d, const char *word)
{
    if (d->form == SH_SCREEN)
        fprintf(d->sheet.out, "\n%s:\n", word);
    else
        section(d, word);
}

void sh_document_said(ShDocument *d, const char *word, const char *text)
{
    if (!text)
        return;
    if (d->form == SH_SCREEN) {
        sh_wrap_from(&d->sheet, fprintf(d->sheet.out, "\n%s: ", word) - 1, 4, text);
        return;
    }
    section(d, word);
    if (d->text)
        fputs(d->form == SH_MDOC ? ".Pp\n" : "", d->sheet.out);
    page_text(d, text);
}

static void screen_example(FILE *out, const char *text)
{
    fputs("\nExample:\n", out);
    while (*text) {
        size_t n = strcspn(text, "\n");
        fprintf(out, "    %.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
}

void sh_document_example(ShDocument *d, const char *text)
{
    FILE *out = d->sheet.out;
    if (!text)
        return;
    if (d->form == SH_SCREEN) {
        screen_example(out, text);
        return;
    }
    section(d, "Examples");
    fputs(d->form == SH_MDOC ? ".Bd -literal -offset indent\n" : "```\n", out);
    while (*text) {
        size_t n = strcspn(text, "\n");
        if (d->form == SH_MDOC)
            mdoc_line(out, text, n);
        else
            fprintf(out, "%.*s\n", (int)n, text);
        text += n + (text[n] == '\n');
    }
    fputs(d->form == SH_MDOC ? ".Ed\n" : "```\n", out);
}

void sh_document_gap(ShDocument *d)
{
    if (d->form == SH_SCREEN)
        fputc('\n', d->sheet.out);
}

void sh_document_option(ShDocument *d, const char *name, const char *values, const char *help)
{
    FILE *out = d->sheet.out;
    if (d->form == SH_SCREEN) {
        fprintf(out, "    %s   %s\n", name, values);
        if (*help)
            sh_wrap(&d->sheet, 8, help);
        return;
    }
    begin_item(d);
    if (d->form == SH_MARKDOWN) {
        fprintf(out, "- **`%s`** ", name);
        markdown_put(out, help, strlen(help));
        fputs(" (", out);
        markdown_put(out, values, strlen(values));
        fputs(")\n", out);
        return;
    }
    fputs(".It Cm", out);
    mdoc_word(out, name);
    fputc('\n', out);
    mdoc_text(out, help);
    fputs(".Pq", out);
    mdoc_word(out, values);
    fputc('\n', out);
}

static void item(ShDocument *d, const char *name, const char *summary)
{
    ThText t TH_OWNED(th_text_free) = {0};
    sentence(&t, summary);
    if (d->form == SH_MARKDOWN) {
        fprintf(d->sheet.out, "- %s ", name);
        markdown_text(d->sheet.out, th_text_string(&t));
    } else {
        fprintf(d->sheet.out, ".It %s\n", name);
        mdoc_text(d->sheet.out, th_text_string(&t));
    }
}

void sh_document_row(ShDocument *d, const char *name, const char *summary)
{
    if (d->form == SH_SCREEN) {
        sh_wrap_row(&d->sheet, name, summary);
        return;
    }
    ThText t TH_OWNED(th_text_free) = {0};
    begin_item(d);
    if (d->form == SH_MARKDOWN) {
        th_text_printf(&t, "`%s`:", name);
    } else {
        th_text_add(&t, "Cm \"");
        for (const char *c = name; *c; c++)
            th_text_add(&t, *c == '\\' ? "\\e" : *c == '"' ? "\"\"" : (const char[]){*c, '\0'});
        th_text_add(&t, "\"");
    }
    item(d, t.data ? t.data : name, summary);
}

void sh_document_term(ShDocument *d, const char *name, const char *summary)
{
    if (d->form != SH_SCREEN) {
        sh_document_row(d, name, summary);
        return;
    }
    fprintf(d->sheet.out, "  %s\n", name);
    sh_wrap(&d->sheet, 6, summary);
}

void sh_document_link(ShDocument *d, const ShDocumentPage *p, const char *name)
{
    if (d->form == SH_SCREEN) {
        sh_wrap_row(&d->sheet, name, p->summary);
        return;
    }
    ThText t TH_OWNED(th_text_free) = {0}, file TH_OWNED(th_text_free) = {0};
    begin_item(d);
    sh_document_file(&file, d->form, p);
    if (d->form == SH_MARKDOWN)
        th_text_printf(&t, "[%s](%s):", name, th_text_string(&file));
    else
        th_text_printf(&t, "Xr %s %d", p->name, p->section);
    item(d, t.data ? t.data : name, p->summary);
}

/* From a page in one of the folders. */
void sh_document_see(ShDocument *d, const ShDocumentPage *pages, size_t n)
{
    FILE *out = d->sheet.out;
    d->entry = false;
    if (d->form == SH_SCREEN || n == 0)
        return;
    section(d, "See also");
    for (size_t i = 0; i < n; i++) {
        const ShDocumentPage *p = &pages[i];
        ThText file TH_OWNED(th_text_free) = {0};
        sh_document_file(&file, d->form, p);
        if (d->form == SH_MDOC)
            fprintf(out, ".Xr %s %d%s\n", p->name, p->section, i + 1 < n ? " ," : "");
        else
            fprintf(out, "%s[%s(%d)](../%s)", i ? ", " : "", p->name, p->section,
                    th_text_string(&file));
    }
    fputs(d->form == SH_MARKDOWN ? "\n" : "", out);
}
