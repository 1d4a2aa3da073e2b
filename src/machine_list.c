#include "machine_list.h"

#include "rasp.h"
#include "language/variables.h"

void sh_machine_list_free(ShMachineList *l)
{
    TH_FREE(l->text, l->item);
    *l = (ShMachineList){0};
}

/* The machine of a line, *n bytes, without what follows it: a comment, or further columns behind a
 * comma or a blank. */
static const char *machine_of(const char *line, size_t *n)
{
    line += strspn(line, " \t");
    *n = th_format_bb_length(line, strcspn(line, ",#\t\r\n"));
    return line;
}

bool sh_is_machine_list(const char *text)
{
    size_t lines = 0, n;
    for (; text && lines < 2; text = strchr(text, '\n'), text = text ? text + 1 : NULL) {
        machine_of(text, &n);
        lines += n > 0;
    }
    return lines > 1;
}

static bool add(ShMachineList *l, char *line, int number, const char *label, ThError *err)
{
    ThError own = {0};
    size_t n;
    char *text = line + (machine_of(line, &n) - line);
    text[n] = '\0';
    if (n == 0)
        return true;
    ThTm *m = th_tm_read_bb(text, &own);
    th_tm_free(m);
    if (!m)
        return th_fail(err, own.code, "%s:%d:%d: %s", label, number, (int)(text - line) + own.col,
                       own.msg) ||
               th_hint(err, "%s", own.hint);
    return TH_APPEND(l->item, l->n, l->cap, err, text);
}

bool sh_machine_list_read(ShMachineList *l, char *text, size_t size, const char *label,
                          ThError *err)
{
    *l = (ShMachineList){.text = text};
    bool ok = strlen(text) == size ||
              th_fail(err, TH_EPARSE, "%s holds a zero byte: it is no text", label);
    int number = 1;
    for (char *line = text; ok && line; number++) {
        char *end = strchr(line, '\n');
        if (end)
            *end = '\0';
        if (number > 1 || strncmp(line, "machine,", 8) != 0) /* rows of analyze or run */
            ok = add(l, line, number, label, err);
        line = end ? end + 1 : NULL;
    }
    ok = ok && (l->n > 0 || th_fail(err, TH_EVALUE, "%s holds no machine", label));
    if (!ok)
        sh_machine_list_free(l);
    return ok;
}

bool sh_define_machine_list(ShSession *s, const char *name, char *text, size_t size,
                            const char *label, ThError *err)
{
    ShMachineList list TH_OWNED(sh_machine_list_free) = {0};
    ThText t = {0};
    ThRaspValue v;
    if (!sh_machine_list_read(&list, text, size, label, err))
        return false;
    for (size_t i = 0; i < list.n; i++)
        th_text_printf(&t, "%s\"%s\"", i ? ", " : "[", list.item[i]);
    th_text_add(&t, "]");
    char *source TH_OWNED(free) = th_text_take(&t, err);
    ThRasp *r = source ? sh_session_rasp(s, err) : NULL;
    bool ok =
        r && th_rasp_evaluate(r, source, &v, sh_stop(s), err) && sh_variable_set(s, name, &v, err);
    if (ok)
        sh_say(s, "note: %s is a list of %zu machines: for m in %s { run $m }, run %s\n", name,
               list.n, name, name);
    if (ok)
        sh_result_int(s, "machines", (long long)list.n);
    return ok;
}
