#include "turing/tm_program.h"

#include "base/symbols.h"

/* ---- tables ---------------------------------------------------------------------------------- */

typedef enum { NEXT, WRITE, MOVE } Column;

/* The rule for a state and a symbol, or NULL; without walls' own symbols it is as in the table. */
static const ThTmRule *rule_at(const ThTm *m, int state, int symbol)
{
    int rule = m->role[state] == TH_TM_RUNS ? th_tm_rule(m, state, &symbol) : -1;
    return rule < 0 ? NULL : &m->rule[rule];
}

static int entry(const ThTmTokens *k, const ThTmRule *r, int state, int symbol, Column column)
{
    if (column == NEXT)
        return th_tm_token_of_state(k, r->to == TH_TM_ANY ? state : r->to);
    if (column == WRITE)
        return th_tm_token_of_symbol(k, r->write[0] == TH_TM_ANY ? symbol : r->write[0]);
    return r->move[0];
}

/* A dictionary from (state, cell), a line for each state. */
static void write_table(ThText *t, const ThTmTokens *k, const char *name, Column column)
{
    const ThTm *m = k->machine;
    const char *between = "";
    th_text_printf(t, "%s = {", name);
    for (int q = 0; q < m->n_states; q++) {
        bool first = true;
        for (int s = 0; s < m->n_symbols; s++) {
            const ThTmRule *r = rule_at(m, q, s);
            if (!r)
                continue;
            th_text_printf(t, "%s%s(%d, %d): %d", between, first ? "\n    " : " ",
                           th_tm_token_of_state(k, q), th_tm_token_of_symbol(k, s),
                           entry(k, r, q, s, column));
            between = ",";
            first = false;
        }
    }
    th_text_add(t, "\n};\n");
}

/* ---- names ----------------------------------------------------------------------------------- */

/* RASP's strings have no escapes: a quote in a name becomes an apostrophe. */
static char *plain_name(const ThTmTokens *k, int token, ThError *err)
{
    static const char *const mark[] = {"|", "<", ">", "."};
    ThText t = {0};
    if (token < TH_TM_TOKEN_FIRST)
        th_text_add(&t, mark[token]);
    else
        th_tm_token_write(&t, k, token);
    char *name = th_text_take(&t, err);
    for (char *c = name; c && *c; c++)
        if (*c == '"')
            *c = '\'';
    return name;
}

/* Apostrophes tell apart what has one name: a state 0 and a symbol 0. */
static char *own_name(const ThTmTokens *k, char *const *name, int token, ThError *err)
{
    char *x = plain_name(k, token, err);
    while (x && th_symbols_find(name, token, x) >= 0) {
        ThText t = {0};
        th_text_printf(&t, "%s'", x);
        free(x);
        x = th_text_take(&t, err);
    }
    return x;
}

char **th_tm_program_names(const ThTmTokens *k, ThError *err)
{
    int n = th_tm_token_count(k);
    char **name = th_alloc((size_t)n + 1, sizeof *name, err);
    bool ok = name != NULL;
    for (int i = 0; ok && i < n; i++) {
        name[i] = own_name(k, name, i, err);
        ok = name[i] != NULL;
    }
    if (!ok)
        th_tm_program_names_free(name);
    return ok ? name : NULL;
}

void th_tm_program_names_free(char **name)
{
    for (int i = 0; name && name[i]; i++)
        free(name[i]);
    free(name);
}

static void write_names(ThText *t, char *const *name)
{
    th_text_add(t, "_names = [");
    for (int i = 0; name[i]; i++)
        th_text_printf(t, i ? ", \"%s\"" : "\"%s\"", name[i]);
    th_text_add(t, "];\n_numbers = {_names[i]: i for i in range(len(_names))};\n");
}

/* ---- the program ----------------------------------------------------------------------------- */

static const char one_step[] =
    "# The move of state s, which scans c; b is the token before c.\n"
    "def _go(s, c, b) {\n"
    "    _m = _move[(s, c)] if ((s, c) in _next) else 0;\n"
    "    return %s;\n"
    "}\n\n"
    "# What t becomes between b and d before the head moves: a scanned cell gets what is written, "
    "a\n"
    "# state is followed by the next.\n"
    "def _become(b, t, d) {\n"
    "    return _write[(d, t)] if ((d, t) in _next) else\n"
    "           (_next[(t, b)] if ((t, b) in _next) else t);\n"
    "}\n\n"
    "# What stands in the place of c one step later, from the five tokens around it: after a move "
    "to\n"
    "# the right the state changes places with the cell behind it, after one to the left with the\n"
    "# cell before it.\n"
    "def _step(a, b, c, d, e) {\n"
    "    _here = _go(c, b, a);\n"
    "    _from_right = (_here > 0) or (_go(d, c, b) < 0);\n"
    "    _from_left = (_here < 0) or (_go(b, a, 3) > 0);\n"
    "    return _become(c, d, e) if _from_right else\n"
    "           (_become(a, b, c) if _from_left else _become(b, c, d));\n"
    "}\n\n";

static const char successor[] =
    "# x moved k positions to the right.\n"
    "_back = [select(indices + k, indices, ==, causal) for k in range(%d)];\n\n"
    "def _shift(x, k, default) {\n"
    "    return aggregate(_back[k], x, default);\n"
    "}\n\n"
    "# The successor of the text two places late, so that it needs no token ahead; and three "
    "places\n"
    "# late, so that it ends where the text it belongs to does.\n"
    "def _number(t) {\n"
    "    return _numbers[t] if (t in _numbers) else 3;\n"
    "}\n\n"
    "_tokens = map(_number, tokens_asis);\n"
    "_late = map(_step, _shift(_tokens, 4, 0), _shift(_tokens, 3, 0), _shift(_tokens, 2, 0),\n"
    "            _shift(_tokens, 1, 0), _tokens);\n"
    "_later = _shift(_late, 1, 3);\n"
    "_turned = 3 if (indices < 2) else _later;\n\n";

/* The keys: one line for each token of a gram, as the paper unrolls its loop. */
static void write_keys(ThText *t, int n)
{
    th_text_printf(t,
                   "# The configurations that have ended so far, and the last %d tokens of this "
                   "one; a 0 for those\n# of configurations before it.\n",
                   n + 1);
    th_text_add(t, "def _within(x, ended, k) {\n"
                   "    return _shift(x, k, 0) if _shift(ended, k, -1) == ended else 0;\n"
                   "}\n\n"
                   "def _key(x) {\n"
                   "    _ended = sel_width(select(x, 0, ==, causal));\n");
    for (int k = 1; k <= n; k++)
        th_text_printf(t, "    _x%d = _within(x, _ended, %d);\n", k, k);
    th_text_add(t, "    return (_ended, x");
    for (int k = 1; k <= n; k++)
        th_text_printf(t, ", _x%d", k);
    th_text_add(t, ");\n}\n\n");
}

static void write_source(ThText *t, const ThTmTokens *k, char *const *token, int n,
                         const char *name, const char *title)
{
    const ThTm *m = k->machine;
    bool stays = m->edge == TH_TM_EDGE_STAY && !k->walls;
    ThText line TH_OWNED(th_text_free) = {0};
    th_text_symbol(&line, title);
    th_text_printf(t, "# The next-token program of the machine %s, by the last %d tokens.\n#\n",
                   th_text_string(&line), n + 1);
    th_text_add(
        t, "# Tokens and their numbers: 0 ends a configuration, 1 is its beginning, 2 its end, 3 "
           "fills; then\n# the symbols, then the states, which stand right behind the "
           "scanned cell.\n");
    write_names(t, token);
    th_text_add(t, "\n# By state and scanned cell: the next state, what is written, the move.\n");
    write_table(t, k, "_next", NEXT);
    write_table(t, k, "_write", WRITE);
    write_table(t, k, "_move", MOVE);
    th_text_add(t, "\n");
    th_text_printf(t, one_step, stays ? "0 if (_m < 0) and (b == 1) else _m" : "_m");
    th_text_printf(t, successor, (n < 4 ? 4 : n) + 1);
    write_keys(t, n);
    th_text_printf(t,
                   "# Where the successor's last %d tokens were these, the token behind them is "
                   "the next.\n_next_number = aggregate(select(_key(_turned), _key(_tokens), ==, "
                   "causal), _late, 0, max);\n%s = _names[_next_number];\n",
                   n + 1, name);
}

bool th_tm_program(ThText *t, const ThTmTokens *tokens, int n, const char *name, const char *title,
                   ThError *err)
{
    const ThTm *m = tokens->machine;
    int most = m->n_symbols > 0 ? TH_TM_PROGRAM_RULES / m->n_symbols : 0;
    if (m->n_tapes != 1)
        return th_fail(err, TH_EVALUE, "the program is for machines with one tape");
    if (m->branching)
        return th_fail(err, TH_EVALUE, "the program is for machines without a choice of rules");
    if (m->n_states > most)
        return th_fail(err, TH_ELIMIT, "%d states and %d symbols are too many for a program",
                       m->n_states, m->n_symbols);
    if (n < 0 || n > TH_TM_PROGRAM_GRAM)
        return th_fail(err, TH_ELIMIT, "n must be between 0 and %d", TH_TM_PROGRAM_GRAM);
    char **token = th_tm_program_names(tokens, err);
    if (token)
        write_source(t, tokens, token, n, name, title);
    th_tm_program_names_free(token);
    return token != NULL;
}
