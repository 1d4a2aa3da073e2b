#include "language/variables.h"

#include <math.h>

#include "point_records.h"
#include "rasp.h"

/* ---- what a name stands for ------------------------------------------------------------------ */

static void write_atom(ShSession *s, ThText *t, ThRaspAtom a)
{
    if (a.kind == TH_RASP_ATOM_INT)
        th_text_printf(t, "%lld", (long long)a.cell.i);
    else if (a.kind == TH_RASP_ATOM_FLOAT)
        th_text_real(t, a.cell.x);
    else if (a.kind == TH_RASP_ATOM_BOOL)
        th_text_add(t, a.cell.i ? "yes" : "no");
    else if (a.kind == TH_RASP_ATOM_STRING)
        th_rasp_atom_write(th_rasp_atoms(th_rasp_graph(s->rasp)), a, t);
    else
        th_rasp_write_element(s->rasp, a, t);
}

static void write_value(ShSession *s, ThText *t, const ThRaspValue *v)
{
    if (v->kind == TH_RASP_VALUE_ATOM)
        write_atom(s, t, v->as.atom);
    else
        th_rasp_write_value(s->rasp, v, t);
}

/* The value of a name that the user has given to a constant. */
static bool own_value(ShSession *s, const char *name, ThRaspValue *v)
{
    const ShObject *o = sh_find(s, name);
    return o && o->kind == SH_VALUE && s->rasp && th_rasp_lookup(s->rasp, name, v);
}

static ShFigureValue atom_value(ThRaspAtom a)
{
    ShFigureValue f = {.kind = 's'};
    if (a.kind == TH_RASP_ATOM_FLOAT)
        return (ShFigureValue){.kind = 'r', .real = a.cell.x};
    if (a.kind == TH_RASP_ATOM_INT || a.kind == TH_RASP_ATOM_BOOL) {
        f.kind = a.kind == TH_RASP_ATOM_INT ? 'i' : 'b';
        f.integer = a.cell.i;
        f.real = (double)a.cell.i;
    }
    return f;
}

/* $1, $2, …, $args and $nargs; kind 0: there is no such argument. */
static ShFigureValue argument(ShSession *s, const char *name)
{
    size_t n = s->n_args, i = strspn(name, "0123456789");
    if (strcmp(name, "nargs") == 0)
        return (ShFigureValue){.kind = 'i', .integer = (long long)n, .real = (double)n};
    if (strcmp(name, "args") == 0) {
        for (size_t k = 0; k < n; k++)
            th_text_printf(&s->value, "%s%s", k ? " " : "", s->args[k]);
        return (ShFigureValue){.kind = 'l', .text = th_text_string(&s->value)};
    }
    if (i == 0 || i > 9 || name[i])
        return (ShFigureValue){0};
    i = strtoul(name, NULL, 10);
    if (i < 1 || i > n)
        return (ShFigureValue){0};
    ShFigureValue f = {.kind = 's', .text = s->args[i - 1]};
    if (th_integer_read(f.text, &f.integer)) {
        f.kind = 'i';
        f.real = (double)f.integer;
    }
    return f;
}

ShFigureValue sh_variable(ShSession *s, const char *name)
{
    ThRaspValue v;
    s->value.size = 0;
    if (own_value(s, name, &v)) {
        ShFigureValue f =
            v.kind == TH_RASP_VALUE_ATOM ? atom_value(v.as.atom) : (ShFigureValue){.kind = 'l'};
        if (f.kind == 'l' && v.kind == TH_RASP_VALUE_LIST) {
            for (size_t i = 0; i < th_rasp_length(&v); i++) {
                ThRaspValue e = th_rasp_element(&v, i);
                th_text_add(&s->value, i ? " " : "");
                write_value(s, &s->value, &e);
            }
        } else if (f.kind == 's' || f.kind == 'l') {
            write_value(s, &s->value, &v);
        }
        f.text = f.kind == 's' || f.kind == 'l' ? th_text_string(&s->value) : NULL;
        return f;
    }
    ShFigureValue f = argument(s, name);
    return f.kind ? f : sh_result_value(s, name);
}

char *sh_variable_item(ShSession *s, const char *name, size_t i)
{
    ThRaspValue v;
    ThText t = {0};
    if (own_value(s, name, &v)) {
        if (v.kind != TH_RASP_VALUE_LIST || i >= th_rasp_length(&v))
            return NULL;
        ThRaspValue e = th_rasp_element(&v, i);
        write_value(s, &t, &e);
        return th_text_take(&t, NULL);
    }
    return strcmp(name, "args") == 0 && i < s->n_args ? th_strdup(s->args[i], NULL) : NULL;
}

void sh_variable_write(ThText *t, const ShFigureValue *v)
{
    if (v->kind == 'i')
        th_text_printf(t, "%lld", v->integer);
    else if (v->kind == 'b')
        th_text_add(t, v->integer ? "yes" : "no");
    else if (v->kind == 'r')
        th_text_real(t, v->real);
    else
        th_text_add(t, v->text);
}

/* Says that a name stands for nothing, with the nearest that does.  Returns false, always. */
const char *sh_variable_name(ShSession *s, size_t i)
{
    const ShObject *o;
    ThRaspValue v;
    for (size_t k = 0; (o = sh_object_at(s, k)); k++)
        if (own_value(s, o->name, &v) && i-- == 0)
            return o->name;
    if (i < 2)
        return i == 0 ? "args" : "nargs";
    return i - 2 < s->out.figures.n ? s->out.figures.item[i - 2].name : NULL;
}

static bool no_variable(ShSession *s, const char *name, ThError *err)
{
    const ShFigures *f = &s->out.figures;
    const char **names TH_OWNED(free) = th_alloc(s->n + f->n, sizeof *names, err);
    size_t n = 0;
    if (!names)
        return false;
    for (size_t i = 0; i < s->n; i++)
        if (s->object[i]->kind == SH_VALUE)
            names[n++] = s->object[i]->name;
    for (size_t i = 0; i < f->n; i++)
        names[n++] = f->item[i].name;
    const char *near = th_nearest(name, names, n);
    const ShObject *o = sh_find(s, name);
    bool number = name[0] >= '0' && name[0] <= '9';
    if (number)
        th_fail(err, TH_EVALUE, "there is no argument %s", name);
    else
        th_fail(err, TH_EVALUE, "the last result has no '%s', nor is it a variable", name);
    if (o)
        th_hint(err, "%s is %s: its name stands without $", name, sh_a_kind(o->kind));
    else if (near)
        th_hint(err, "did you mean $%s?", near);
    else if (number)
        th_hint(err, "arguments follow the file: tapehead FILE -- ARG..., source \"FILE\" ARG...");
    else
        th_hint(err, "\\$ in a string, or $$, is a dollar sign");
    return false;
}

/* ---- inserting ------------------------------------------------------------------------------- */

static size_t name_length(const char *text)
{
    size_t n = 0;
    if (text[0] >= '0' && text[0] <= '9')
        return strspn(text, "0123456789");
    while (sh_is_name_byte((unsigned char)text[n]))
        n++;
    return n;
}

/* Bytes of an insertion, $NAME or ${NAME}, at the beginning of a text, with its name; 0: there is
 * none. */
static size_t insertion(const char *text, const char **name, size_t *n)
{
    bool braced = text[0] == '$' && text[1] == '{';
    if (text[0] != '$')
        return 0;
    *name = text + 1 + braced;
    *n = name_length(*name);
    if (*n == 0 || (braced && (*name)[*n] != '}'))
        return 0;
    return *n + (braced ? 3 : 1);
}

const char *sh_insertion(const char *text, size_t *n)
{
    const char *name;
    size_t size = insertion(text, &name, n);
    return size > 0 && !text[size] ? name : NULL;
}

bool sh_names_list(ShSession *s, const char *word, size_t n, bool bare, char name[SH_NAME])
{
    const char *inside = word;
    size_t length = n, size = insertion(word, &inside, &length);
    if (size == 0) {
        inside = word;
        length = n;
    }
    if ((size != n && !(size == 0 && bare)) || length >= SH_NAME)
        return false;
    snprintf(name, SH_NAME, "%.*s", (int)length, inside);
    return sh_variable(s, name).kind == 'l';
}

/* Real figures are inserted as they are printed, the user's own numbers as they are. */
static bool insert_name(ShSession *s, const char *name, size_t n, ThText *to, ThError *err)
{
    char text[64];
    ThRaspValue own;
    snprintf(text, sizeof text, "%.*s", (int)n, name);
    ShFigureValue f = sh_variable(s, text);
    if (!f.kind)
        return no_variable(s, text, err);
    if (f.kind == 'r' && !own_value(s, text, &own))
        th_text_number(to, f.real);
    else
        sh_variable_write(to, &f);
    return true;
}

typedef enum { OUTSIDE, STRING, PATTERN } Where;

/* Appends a value; what would end the string that it stands in gets its backslash, and in a pattern
 * the other backslashes mean what they say. */
static bool insert_here(ShSession *s, const char *name, size_t n, Where where, ThText *to,
                        ThError *err)
{
    ThText value TH_OWNED(th_text_free) = {0};
    bool ok = insert_name(s, name, n, &value, err);
    for (size_t i = 0; ok && i < value.size; i++) {
        char c = value.data[i];
        bool escaped = where != OUTSIDE && (c == '"' || (c == '\\' && where == STRING));
        if (where == STRING && c == '\n')
            th_text_add(to, "\\n");
        else
            th_text_printf(to, escaped ? "\\%c" : "%c", c);
    }
    return ok;
}

/* What stands at a quote: its string begins or ends. */
static Where at_quote(Where where, const char *begin, const char *at)
{
    enum { WORD = 5 };
    if (where != OUTSIDE)
        return OUTSIDE;
    while (at > begin && strchr(" \t\n", at[-1]))
        at--;
    bool pattern = at - begin >= WORD && strncmp(at - WORD, "regex", WORD) == 0 &&
                   (at - begin == WORD || !sh_is_name_byte((unsigned char)at[-WORD - 1]));
    return pattern ? PATTERN : STRING;
}

/* Gives an error the place of a byte. */
static bool fail_at_byte(ThError *err, const char *begin, const char *at)
{
    err->line = err->col = 1;
    for (; begin < at; begin++) {
        err->line += *begin == '\n';
        err->col = *begin == '\n' ? 1 : err->col + (((unsigned char)*begin & 0xc0) != 0x80);
    }
    return false;
}

static bool fail_brace(ThError *err)
{
    return th_fail(err, TH_EPARSE, "expected a name and a '}' behind this ${") ||
           th_hint(err, "\\$ in a string is a dollar sign");
}

bool sh_insert(ShSession *s, const char *text, ThText *to, ThError *err)
{
    Where where = OUTSIDE;
    ThError own = {0};
    err = err ? err : &own;
    for (const char *at = text; *at;) {
        const char *name;
        size_t n, size = insertion(at, &name, &n);
        if (size > 0 ? !insert_here(s, name, n, where, to, err)
                     : at[0] == '$' && at[1] == '{' && !fail_brace(err))
            return fail_at_byte(err, text, at);
        bool dollar = where != OUTSIDE && at[0] == '\\' && at[1] == '$';
        bool pair = where != OUTSIDE && at[0] == '\\' && at[1] && !dollar;
        if (*at == '"')
            where = at_quote(where, text, at);
        if (size == 0) {
            size = dollar || pair || (at[0] == '$' && at[1] == '$') ? 2 : 1;
            th_text_add_bytes(to, dollar ? "$" : at, pair ? 2 : 1);
        }
        at += size;
    }
    return !to->failed || th_fail(err, TH_ENOMEM, "out of memory");
}

bool sh_insert_string(ShSession *s, const char *inside, ThText *to, ThError *err)
{
    ThText source TH_OWNED(th_text_free) = {0}, inserted TH_OWNED(th_text_free) = {0};
    th_text_printf(&source, "\"%s\"", inside);
    bool ok = !source.failed ? sh_insert(s, source.data, &inserted, err)
                             : th_fail(err, TH_ENOMEM, "out of memory");
    if (ok)
        th_text_unescape(to, inserted.data + 1, inserted.size - 2);
    return ok;
}

/* ---- commands of the system's shell ---------------------------------------------------------- */

/* Capitals are for the system's own variables (POSIX, 8.1): a file that is loaded cannot set PATH.
 */
static bool may_export(const char *name, size_t n)
{
    static const char lower[] = "abcdefghijklmnopqrstuvwxyz";
    return n > 0 && n < SH_NAME && strcspn(name, lower) < n && strchr("0123456789", *name) == NULL;
}

void sh_export(ShSession *s, const char *command, ThText *names)
{
    char name[SH_NAME];
    const char *at = command, *inside;
    if (s->point)
        sh_point_note_shell(s, command);
    for (size_t n; (at = strchr(at, '$')); at++) {
        if (insertion(at, &inside, &n) == 0 || !may_export(inside, n))
            continue;
        snprintf(name, sizeof name, "%.*s", (int)n, inside);
        ThText value TH_OWNED(th_text_free) = {0};
        if (!getenv(name) && sh_variable(s, name).kind && insert_name(s, name, n, &value, NULL)) {
            setenv(name, th_text_string(&value), 1);
            th_text_add_bytes(names, name, n + 1);
        }
    }
}

void sh_unexport(ThText *names)
{
    for (size_t i = 0; i < names->size; i += strlen(names->data + i) + 1)
        unsetenv(names->data + i);
    th_text_free(names);
}

/* ---- defining -------------------------------------------------------------------------------- */

bool sh_variable_set(ShSession *s, const char *name, const ThRaspValue *v, ThError *err)
{
    const ShObject *o = sh_find(s, name);
    if (o && !sh_is_rasp(o->kind))
        return th_fail(err, TH_EVALUE, "'%s' is %s", name, sh_a_kind(o->kind)) ||
               th_hint(err, "drop %s gives the name free", name);
    return th_rasp_define(s->rasp, name, v, err) &&
           sh_define_rasp(s, name, sh_rasp_object_kind(v), err);
}

/* The atom of a figure, an argument or a text. */
static bool atom_of(ShSession *s, const ShFigureValue *f, ThRaspAtom *a, ThError *err)
{
    if (f->kind == 'i')
        *a = th_rasp_int(f->integer);
    else if (f->kind == 'b')
        *a = th_rasp_bool(f->integer != 0);
    else if (f->kind == 'r' && isfinite(f->real))
        *a = th_rasp_float(f->real);
    else if (f->kind == 'r')
        return th_fail(err, TH_ENUMERIC, "that is no finite number");
    else
        return th_rasp_atom_string(th_rasp_atoms(th_rasp_graph(s->rasp)), f->text, strlen(f->text),
                                   a, err);
    return true;
}

bool sh_variable_read(ShSession *s, const char *name, const char *text, ThError *err)
{
    char *end;
    ShFigureValue f = {.kind = 's', .text = text, .real = strtod(text, &end)};
    if (th_integer_read(text, &f.integer))
        f.kind = 'i';
    else if (end > text && *end == '\0' && isfinite(f.real) && !strpbrk(text, "xX "))
        f.kind = 'r';
    ThRaspValue v = {.kind = TH_RASP_VALUE_ATOM};
    return sh_session_rasp(s, err) && atom_of(s, &f, &v.as.atom, err) &&
           sh_variable_set(s, name, &v, err);
}

bool sh_variable_atom(ShSession *s, const char *name, ThRaspAtom *a, ThError *err)
{
    ShFigureValue f = sh_variable(s, name);
    return f.kind ? atom_of(s, &f, a, err) : no_variable(s, name, err);
}
