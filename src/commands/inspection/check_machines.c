/* check_machines.c - rows of analyze, checked again by the checker of machines. */

#include "commands/inspection/proofs.h"

enum { MACHINE, VERDICT, PROOF, STEPS, CELLS, CERTIFICATE, FIELDS };
static const char heading[] = "machine,verdict,proof,steps,cells,certificate\n";

typedef struct {
    ThIntern proof;
    size_t *count, cap;
    size_t line, open, refused, first; /* first: the line of the first that is refused */
    char why[400];
} Checked;

/* Cuts a row at its commas; false where it has other fields. */
static bool cut(char *row, char **field)
{
    int n = 0;
    char *end = row;
    for (; end && n < FIELDS; n++) {
        field[n] = row;
        end = strchr(row, ',');
        if (end)
            *end = '\0';
        row = end ? end + 1 : row;
    }
    return !end && n == FIELDS;
}

/* What is wrong with a row, in found->why; the numbers of a run are its steps. */
static bool check_row(ShSession *s, char **field, ThProofMachine *found, ThError *err)
{
    const char *verdict = field[VERDICT];
    if (!th_proof_machine(field[MACHINE], field[PROOF], field[CERTIFICATE], sh_stop(s), found, err))
        return false;
    bool same = strcmp(verdict, found->stops ? "stops" : "never") == 0;
    char cells[24];
    snprintf(cells, sizeof cells, "%lld", found->cells);
    if (found->holds && found->stops &&
        (strcmp(field[STEPS], field[CERTIFICATE]) != 0 || strcmp(field[CELLS], cells) != 0))
        same = false;
    if (found->holds && !same)
        snprintf(found->why, sizeof found->why, "the row says something else than its proof");
    found->holds = found->holds && same;
    return true;
}

static bool take_row(ShSession *s, Checked *c, char *row, ThError *err)
{
    char *field[FIELDS];
    ThProofMachine found = {0};
    size_t index, before = c->proof.n;
    if (!cut(row, field))
        return th_fail(err, TH_EPARSE, "line %zu is no row of analyze, which has %d fields",
                       c->line, FIELDS);
    if ((strcmp(field[VERDICT], "unknown") == 0 && !*field[CERTIFICATE]) ||
        strcmp(field[PROOF], "rules") == 0) {
        c->open++;
        return true;
    }
    if (!check_row(s, field, &found, err))
        return false;
    if (!found.holds && c->refused++ == 0) {
        c->first = c->line;
        snprintf(c->why, sizeof c->why, "%.200s: %s", field[MACHINE], found.why);
    }
    if (!found.holds)
        return true;
    if (!th_intern(&c->proof, field[PROOF], strlen(field[PROOF]) + 1, &index, err) ||
        !th_grow(&c->count, &c->cap, c->proof.n, sizeof *c->count, err))
        return false;
    c->count[index] = index < before ? c->count[index] + 1 : 1;
    return true;
}

static void say_checked(ShSession *s, const Checked *c)
{
    size_t holds = 0;
    sh_table(s, "proofs", "proof:s hold:i");
    for (size_t i = 0; i < c->proof.n; i++) {
        holds += c->count[i];
        sh_row(s, (const char *)th_intern_at(&c->proof, i, NULL), (long long)c->count[i]);
    }
    sh_table_end(s);
    sh_say(s, "%zu proof%s hold%s, %zu refused; %zu machine%s without one\n", holds,
           sh_plural((long long)holds), holds == 1 ? "s" : "", c->refused, c->open,
           sh_plural((long long)c->open));
    sh_results(s, "holds:b checks:i refused:i unknown:i", c->refused == 0 && holds > 0,
               (long long)holds, (long long)c->refused, (long long)c->open);
}

/* Are these rows, all of which are read? */
static bool holds_rows(const ShOperand *file, const char *text, size_t size, ThError *err)
{
    if (strncmp(text, heading, sizeof heading - 1) != 0)
        return sh_fail_operand(err, file, TH_EVALUE,
                               "'%s' holds no rows of analyze, which begin with %.44s", file->text,
                               heading) ||
               th_hint(err, "analyze LIST > \"%s\"; a model's needs of MODEL on TASK", file->text);
    return strlen(text) == size ||
           sh_fail_operand(err, file, TH_EPARSE,
                           "'%s' has a byte 0, behind which nothing would be read", file->text);
}

bool sh_check_machines(ShSession *s, const ShCall *call, ThError *err)
{
    enum { MOST_BYTES = 1 << 28 };
    const ShOperand *file = &call->operand[0];
    size_t size;
    Checked c = {.line = 1};
    char *text TH_OWNED(free) = th_file_read(file->text, MOST_BYTES, &size, err);
    if (!text)
        return sh_error_inside(err, file);
    if (!holds_rows(file, text, size, err))
        return false;
    bool ok = true;
    for (char *row = text + sizeof heading - 1, *end; ok && *row; row = end) {
        c.line++;
        end = row + strcspn(row, "\n");
        if (*end)
            *end++ = '\0';
        ok = take_row(s, &c, row, err) && !th_stopped(sh_stop(s), err);
    }
    if (!ok)
        sh_error_inside(err, file);
    else {
        say_checked(s, &c);
        ok = c.refused == 0 ||
             sh_fail_operand(err, file, TH_EVALUE, "the proof of line %zu is REFUSED: %s", c.first,
                             c.why);
    }
    th_intern_free(&c.proof);
    free(c.count);
    return ok;
}
