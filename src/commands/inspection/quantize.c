/* quantize.c - models whose vectors snap to centres. */

#include "commands/modelling.h"
#include "commands/inspection/proofs.h"

static const ThOptionSpec options[] = {
    {"elements", TH_INT, "60", 1, 10000, NULL, "of the automaton's semigroup, at most"},
    {"length", TH_INT, "500", 1, 20000, NULL, "of the strings that show the accuracy"},
    {"samples", TH_INT, "200", 1, 1000000, NULL, "such strings"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL,
     "of the sampled vectors and strings; default: set seed"},
    SH_DOMAIN_OPTION,
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* ---- the table ------------------------------------------------------------------------------- */

/* Every product that occurs, as the model has it and as it should be. */
static void list_products(ShSession *s, const ThProofQuantized *q, char *const *symbol)
{
    const ThProofLabels *l = q->labels;
    sh_table(s, "products", "earlier:s later:s product:s right:s");
    for (int i = 0; i < l->n * (l->n + 1); i++) {
        int x = i / l->n - 1, y = i % l->n, right = th_proof_labels_product(l, x, y);
        if (right < 0)
            continue;
        ThText cell[4] = {0};
        int label[4] = {x, y, x < 0 ? q->alone[y] : q->product[x * l->n + y], right};
        for (int k = 0; k < 4; k++)
            if (label[k] >= 0)
                sh_write_label(&cell[k], l, label[k], symbol);
            else
                th_text_add(&cell[k], "nothing");
        sh_row(s, cell[0].data, cell[1].data, cell[2].data, cell[3].data);
        for (int k = 0; k < 4; k++)
            th_text_free(&cell[k]);
    }
    sh_table_end(s);
}

/* A row of a Cayley table: x times every centre, of the model or of the automaton. */
static void write_row(FILE *out, const ThProofQuantized *q, int x, bool model)
{
    const ThProofLabels *l = q->labels;
    for (int y = 0; y < l->n; y++) {
        int right = th_proof_labels_product(l, x, y);
        int has = x < 0 ? q->alone[y] : q->product[x * l->n + y];
        if (right < 0)
            fprintf(out, "   .");
        else
            fprintf(out, "%4d", 1 + (model ? has : right));
    }
}

/* Both Cayley tables beside each other, and which centre stands for which label. */
static void show_tables(FILE *out, const ThProofQuantized *q, const ThSignature *g)
{
    const ThProofLabels *l = q->labels;
    fprintf(out, "centre  stands for\n");
    for (int i = 0; i < l->n; i++) {
        ThText t TH_OWNED(th_text_free) = {0};
        sh_write_label(&t, l, i, g->symbol);
        fprintf(out, "%6d  %s, read as %s\n", i + 1, th_text_string(&t), g->label[q->said[i]]);
    }
    int width = 4 * l->n > 9 ? 4 * l->n : 9;
    fprintf(out, "\nearlier  %-*s    %s\n       ", width, "    model", "    automaton");
    for (int half = 0; half < 2; half++) {
        for (int y = 0; y < l->n; y++)
            fprintf(out, "%4d", y + 1);
        fprintf(out, half ? "\n" : "%*s", width - 4 * l->n + 4, "");
    }
    for (int x = -1; x < l->n; x++) {
        if (x < 0)
            fprintf(out, "nothing");
        else
            fprintf(out, "%7d", x + 1);
        write_row(out, q, x, true);
        fprintf(out, "%*s", width - 4 * l->n + 4, "");
        write_row(out, q, x, false);
        fputc('\n', out);
    }
    fputc('\n', out);
}

/* ---- what is said ---------------------------------------------------------------------------- */

/* The table says whether the snapped model is the automaton; that it is, the checker must say, too,
 * which makes the table anew. */
static const char *verdict_of(const ShSession *s, const ThProofQuantized *q,
                              const ThProofChecked *k)
{
    if (q->wrong > 0)
        return q->word ? "wrong" : "open";
    return k->holds ? sh_proved(s, k) : "open";
}

void sh_say_quantized(ShSession *s, const ShObject *model, const ThProofQuantized *q,
                      const ThProofChecked *k, const ShDomain *d)
{
    const char *name = model->name;
    const ThSignature *g = &model->as.model->signature;
    const char *verdict = verdict_of(s, q, k);
    ThText t TH_OWNED(th_text_free) = {0};
    if (q->word)
        th_symbols_write(&t, g->symbol, g->n_symbols, q->word, q->length);
    if (q->wrong == 0 && !k->holds)
        sh_say(s, "%s, snapped, is not proved: the checker does not agree: %s\n", name, k->why);
    else if (q->wrong == 0)
        sh_say(s, "%s, snapped, is right on strings of every length%s%s%s: %s\n", name, d->before,
               d->name, d->after, verdict);
    else if (q->word)
        sh_say(s, "%s, snapped, is WRONG on %s: it says %s, not %s\n", name, th_text_string(&t),
               g->label[q->answer], g->label[q->right]);
    else
        sh_say(s, "%s, snapped, is not the automaton; no short string shows it\n", name);
    sh_say(s, "  entries      %d, %d of them not the automaton's; margin %.3g\n", q->checked,
           q->wrong, q->margin);
    sh_results(s, "verdict:s entries:i different:i", verdict, (long long)q->checked,
               (long long)q->wrong);
    if (q->wrong == 0) {
        sh_say(s, "  rounding     takes a vector of a float run %.2g away at most%s\n", q->rounding,
               q->in_float ? "" : ": an entry can change");
        sh_result_real(s, "rounding", q->rounding);
    }
    sh_results(s, "margin:r word:s", q->margin, th_text_string(&t));
}

/* The share of strings that a model answers right. */
static bool measure(ShSession *s, const ShCall *call, const ThModel *m, double *accuracy,
                    ThError *err)
{
    const ThOptions *o = &call->options;
    ThScore score;
    ThEvaluator *e TH_OWNED(th_evaluator_free) =
        th_evaluator_new(m, call->operand[1].object->as.task, sh_seed(s, o), 1, err);
    bool ok = e && th_evaluator_length(e, (int)th_option_int(o, "length"),
                                       (int)th_option_int(o, "samples"), &score, err);
    if (ok)
        *accuracy = score.accuracy;
    return ok;
}

/* The snapped model beside the one that it was made of; takes it over. */
static bool define(ShSession *s, const ShCall *call, ThModel *snapped, ThError *err)
{
    const ShObject *o = call->operand[0].object;
    double before, after;
    if (!measure(s, call, o->as.model, &before, err) || !measure(s, call, snapped, &after, err)) {
        th_model_free(snapped);
        return false;
    }
    sh_say(s, "  accuracy     %.4g on strings of %lld symbols, %.4g snapped\n", before,
           th_option_int(&call->options, "length"), after);
    sh_results(s, "before:r after:r", before, after);
    char *made_by TH_OWNED(free) = th_printed(err, "%s quantized", o->name);
    if (!made_by)
        th_model_free(snapped);
    bool ok = made_by && sh_define(s, call->operand[2].text, SH_MODEL, snapped, made_by, err);
    return ok || sh_error_inside(err, &call->operand[2]);
}

/* What the checker says of the snapped model, where the table says that it is the automaton. */
static bool check(ShSession *s, const ThModel *snapped, const ThProofClaim *claim,
                  const ThProofQuantized *q, ThProofChecked *k, ThError *err)
{
    *k = (ThProofChecked){.holds = false};
    ThProofCertificate *c =
        q->wrong == 0 ? sh_decide(s, snapped, TH_PROOF_BY_TABLE, claim, k, err) : NULL;
    th_proof_certificate_free(c);
    return c || q->wrong > 0;
}

SH_COMMAND(
    quantize, .group = "inspection",
    .summary = "make a model's vectors snap to centres, and decide whether it is right then",
    .detail =
        "After every level each vector snaps to the nearest centre of its kind, of which there is "
        "one for each label of certify; those that only a domain tells apart share one.  The model "
        "is then a finite algebra.  Shown are its Cayley table and the automaton's, rows being "
        "earlier children and columns later ones, and which label every centre stands for; in csv "
        "and json every product is a row.  Where they are all the same, with those of symbols and "
        "the answers, that is an isomorphism, and the snapped model is right on strings of every "
        "length: proved, where no margin is too small for the rounding of a run in the precision "
        "that is set, which is bounded; else proved of real numbers.  Else the shortest string on "
        "which the snapped model is wrong is sought.  It is the checker of certificates that says "
        "proved, which makes the tables again.  Which strings are meant is what certify says: "
        "those that the task can draw, or of domain=.  margin is how much nearer the right centre "
        "is than any other, at least.  This says nothing of the model without snapping.\n\n"
        "With as NAME the snapped model is kept, a regulargpt with codebook=, and its accuracy is "
        "measured beside that of the model.  A model that snaps already keeps its centres.  Those "
        "of others are the centres of sampled vectors, and where entries are wrong with these, "
        "move to the means of what the map takes pairs of them to, as long as fewer are.",
    .example = "task t = parity\n"
               "model m = regulargpt dim=16 heads=2\n"
               "train m on t length=1..40 steps=400 batch=32 lr=3e-3 curriculum=adaptive noise=0.3 "
               "seed=1 > \"train.txt\"\n"
               "quantize m on t as q > \"algebra.txt\"\n"
               "assert verdict == \"proved\" and entries == 22 and margin > 0 and after == 1\n"
               "evaluate q on t length=300 > \"scores.csv\"\n"
               "assert accuracy == 1",
    .results = "verdict entries different margin rounding word before after",
    .args = {{A_MODEL, "MODEL", 0},
             {A_KEYWORD, "on", 0},
             {A_TASK, "TASK", 0},
             {A_KEYWORD, "as", A_OPTIONAL},
             {A_NEW, "NAME", A_OPTIONAL}},
    .options = options, .flags = C_PAGED)
{
    enum { WIDEST = 16 };
    const ShObject *o = call->operand[0].object;
    const ThModel *m = o->as.model;
    const ThTask *t = call->operand[1].object->as.task;
    if (!sh_need_answers(m, &call->operand[1], err))
        return false;
    ShDomain d;
    if (!sh_find_domain(s, call, m, call->operand[1].object, &d, err))
        return false;
    const ThProofAsked asked = {
        .task = &t->signature, .machine = t->machine, .domain = d.words, .bits = t->bits};
    ThProofClaim *claim TH_OWNED(th_proof_claim_free) =
        th_proof_claim_new(m, &asked, sh_stop(s), err);
    th_dfa_free(d.words);
    ThProofQuantized *q TH_OWNED(th_proof_quantized_free) =
        claim ? th_proof_quantize(m, claim, (size_t)th_option_int(&call->options, "elements"),
                                  (uint64_t)sh_seed(s, &call->options), sh_stop(s), err)
              : NULL;
    if (!q)
        return sh_error_inside(err, &call->operand[0]);
    ThModel *snapped = th_proof_snapped(m, q, err);
    ThProofChecked k;
    bool ok = snapped && check(s, snapped, claim, q, &k, err);
    if (ok && sh_out(s) && q->labels->n <= WIDEST)
        show_tables(sh_out(s), q, &m->signature);
    else if (ok)
        list_products(s, q, m->signature.symbol);
    if (ok)
        sh_say_quantized(s, o, q, &k, &d);
    if (ok && call->n > 2)
        return define(s, call, snapped, err);
    th_model_free(snapped);
    return ok;
}
