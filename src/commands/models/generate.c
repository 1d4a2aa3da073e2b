/* generate.c - a model or an s-op writes on behind an input. */
#include <unistd.h>

#include "commands/inspection/writing_options.h"
#include "rasp.h"
#include "object_kinds.h"

static const ThOptionSpec generate_options[] = {
    {"count", TH_INT, "20", 1, 1e6, NULL,
     "tokens that are generated from an input, at most; on a task: prompts, 5 if not given"},
    {"length", TH_INT, "10", 1, 1e6, NULL, "on a task: length of the strings"},
    {"until", TH_STRING, NULL, 0, 0, NULL, "the token after which nothing more is generated"},
    SH_WRITING_OPTIONS,
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of what is drawn; default: set seed"},
    {"cache", TH_FLAG, "yes", 0, 0, NULL,
     "of a model: keep what was computed; with no, everything is computed again for each symbol"},
    SH_RASP_TOKENS,
    {"steps", TH_INT, "100", 0, 1e9, NULL, "of an s-op: steps of a machine's run, at most"},
    {"n", TH_INT, "4", 0, TH_TM_PROGRAM_GRAM, NULL,
     "of an s-op: tokens compared, besides the last one, where a difference is explained"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

static const char *const of_models[] = {"temperature", "top_k", "seed", "window",
                                        "hop",         "cache", NULL};
static const char *const of_tasks[] = {"length", NULL};
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

void sh_set_window(ThGenerateSettings *how, const ThOptions *o)
{
    if (!th_option_given(o, "window"))
        return;
    how->window = (int)th_option_int(o, "window");
    how->hop = (int)th_option_int_or(o, "hop", (how->window + 24) / 25);
}

ThGenerateSettings sh_writing_settings(const ShSession *s, const ThOptions *o)
{
    ThGenerateSettings how = {.temperature = th_option_real(o, "temperature"),
                              .seed = (uint64_t)sh_seed(s, o)};
    if (th_option_given(o, "top_k")) {
        how.top_k = (int)th_option_int(o, "top_k");
        if (!th_option_given(o, "temperature"))
            how.temperature = 1;
    }
    sh_set_window(&how, o);
    return how;
}

static bool settings_of(ShSession *s, const ShCall *call, const ThModel *m, ThGenerateSettings *how,
                        ThError *err)
{
    const ThOptions *o = &call->options;
    const char *until = th_option_text(o, "until");
    *how = sh_writing_settings(s, o);
    how->most = th_option_int(o, "count");
    how->end = -1;
    how->cache = th_option_flag(o, "cache") ? TH_MODEL_CACHED : TH_MODEL_UNCACHED;
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
    return ok;
}

static Written written(ShSession *s, const ThModel *m, long long most)
{
    return (Written){.s = s,
                     .sig = &m->signature,
                     .most = most,
                     .blanks = !th_symbols_single(m->signature.symbol, m->signature.n_symbols),
                     .live = s->out.stream == stdout && isatty(STDOUT_FILENO)};
}

static bool need_bound(const ShOperand *model, ThError *err)
{
    return model->object->as.model->bound ||
           sh_fail_operand(err, model, TH_EVALUE, "the model has no alphabet before it is trained");
}

static bool generate_model(ShSession *s, const ShCall *call, ThError *err)
{
    const ShOperand *o = &call->operand[0], *input = &call->operand[1];
    const ThModel *m = o->object->as.model;
    ThGenerateSettings how;
    int length = 0, *prompt TH_OWNED(free) = NULL;
    if (!need_bound(o, err) || !refuse(call, of_sops, "a model", err) ||
        !refuse(call, of_tasks, "an input", err) || !settings_of(s, call, m, &how, err))
        return false;
    prompt =
        th_symbols_read(m->signature.symbol, m->signature.n_symbols, input->text, &length, err);
    if (!prompt)
        return sh_error_inside(err, input);
    ThGeneratePrompts prompts = {prompt, 1, length};
    ThLabGenerator *g TH_OWNED(th_generate_free) = th_generate_open(m, &prompts, &how, err);
    sh_about_model(s, o->object, NULL);
    Written w = written(s, m, how.most);
    bool ok = (g && write_on(&w, g, err)) || sh_error_inside(err, length > 0 ? o : input);
    if (w.n > 0)
        sh_say(s, "\n");
    if (ok)
        sh_results(s, "output:s tokens:i ended:b", th_text_string(&w.text), (long long)w.n,
                   th_generate_ended(g, 0));
    th_text_free(&w.text);
    return ok;
}

/* ---- a model on a task ----------------------------------------------------------------------- */

/* What has been written behind prompts so far. */
typedef struct {
    ShSession *s;
    const ThModel *m;
    const ThTask *t;
    ThGenerateSettings how;
    long long strings, right, tokens;
} Tries;

/* A row, or the end of a line that shows the text already. */
static bool add_try(Tries *y, const ThTaskWord *prompt, const Written *w, const ThTaskVerdict *v,
                    ThError *err)
{
    y->strings++;
    y->right += v->right;
    y->tokens += w->n;
    if (sh_out(y->s)) {
        sh_say(y->s, "  %s\n", v->right ? "right" : v->what);
        return true;
    }
    char *shown TH_OWNED(free) =
        th_symbols_text(w->sig->symbol, w->sig->n_symbols, prompt->token, prompt->n, err);
    if (shown)
        sh_row(y->s, shown, th_text_string(&w->text), (int)v->right, v->kind, (long long)v->at,
               v->what);
    return shown != NULL;
}

static bool judge_try(Tries *y, const ThTaskWord *prompt, const Written *w, ThError *err)
{
    ThTaskVerdict v;
    int n, *said TH_OWNED(free) = th_symbols_read(w->sig->symbol, w->sig->n_symbols,
                                                  th_text_string(&w->text), &n, err);
    return said && th_task_judge(y->t, *prompt, (ThTaskWord){said, n}, &v, err) &&
           add_try(y, prompt, w, &v, err);
}

static bool try_row(Tries *y, const ThBatch *b, int row, ThError *err)
{
    ThTaskWord prompt, truth;
    th_lab_split(y->t, b, row, &prompt, &truth);
    ThGenerateSettings how = y->how;
    how.most = 2 * truth.n;
    how.end = truth.token[truth.n - 1];
    how.number = &row;
    Written w = written(y->s, y->m, how.most);
    ThText shown TH_OWNED(th_text_free) = {0};
    th_symbols_write(&shown, w.sig->symbol, w.sig->n_symbols, prompt.token, prompt.n);
    sh_say(y->s, "%s%s", th_text_string(&shown), w.blanks ? " " : "");
    ThGeneratePrompts prompts = {prompt.token, 1, prompt.n};
    ThLabGenerator *g TH_OWNED(th_generate_free) = th_generate_open(y->m, &prompts, &how, err);
    bool ok = g && write_on(&w, g, err);
    if (!ok)
        sh_say(y->s, "\n");
    ok = ok && judge_try(y, &prompt, &w, err);
    th_text_free(&w.text);
    return ok;
}

static bool check_tries(const ShCall *call, ThError *err)
{
    const ShOperand *model = &call->operand[0], *task = &call->operand[1];
    static const char *const others[] = {"until", NULL};
    if (!need_bound(model, err) || !refuse(call, of_sops, "a model", err) ||
        !refuse(call, others, "a task", err))
        return false;
    if (call->n > 2)
        return sh_fail_operand(err, &call->operand[2], TH_EUSAGE, "a task has prompts of its own");
    if (!th_lab_can_try(task->object->as.task))
        return sh_fail_operand(err, task, TH_EVALUE, "a task of kind %s asks for no texts",
                               task->object->as.task->kind->name);
    return th_signature_match(&model->object->as.model->signature,
                              &task->object->as.task->signature, err) ||
           sh_error_inside(err, task);
}

static bool generate_on_task(ShSession *s, const ShCall *call, ThError *err)
{
    enum { USUAL = 5 };
    const ThOptions *o = &call->options;
    if (!check_tries(call, err))
        return false;
    Tries y = {.s = s,
               .m = call->operand[0].object->as.model,
               .t = call->operand[1].object->as.task,
               .how = sh_writing_settings(s, o)};
    y.how.cache = th_option_flag(o, "cache") ? TH_MODEL_CACHED : TH_MODEL_UNCACHED;
    sh_about_model(s, call->operand[0].object, call->operand[1].object);
    ThBatch b TH_OWNED(th_batch_free) = {.B = (int)th_option_int_or(o, "count", USUAL)};
    ThLabStrings which = {(uint64_t)sh_seed(s, o), (int)th_option_int(o, "length"), 0};
    bool ok = th_lab_draw(y.t, &which, &b, err) || sh_error_inside(err, &call->operand[1]);
    if (!sh_out(s))
        sh_table(s, "generations", "prompt:s output:s right:b kind:s at:i what:s");
    for (int i = 0; ok && i < b.B; i++)
        ok = try_row(&y, &b, i, err) || sh_error_inside(err, &call->operand[0]);
    if (!sh_out(s))
        sh_table_end(s);
    sh_say(s, "%lld of %lld right\n", y.right, y.strings);
    sh_results(s, "strings:i right:i tokens:i", (long long)y.strings, (long long)y.right,
               (long long)y.tokens);
    return ok;
}

/* ---- the command ----------------------------------------------------------------------------- */

SH_COMMAND(
    generate, .group = "models",
    .summary = "let a model or an s-op write on behind a prompt, token by token",
    .detail =
        "A model that answers at every position, and whose classes are its symbols, says which "
        "symbol comes next.  It reads the input, and what it says is put behind it and read, again "
        "and again, until there are count symbols more or the symbol until has come.  The "
        "likeliest symbol is taken, or with temperature= and top_k= one is drawn.  Recurrent "
        "networks can do it, and a transformer with causal=yes, which keeps its keys and values.  "
        "With window= it looks back at so many symbols only: when there are more, the hop oldest "
        "leave, and what is kept is computed again without them.  Ctrl-C keeps what is there.\n\n"
        "With on TASK prompts are drawn from a task, and what the model writes up to the end "
        "symbol, or up to twice as much as is true, is judged by the task.  evaluate counts and "
        "diagnose explains more of them.\n\n"
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
    .results = "model architecture task seed output tokens ended strings right exact steps step "
               "token stands predicted repeated",
    .args = {{A_OBJECT, "NAME", 0}, {A_INPUT, "INPUT", 0}},
    .args2 = {{A_OBJECT, "MODEL|SOP", 0},
              {A_KEYWORD, "on", 0},
              {A_OBJECT, "TASK|MACHINE", 0},
              {A_INPUT, "INPUT", A_OPTIONAL}},
    .options = generate_options)
{
    const ShOperand *o = &call->operand[0], *on = call->form == 2 ? &call->operand[1] : NULL;
    int kind = o->object->kind;
    if (kind != SH_S_OP && kind != SH_MODEL)
        return sh_fail_operand(err, o, TH_EUSAGE, "'%s' is no model and no s-op", o->text);
    if (on && on->object->kind != (kind == SH_S_OP ? SH_MACHINE : SH_TASK))
        return sh_fail_operand(err, on, TH_EUSAGE, "'%s' is no %s", on->text,
                               kind == SH_S_OP ? "machine" : "task");
    if (kind == SH_MODEL)
        return (on ? generate_on_task : generate_model)(s, call, err);
    return refuse(call, of_models, "an s-op", err) && refuse(call, of_tasks, "an s-op", err) &&
           sh_generate_rasp(s, call, err);
}
