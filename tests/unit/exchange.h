/* exchange.h - automata read from and written as texts in the formats of other programs. */
#ifndef TEST_EXCHANGE_H
#define TEST_EXCHANGE_H

#include <string.h>

#include "formats/format_table.h"

/* symbols: the table beside the text, or NULL. */
static inline ThAutomaton *read_text(const ThFormat *f, const char *text, const char *symbols,
                                     ThText *notes, ThError *err)
{
    ThFormatInput in = {.size = strlen(text), .beside = symbols};
    memcpy(&in.text, &text, sizeof text); /* it stays as it is */
    return f->read_automaton(&in, notes, err);
}

static inline bool write_text(const ThFormat *f, ThText *to, ThText *symbols, const ThAutomaton *a,
                              const char *name, ThText *notes, ThError *err)
{
    ThFormatOutput out = {{0}, {0}};
    bool ok = f->write_automaton(&out, a, name, notes, err);
    th_text_add_bytes(to, out.text.data ? out.text.data : "", out.text.size);
    if (symbols)
        th_text_add_bytes(symbols, out.beside.data ? out.beside.data : "", out.beside.size);
    th_text_free(&out.text);
    th_text_free(&out.beside);
    return ok;
}

#endif
