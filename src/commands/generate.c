/* generate.c - a model or an s-op writes on behind an input. */
#include <stdlib.h>
#include <unistd.h>

#include "base/symbols.h"
#include "base/text.h"
#include "command.h"
#include "commands/modelling.h"
#include "lab/generate.h"
#include "rasp.h"
#include "session_impl.h"
#include "show.h"
#include "turing/program.h"

static const ThOptionSpec generate_options[] = {
    {"count", TH_INT, "20", 1, 1e6, NULL, "tokens that are generated from an input, at most"},
    {"until", TH_STRING, NULL, 0, 0, NULL, "the token after which nothing more is generated"},
    {"temperature", TH_REAL, "0", 0, 1e6, NULL,
     "of a model: 0 takes the likeliest symbol; else one is drawn, from the logits divided by "
     "this"},
    {"top_k", TH_INT, NULL, 1, 1e6, NULL,
     "of a model: a symbol is drawn from so many of the likeliest (temperature 1 if not given)"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of what is drawn; default: set seed"},
    {"window", TH_INT, NULL, 1, 1e9, NULL,
     "of a model: symbols that it looks back at, at most; else it looks at all"},
    {"hop", TH_INT, NULL, 1, 1e9, NULL,
     "of a model: so many of the oldest leave the window at once; default: a 25th of it"},
    {"cache", TH_FLAG, "yes", 0, 0, NULL,
     "of a model: keep what was computed; with no, everything is computed again for each symbol"},
    SH_RASP_TOKENS,
    {"steps", TH_INT, "100", 0, 1e9, NULL, "of an s-op: steps of a machine's run, at most"},
    {"n", TH_INT, "4", 0, TH_TM_PROGRAM_GRAM, NULL,
     "of an s-op: tokens compared, besides the last one, where a difference is explained"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static const char *const of_models[] = {"temperature", "top_k", "seed", "window",
                                        "hop",         "cache", NULL};
static const char *const of_sops[] = {"tokens", "steps", "n", NULL};

/* Fails on the first of these options that was given. */
static bool refuse(const ShCall *call, const char *const *names, const char *what, ThError *err)
{
    for (; *names; names++)
        if (th_option_given(&call->options, *names))
            return sh_fail_operand(err, &call->operand[0], TH_EUSAGE, "%s has no use for %s=", what,
                                   *names);
    return true;
}

/* ---- a model --------------------------------------------------------------------------------- */

/* What a model writes, as it is written. */
typedef struct {
    ShSession *s;
    const ThSignature *sig;
    ThText text;
    long long n, most;
    bool blanks; /* symbols stand between blanks */
    bool live;   /* somebody watches */
} Written;

static bool settings_of(ShSession *s, const ShCall *call, const ThModel *m, ThGenerateSettings *how,
                        ThError *err)
{
    const ThOptions *o = &call->options;
    const char *until = th_option_text(o, "until");
    *how = (ThGenerateSettings){.most = th_option_int(o, "count"),
                                .end = -1,
                                .temperature = th_option_real(o, "temperature"),
                                .seed = (uint64_t)sh_seed(s, o),
                                .cache = th_option_flag(o, "cache") ? TH_MODEL_CACHED
                                                                    : TH_MODEL_UNCACHED};
    if (th_option_given(o, "top_k")) {
        how->top_k = (int)th_option_int(o, "top_k");
        if (!th_option_given(o, "temperature"))
            how->temperature = 1;
    }
    if (th_option_given(o, "window")) {
        how->window = (int)th_option_int(o, "window");
        how->hop = (int)th_option_int_or(o, "hop", (how->window + 24) / 25);
    }
    if (!until)
        return true;
    how->end = th_symbols_find(m->signature.symbol, m->signature.n_symbols, until);
    return how->end >= 0 || sh_fail_operand(err, &call->operand[0], TH_EUSAGE,
                                            "until=%s is no symbol of the model", until);
}

static void write_symbol(Written *w, int symbol)
{
    const char *name = w->sig->symbol[symbol], *between = w->blanks && w->n > 0 ? " " : "";
    FILE *out = sh_out(w->s);
    w->n++;
    th_text_printf(&w->text, "%s%s", between, name);
    if (!out)
        return;
    fprintf(out, "%s%s", between, name);
    if (w->live)
        fflush(out);
    else
        sh_progress(w->s, "%lld of %lld symbols", w->n, w->most);
}

/* Ctrl-C keeps what has been written. */
static bool write_on(Written *w, ThLabGenerator *g, ThError *err)
{
    bool ok = true;
    while (ok && !th_generate_done(g)) {
        int symbol;
        ok = th_generate_step(g, &symbol, err);
        if (ok)
            write_symbol(w, symbol);
        ok = ok && !th_stopped_at(sh_stop(w->s), (size_t)w->n, "symbols", err);
    }
    if (err->code == TH_EINTERRUPTED) { /* perhaps within a symbol: say how many there are */
        *err = (ThError){0};
        th_stopped_at(sh_stop(w->s), (size_t)w->n, "symbols", err);
    }
    if (w->n > 0)
        sh_say(w->s, "\n");
    return ok;
}

static bool generate_model(ShSession *s, const ShCall *call, ThError *err)
{
    const ShOperand *o = &call->operand[0], *input = &call->operand[1];
    const ThModel *m = o->object->as.model;
    ThGenerateSettings how;
    int length = 0, *prompt = NULL;
    if (!m->bound)
        return sh_fail_operand(err, o, TH_EVALUE, "the model has no alphabet before it is trained");
    if (!refuse(call, of_sops, "a model", err) || !settings_of(s, call, m, &how, err))
        return false;
    prompt =
        th_symbols_read(m->signature.symbol, m->signature.n_symbols, input->text, &length, err);
    if (!prompt)
        return sh_error_inside(err, input);
    ThGeneratePrompts prompts = {prompt, 1, length};
    ThLabGenerator *g = th_generate_open(m, &prompts, &how, err);
    Written w = {.s = s,
                 .sig = &m->signature,
                 .most = how.most,
                 .blanks = !th_symbols_single(m->signature.symbol, m->signature.n_symbols),
                 .live = s->out.stream == stdout && isatty(STDOUT_FILENO)};
    sh_about_model(s, o->object, NULL);
    bool ok = (g && write_on(&w, g, err)) || sh_error_inside(err, length > 0 ? o : input);
    if (ok) {
        sh_result_text(s, "output", w.text.data ? w.text.data : "");
        sh_result_int(s, "tokens", w.n);
        sh_result_flag(s, "ended", th_generate_ended(g, 0));
    }
    th_text_free(&w.text);
    th_generate_free(g);
    free(prompt);
    return ok;
}

/* ---- the command ----------------------------------------------------------------------------- */

SH_COMMAND(
    generate, .group = "models", .summary = "let a model or an s-op write on, token by token",
    .detail =
        "A model that answers at every position, and whose classes are its symbols, says which "
        "symbol comes next.  It reads the input, and what it says is put behind it and read, "
        "again and again, until there are count symbols more or the symbol until has come.  The "
        "likeliest symbol is taken, or with temperature= and top_k= one is drawn.  Recurrent "
        "networks can do it, and a transformer with causal=yes, which keeps its keys and values.  "
        "With window= it looks back at so many symbols only: when there are more, the hop oldest "
        "leave, and what is kept is computed again without them.  Ctrl-C keeps what is there.\n\n"
        "An s-op that says at every position which token follows is a program for generation: its "
        "value at the last position is put behind the input.  With on MACHINE the input is the "
        "machine's first configuration (see rasp), and what is generated is compared with the "
        "machine's own run.  Every configuration is printed, up to the first token that is wrong: "
        "then its step and place are told, and whether the n+1 tokens before it are there twice in "
        "its line, which explains it.",
    .example = "automaton turns {\n"
               "  start a ; accept a b\n"
               "  a a -> b ; a b -> a ; b a -> b ; b b -> a\n"
               "}\n"
               "task next = track turns\n"
               "model m = gru dim=16\n"
               "train m on next length=1..10 steps=200 lr=0.01 > \"train.txt\"\n"
               "generate m ab count=6\n"
               "#> ababab\n"
               "examples off\n"
               "again = aggregate(select(indices, length - 3, ==), tokens, \"?\");\n"
               "#>      s-op: again\n"
               "generate again abc count=7\n"
               "#> abcabca",
    .results = "model architecture task seed output tokens ended exact steps step token stands "
               "predicted repeated",
    .args = {{A_OBJECT, "NAME", 0}, {A_INPUT, "INPUT", 0}},
    .args2 = {{A_OBJECT, "SOP", 0},
              {A_KEYWORD, "on", 0},
              {A_MACHINE, "MACHINE", 0},
              {A_INPUT, "INPUT", A_OPTIONAL}},
    .options = generate_options)
{
    const ShOperand *o = &call->operand[0];
    if (o->object->kind == SH_S_OP)
        return refuse(call, of_models, "an s-op", err) && sh_generate_rasp(s, call, err);
    if (o->object->kind == SH_MODEL && call->form == 1)
        return generate_model(s, call, err);
    return sh_fail_operand(err, o, TH_EUSAGE,
                           call->form == 1 ? "'%s' is no model and no s-op" : "'%s' is no s-op",
                           o->text);
}
