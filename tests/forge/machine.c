/* Half of them are bouncers, of which cases and numbers are changed; half are machines that stop.
 */
#include "machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change_impl.h"
#include "proof/machine/endless.h"
#include "turing/analyze.h"

enum { MOST_STATES = 5, TAPE = 1 << 17, STEPS = 4000000, NUMBERS = 4000, MOVES = 2 };

static char *case_of(char *machine, int q, int a)
{
    return machine + 7 * q + 3 * a;
}

static void draw_case(Change *x, int states, char *to)
{
    char text[4];
    snprintf(text, sizeof text, "%d%c%c", change_below(x, 2), change_below(x, 2) ? 'R' : 'L',
             'A' + change_below(x, states));
    memcpy(to, change_below(x, 8) == 0 ? "---" : text, 3);
}

static void draw_machine(Change *x, int states, char *machine)
{
    for (int q = 0; q < states; q++) {
        for (int b = 0; b < 2; b++)
            draw_case(x, states, case_of(machine, q, b));
        machine[7 * q + 6] = q < states - 1 ? '_' : '\0';
    }
}

static unsigned char tape[TAPE];

/* Runs a machine of two symbols for so many steps: the one at which it stops; 0: it does not, or
 * the tape is at its end.  *at: where its head is then. */
static int run(char *machine, int steps, int *at)
{
    int q = 0;
    memset(tape, 0, sizeof tape);
    *at = TAPE / 2;
    for (int n = 1; n <= steps && *at >= 0 && *at < TAPE; n++) {
        const char *is = case_of(machine, q, tape[*at]);
        if (*is == '-')
            return n;
        tape[*at] = (unsigned char)(*is - '0');
        *at += is[1] == 'R' ? 1 : -1;
        q = is[2] - 'A';
    }
    return 0;
}

static bool blank(int from, int to)
{
    for (int i = from; i < to; i++)
        if (tape[i])
            return false;
    return true;
}

static void add_word(ThText *numbers, const char *word, int n)
{
    th_text_printf(numbers, " %d", n);
    if (n > 0)
        th_text_printf(numbers, " %.*s", n, word);
}

/* Of a machine that stops: a formula of its tape at some step before, one part of which is said to
 * be there any number of times. */
static void draw_stopping(Change *x, char *machine, ThText *numbers)
{
    enum { AROUND = 200, LONGEST = 15 };
    for (;;) {
        int at, n = 0, side = change_below(x, 2);
        char cells[AROUND];
        draw_machine(x, 2 + change_below(x, 3), machine);
        int stops = run(machine, AROUND, &at),
            step = stops > 2 ? 1 + change_below(x, stops - 2) : 0;
        run(machine, step, &at);
        if (stops < 3 || !blank(side ? at : at - AROUND, side ? at + AROUND : at + 1))
            continue;
        for (int i = AROUND - 1; i > 0; i--) { /* from the far end on */
            int cell = tape[side ? at - i : at + i];
            n = n == 0 && cell == 0 ? 0 : n + 1;
            cells[n > 0 ? n - 1 : 0] = (char)('0' + cell);
        }
        int first = change_below(x, n + 1), block = n > first ? change_below(x, n - first + 1) : 0;
        if (n > LONGEST)
            continue;
        th_text_printf(numbers, "%d %d %d", step, side, 1 + change_below(x, 12));
        add_word(numbers, cells, block ? first : n);
        if (block) {
            add_word(numbers, cells + first, block);
            add_word(numbers, cells + first + block, n - first - block);
        }
        change_note(x, "tape at step", step);
        return;
    }
}

/* Machines are drawn until one is a bouncer. */
static int draw_bouncer(Change *x, char *machine, ThText *numbers)
{
    ThTmAnalysis a = {.proof = TH_TM_PROOF_BOUNCER};
    ThError err = {0};
    for (;;) {
        bool proved = false;
        ThTmTable t;
        int states = 3 + change_below(x, MOST_STATES - 2);
        draw_machine(x, states, machine);
        ThTm *m = th_tm_read_bb(machine, &err);
        bool ok = m && th_tm_table(&t, m) &&
                  th_tm_bouncer(&a.bouncer, &t, 3000, NULL, &proved, &err) && proved;
        th_tm_free(m);
        if (!ok)
            continue;
        th_tm_certificate(numbers, &a);
        return states;
    }
}

/* A case is another; mostly one that stops. */
static void change_case(Change *x, char *machine, int states)
{
    int q = change_below(x, states), b = change_below(x, 2);
    change_note(x, "case", 2 * q + b);
    draw_case(x, states, case_of(machine, q, b));
    if (change_below(x, 3) > 0)
        memcpy(case_of(machine, q, b), "---", 3);
}

/* A number of the certificate is one more or less, or another; often moves are fewer. */
static void change_one(Change *x, char *numbers)
{
    char was[NUMBERS], *s = was;
    int n = 1;
    snprintf(was, sizeof was, "%s", numbers);
    for (const char *c = was; *c; c++)
        n += *c == ' ';
    int at = change_below(x, 2) ? MOVES : change_below(x, n), used = 0;
    change_note(x, "number", at);
    for (int i = 0; i < n; i++) {
        long long is = strtoll(s, &s, 10);
        if (i == at)
            is = change_below(x, 3) == 0 ? is + change_below(x, 3) - 1
                                         : change_below(x, at == MOVES && is > 0 ? (int)is : 200);
        used += snprintf(numbers + used, (size_t)(NUMBERS - used), "%s%lld", i ? " " : "", is);
    }
}

static void draw_changed(Change *x, char *machine, ThText *numbers, int way)
{
    int states = draw_bouncer(x, machine, numbers);
    if (way < 3)
        change_case(x, machine, states);
}

bool machine_accepted(Change *x, bool *ok)
{
    char machine[7 * MOST_STATES + 1], numbers[NUMBERS];
    ThText text TH_OWNED(th_text_free) = {0};
    ThProofMachine found;
    int way = change_below(x, 8), at;
    if (way > 3)
        draw_stopping(x, machine, &text);
    else
        draw_changed(x, machine, &text, way);
    snprintf(numbers, sizeof numbers, "%s", text.data);
    for (int i = way % 4 == 0 ? 0 : change_below(x, 3); i > 0; i--)
        change_one(x, numbers);
    bool holds =
        th_proof_machine(machine, "bouncers", numbers, NULL, &found, &(ThError){0}) && found.holds;
    int stops = holds ? run(machine, STEPS, &at) : 0;
    *ok = stops == 0;
    if (stops)
        snprintf(x->why, sizeof x->why, "%s stops after %d steps: %.200s", machine, stops, numbers);
    return holds;
}
