/* files.c - saving and loading objects. */
#include <string.h>

#include "formats.h"
#include "session_impl.h"

TH_COMMAND(save, .group = "files", .summary = "write objects to a file",
           .detail =
               "The extension of the file says how: help formats lists the formats.  The file "
               "is written whole or not at all.",
           .example = "automaton p = parity\nsave p \"p.th\"\ndrop p\nload \"p.th\"\nlist\n"
                      "#> name  kind       size\n"
                      "#> p     automaton  2 states, 4 transitions",
           .args = {{A_OBJECT, "NAME", A_REPEATED}, {A_FILE, "FILE", 0}}, .flags = C_KEEPS_RESULT)
{
    enum { MOST = 256 };
    ThObject *object[MOST];
    const ThOperand *file = &call->operand[call->n - 1];
    int n = call->n - 1;
    if (n > MOST)
        return th_fail_operand(err, &call->operand[MOST], TH_ELIMIT,
                               "at most %d objects go into one file", MOST);
    for (int i = 0; i < n; i++)
        object[i] = call->operand[i].object;
    const ThFormat *f = th_format_of(file->text, err);
    if (f && !f->save) {
        th_fail(err, TH_EUSAGE, "%s files can be loaded, not saved", f->extension);
        f = NULL;
    }
    return (f && f->save(s, object, n, file->text, err)) || th_error_inside(err, file);
}

TH_COMMAND(
    load, .group = "files", .summary = "define the objects that a file holds",
    .detail = "The extension of the file says how it is read: help formats lists the formats.  "
              "A format that holds one object without a name gives it the file's name, or "
              "NAME.",
    .example = "automaton p = parity\nsave p \"p.th\"\nload \"p.th\"",
    .args = {{A_FILE, "FILE", 0}, {A_KEYWORD, "as", A_OPTIONAL}, {A_NEW, "NAME", A_OPTIONAL}},
    .flags = C_KEEPS_RESULT)
{
    const ThOperand *file = &call->operand[0];
    const ThFormat *f = th_format_of(file->text, err);
    if (f && !f->load) {
        th_fail(err, TH_EUSAGE, "%s files can be saved, not loaded", f->extension);
        f = NULL;
    }
    const char *name = call->n > 1 ? call->operand[1].text : NULL;
    return (f && f->load(s, file->text, name, err)) || th_error_inside(err, file);
}
