/* certify.c - proofs about trained models. */

#include <math.h>

#include "commands/modelling.h"
#include "commands/inspection/proofs.h"
#include "shell.h"

static const ThOptionSpec options[] = {
    {"slack", TH_REAL, "1e-3", 0, 1, NULL,
     "what each vector and logit of a run may be off by, beside its rounding; where a recurrent "
     "network is not proved with the default, 2e-5 for each number of its state is tried"},
    {"elements", TH_INT, "200", 1, 10000, NULL, "of the automaton's semigroup, at most"},
    {"cover", TH_INT, "16", 1, 256, NULL,
     "of a recurrent network: sets for every state of the automaton, at most"},
    {"certificate", TH_STRING, NULL, 0, 0, NULL,
     "file that the proof is written to, if there is one"},
    SH_DOMAIN_OPTION,
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL,
     "of the sampled vectors; default: set seed"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* ---- proving --------------------------------------------------------------------------------- */

void sh_write_label(ThText *t, const ThProofLabels *l, int label, char *const *symbol)
{
    int element = l->element[label];
    int *word TH_OWNED(free) = th_alloc((size_t)element + 1, sizeof *word, NULL);
    th_text_add(t, l->kind[label] == TH_PROOF_COMPLETE ? "complete " : "edge ");
    if (element == 0 || !word)
        th_text_add(t, "1");
    else {
        th_monoid_word(l->monoid, element, word);
        th_symbols_write(t, symbol, l->n_symbols, word, l->monoid->length[element]);
    }
}

static void say_wrong(ShSession *s, const char *name, const ThProof *p, const ThSignature *g)
{
    enum { LONGEST = 200 }; /* string to be shown; $word has it all */
    ThText t TH_OWNED(th_text_free) = {0};
    th_symbols_write(&t, g->symbol, g->n_symbols, p->word, p->length);
    if (p->length <= LONGEST)
        sh_say(s, "%s is WRONG on %s", name, th_text_string(&t));
    else
        sh_say(s, "%s is WRONG on a string of %d symbol%s, $word", name, p->length,
               sh_plural(p->length));
    sh_say(s, ": it says %s, not %s\n", g->label[p->said], g->label[p->right]);
    sh_result_text(s, "word", th_text_string(&t));
}

/* What stands in the way of a proof. */
static const char *obstacle(const ThProof *p)
{
    if (p->answers)
        return "answers";
    if (p->slope < 1)
        return "remainder";
    return p->contraction < 1 ? "remainder in ellipsoids" : "slope";
}

/* Of a recurrent network: states by the numbers that show gives those of the minimal automaton. */
static void write_step(ThText *t, const ThProof *p, char *const *symbol)
{
    if (p->into < 0)
        th_text_add(t, "a state that no drawn string leads to");
    else if (p->answers)
        th_text_printf(t, "the answer to state %d", p->into);
    else if (p->x < 0)
        th_text_printf(t, "the first symbols to state %d", p->into);
    else
        th_text_printf(t, "state %d with %s to state %d", p->x, symbol[p->y], p->into);
}

static void write_pair(ThText *t, const ThProof *p, char *const *symbol)
{
    if (!p->labels) {
        write_step(t, p, symbol);
        return;
    }
    if (p->answers)
        th_text_add(t, "the answer to ");
    else if (p->y < 0)
        th_text_add(t, "symbols to ");
    else {
        if (p->x >= 0)
            sh_write_label(t, p->labels, p->x, symbol);
        th_text_add(t, p->x >= 0 ? " with " : "nothing with ");
        sh_write_label(t, p->labels, p->y, symbol);
        th_text_add(t, " to ");
    }
    sh_write_label(t, p->labels, p->into, symbol);
}

static void say_open(ShSession *s, const char *name, const ThProof *p, const ThSignature *g)
{
    ThText t TH_OWNED(th_text_free) = {0};
    write_pair(&t, p, g->symbol);
    sh_say(s, "%s is not proved: the bounds do not close\n", name);
    sh_say(s, "  worst        %s: %.3g times its radius\n", th_text_string(&t), p->excess);
    sh_say(s, "  obstacle     %s\n", obstacle(p));
    sh_results(s, "pair:s obstacle:s excess:r", th_text_string(&t), obstacle(p), p->excess);
}

static void say_refused(ShSession *s, const char *name, const ThProofChecked *k)
{
    sh_say(s, "%s is not proved: the checker does not agree with the prover\n", name);
    sh_say(s, "  obstacle     %s\n", k->why);
    sh_result_text(s, "obstacle", k->why);
}

static void say_proved(ShSession *s, const char *name, const char *verdict, const ShDomain *d,
                       const ThProof *p)
{
    double least = p->radius[0], most = p->radius[0];
    for (int i = 1; i < p->n; i++) {
        least = p->radius[i] < least ? p->radius[i] : least;
        most = p->radius[i] > most ? p->radius[i] : most;
    }
    sh_say(s, "%s is right on strings of every length%s%s%s: %s\n", name, d->before, d->name,
           d->after, verdict);
    sh_say(s, "  sets         %s, radius %.3g to %.3g", p->shape ? "ellipsoids" : "balls", least,
           most);
    if (p->labels) {
        sh_say(s, "; all times %.3g are closed, too", p->room);
        sh_result_real(s, "margin", p->room);
    }
    sh_say(s, "\n");
    sh_result_real(s, "radius", most);
}

static void say_figures(ShSession *s, const ThProof *p)
{
    sh_say(s, "  %s %d, %lld pairs, %d round%s\n", p->labels ? "labels      " : "states' sets",
           p->n, p->checks, p->rounds, sh_plural(p->rounds));
    sh_say(s, "  vectors      within %.3g of their centres, where sampled\n", p->reach);
    sh_say(s, "  slope        %s at most %.3g%s", p->labels ? "|Jx| + |Jy|" : "|J|", p->slope,
           p->slope < 1 ? "\n" : "");
    if (p->slope >= 1)
        sh_say(s, "; %.3g in the best metric tried\n", p->contraction);
    sh_say(s, "  seen         a float run off by %.2g a vector\n", p->float_error);
    sh_results(s, "labels:i pairs:i farthest:r slope:r contraction:r float_error:r",
               (long long)p->n, (long long)p->checks, p->reach, p->slope, p->contraction,
               p->float_error);
}

void sh_say_arithmetic(ShSession *s, const ThProofChecked *k)
{
    bool steps = k->length[0] > 0 || k->length[2] > 0;
    bool all = !steps || k->length[0] >= (k->most > 0 ? k->most : HUGE_VAL);
    sh_say(s, all ? "  real numbers proved" : "  real numbers proved up to length %.15g",
           th_proof_sure_length(k->length[0]));
    if (k->tolerance > 0)
        sh_say(s, "; and of runs off by at most %.3g a vector and logit", k->tolerance);
    sh_say(s, "\n");
    if (k->in_float)
        sh_say(s,
               k->boxes || k->length[2] > 0 ? "  run in float proved\n"
               : k->reach ? "  run in float proved: rounding moves a logit by %.2g at most\n"
                          : "  run in float proved: rounding takes a vector %.2g farther at most\n",
               k->rounding);
    else
        sh_say(s, "  run in float NOT proved: %s\n", k->why_float);
    if (!k->in_float && k->in_double)
        sh_say(s, "  in double    proved of runs with set precision double\n");
    sh_results(s, "tolerance:r rounding:r in_float:b in_double:b", k->tolerance, k->rounding,
               k->in_float, k->in_double);
}

const char *sh_proved(const ShSession *s, const ThProofChecked *k)
{
    bool runs = sh_setting_choice(s, "precision") == 1 ? k->in_double : k->in_float;
    return runs ? "proved" : "proved of real numbers";
}

/* The verdict of the prover and the checker together, the latter's where there is a proof. */
static const char *verdict_of(const ShSession *s, const ThProof *p, const ThProofChecked *k)
{
    if (p->verdict == TH_PROOF_WRONG)
        return "wrong";
    if (!k->holds)
        return "open";
    return sh_proved(s, k);
}

void sh_say_proof(ShSession *s, const ShObject *o, const ShDomain *d, const ThProof *p,
                  const ThProofChecked *k)
{
    const ThSignature *g = &o->as.model->signature;
    const char *verdict = verdict_of(s, p, k);
    sh_result_text(s, "verdict", verdict);
    if (p->verdict == TH_PROOF_WRONG)
        say_wrong(s, o->name, p, g);
    else if (p->verdict == TH_PROOF_OPEN)
        say_open(s, o->name, p, g);
    else if (!k->holds)
        say_refused(s, o->name, k);
    else
        say_proved(s, o->name, verdict, d, p);
    if (p->verdict != TH_PROOF_WRONG)
        say_figures(s, p);
    if (k->holds)
        sh_say_arithmetic(s, k);
}

/* Writes what the checker has agreed to, to the file of certificate= if there is one. */
static bool keep(const ThOptions *o, const ThProofCertificate *c, const ThProofChecked *k,
                 ThError *err)
{
    return !k->holds || !th_option_given(o, "certificate") ||
           th_proof_certificate_write(c, th_option_text(o, "certificate"), err);
}

/* Lets the checker decide about what the prover says that it has proved. */
static bool confirm(ShSession *s, const ThOptions *o, const ThModel *m, const ThProofClaim *claim,
                    const ThProof *p, ThProofChecked *k, ThError *err)
{
    *k = (ThProofChecked){.holds = false};
    if (p->verdict != TH_PROOF_PROVED)
        return true;
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        th_proof_certificate_new(p, &m->signature, err);
    ThProofClaim own = *claim;
    own.slack = p->slack; /* the finer one, if that was needed */
    return c && th_proof_check(c, m, &own, sh_stop(s), k, err) && keep(o, c, k, err);
}

/* Returns new: what is claimed of a model by the task in an operand, and the domain. */
static ThProofClaim *claim_of(ShSession *s, const ThModel *m, const ShOperand *task,
                              const ShObject *object, const ShDomain *d, double slack, ThError *err)
{
    const ThTask *t = object->as.task;
    const ThProofAsked asked = {&t->signature, t->machine, d->words, slack, t->bits};
    ThProofClaim *c = th_proof_claim_new(m, &asked, sh_stop(s), err);
    if (!c)
        sh_error_inside(err, task);
    return c;
}

/* ---- by algebra and by tables ---------------------------------------------------------------- */

static const char *word_of(const ShSession *s, const ThProofChecked *k)
{
    if (k->wrong || !k->holds)
        return k->wrong ? "wrong" : "open";
    return sh_proved(s, k);
}

/* What was gone through, where that is neither sets nor products. */
static bool say_how(ShSession *s, ThProofMethod method, const ThProofChecked *k)
{
    if (method == TH_PROOF_BY_WINDOWS)
        sh_say(
            s,
            "  windows      answers depend on the last %d symbol%s: %lld strings, %lld answers\n",
            k->reach, sh_plural(k->reach), k->strings, k->checks);
    else if (method == TH_PROOF_BY_STRINGS)
        sh_say(s,
               "  strings      %s%lld of up to %d symbol%s, in boxes or one by one: %lld box%s\n",
               k->strings < TH_PROOF_MOST_COUNTED ? "" : "more than ", k->strings, k->reach,
               sh_plural(k->reach), k->boxes, k->boxes == 1 ? "" : "es");
    else if (method == TH_PROOF_BY_COUNTS)
        sh_say(s,
               "  counts       answers depend on shares of symbols: %lld counts, of up to %d "
               "symbols; %lld boxes\n",
               k->strings, k->reach, k->boxes);
    else if (method == TH_PROOF_BY_STEPS)
        sh_say_steps(s, k);
    else
        return false;
    if (method != TH_PROOF_BY_STEPS)
        sh_results(s, "reach:i strings:i", (long long)k->reach, k->strings);
    if (method == TH_PROOF_BY_COUNTS || method == TH_PROOF_BY_STRINGS)
        sh_results(s, "boxes:i", k->boxes);
    return true;
}

static void say_decided(ShSession *s, const char *name, const ThProofCertificate *c,
                        const ShDomain *d, const ThModel *m, const ThProofChecked *k)
{
    char lengths[64];
    sh_write_lengths(k, lengths);
    sh_result_text(s, "verdict", word_of(s, k));
    if (k->holds)
        sh_say(s, "%s is right on strings of %s%s%s%s: %s\n", name, lengths, d->before, d->name,
               d->after, word_of(s, k));
    else {
        sh_say(s, "%s is %s: %s\n", name, k->wrong ? "WRONG" : "not proved", k->why);
        sh_result_text(s, "obstacle", k->why);
    }
    if (c->method == TH_PROOF_BY_ALGEBRA)
        sh_say_algebra(s, m, c, k);
    else {
        if (!say_how(s, c->method, k))
            sh_say(s, "  table        of what the model %s, %lld entries\n",
                   th_proof_is_hard(m) ? "remembers" : "snaps to", k->checks);
        if (k->off > 0 && k->holds)
            sh_say_soft(s, k);
        if (k->holds)
            sh_say_arithmetic(s, k);
    }
}

/* Where the checker can decide without any search for sets. */
static bool decide(ShSession *s, const ShCall *call, ThProofMethod method,
                   const ThProofClaim *claim, const ShDomain *d, ThError *err)
{
    const ShObject *o = call->operand[0].object;
    const ThModel *m = o->as.model;
    ThProofChecked k;
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        sh_decide(s, m, method, claim, &k, err);
    bool ok = c && keep(&call->options, c, &k, err);
    if (ok)
        say_decided(s, o->name, c, d, m, &k);
    return ok || sh_error_inside(err, &call->operand[0]);
}

static bool certify_sets(ShSession *s, const ShCall *call, const ThProofClaim *claim,
                         const ShDomain *d, ThError *err)
{
    const ShObject *o = call->operand[0].object;
    ThProofHow how = {.limit = (size_t)th_option_int(&call->options, "elements"),
                      .cover = (int)th_option_int(&call->options, "cover"),
                      .seed = (uint64_t)sh_seed(s, &call->options),
                      .finer = !th_option_given(&call->options, "slack")};
    ThProof *p TH_OWNED(th_proof_free) =
        th_proof_certify(o->as.model, claim, &how, sh_stop(s), err);
    if (!p)
        return sh_error_inside(err, &call->operand[0]);
    ThProofChecked k;
    bool ok = confirm(s, &call->options, o->as.model, claim, p, &k, err);
    if (ok)
        sh_say_proof(s, o, d, p, &k);
    if (ok && p->verdict == TH_PROOF_OPEN)
        sh_say(s, "  try          repair %s on %s, or train it there until=proved\n", o->name,
               call->operand[1].object->name);
    return ok;
}

/* The formula that a task's language counts by, or NULL. */
static const char *counting_of(const ThTask *t)
{
    const ThLanguage *l = th_task_language(t);
    return l && th_language_is_counting(l) ? th_language_counting_formula(l) : NULL;
}

/* What is proved by program is about all words. */
static bool has_no_domain(const ShCall *call, ThError *err)
{
    return !th_option_given(&call->options, "domain") ||
           th_fail(err, TH_EUSAGE, "what counts is proved of all strings: there is no domain=");
}

static bool certify_program(ShSession *s, const ShCall *call, const char *formula, ThError *err)
{
    const ShObject *o = call->operand[0].object;
    const ThTask *t = call->operand[1].object->as.task;
    ThProofChecked k;
    ThProofCertificate *c TH_OWNED(th_proof_certificate_free) =
        o->as.model->bound ? th_proof_certificate_program(o->as.model, formula, err) : NULL;
    if (!c && !o->as.model->bound)
        return sh_fail_operand(err, &call->operand[0], TH_EVALUE, "the %s has not been trained",
                               o->as.model->kind->name);
    if (!c || !th_proof_check_program(c, o->as.model, &t->signature, formula, &k, err))
        return sh_error_inside(err, &call->operand[0]);
    sh_result_text(s, "verdict", k.holds ? sh_proved(s, &k) : "open");
    if (k.holds) {
        sh_say(s, "%s is right on strings of every length: %s\n", o->name, sh_proved(s, &k));
        sh_say_program(s, &k);
    } else {
        sh_say(s, "%s is not proved: %s\n", o->name, k.why);
        sh_result_text(s, "obstacle", k.why);
    }
    return keep(&call->options, c, &k, err);
}

static bool certify(ShSession *s, const ShCall *call, ThError *err)
{
    const ThModel *m = call->operand[0].object->as.model;
    const char *formula = counting_of(call->operand[1].object->as.task);
    const ThOptions *o = &call->options;
    ThProofMethod method;
    ShDomain d;
    if (!sh_try_file(s, o, "certificate", err))
        return false;
    if (formula)
        return has_no_domain(call, err) && certify_program(s, call, formula, err);
    if (!sh_need_machine(&call->operand[1], err))
        return false;
    if (!th_proof_method(m, &method, err))
        return sh_error_inside(err, &call->operand[0]);
    if (!sh_find_domain(s, call, m, call->operand[1].object, &d, err))
        return false;
    double slack = th_option_real(o, "slack");
    if (method != TH_PROOF_BY_SETS && !th_option_given(o, "slack"))
        slack = method == TH_PROOF_BY_ALGEBRA ? SH_COMPILED_SLACK : 0;
    ThProofClaim *claim TH_OWNED(th_proof_claim_free) =
        claim_of(s, m, &call->operand[1], call->operand[1].object, &d, slack, err);
    bool ok = claim && (method == TH_PROOF_BY_SETS ? certify_sets(s, call, claim, &d, err)
                                                   : decide(s, call, method, claim, &d, err));
    th_dfa_free(d.words);
    return ok;
}

SH_COMMAND(
    certify, .group = "inspection",
    .summary = "prove that a model is right on strings of every length",
    .detail =
        "With C = 2 and K = 1 all levels of RegularGPT share one map F of two vectors.  Every "
        "vector of a tree stands for the function that its symbols induce on the automaton's "
        "states, and is a complete subtree or one at the left edge, which may lack symbols.  For "
        "each of these labels a ball is sought so that F takes each pair of balls into that of the "
        "product, the vectors of one and two symbols lie in theirs, and everywhere in a ball the "
        "read-out gives the automaton's answer.  Then, by induction over the levels, each string "
        "of every length is answered right.  Where balls do not close, ellipsoids are tried.\n\n"
        "What is proved is about the strings that the task can draw, where that is known to be "
        "less than all.  domain= names an automaton of other strings that are meant, or all.  "
        "Vectors are then those whose symbols can stand in such a string where a tree has "
        "them, followed by an even number of symbols; and the certificate has the domain in it.\n\n"
        "There are four verdicts.  proved: of the program's own runs, in the arithmetic that set "
        "precision says; proved of real numbers: of these, but rounding in runs may be too much, "
        "in which case set precision double mostly helps; wrong, with a string that the model "
        "itself answers wrong; open: none of these, with the worst pair of sets, by how much it "
        "leaves the set of its product, and the obstacle: slope (|Jx| + |Jy| is 1 or more, and in "
        "the best metric, too), remainder (the map contracts, but what is not linear in it is "
        "bounded too coarsely) or answers.  What must hold in a script says assert verdict == "
        "\"proved\".  What makes a model provable is train until=proved, and repair where it is "
        "trained already.\n\n"
        "The prover's word is not enough: the certificate is checked as check certificate does, "
        "and it is the checker that says proved.  It bounds how every product, exponential, layer "
        "norm and sum is rounded, anywhere in the sets and in any order of summation.  With slack= "
        "runs may be off by that much at each node.  Compiled models with norm=pre hand errors on, "
        "and are proved up to some length only.  Behind on an automaton may stand, which is then "
        "to be recognized.  help proofs says of which models what is proved, and why no more.\n\n"
        "Of a recurrent network the sets are of its states: one for every state of the automaton, "
        "or up to cover= of them, and else as many of each behind each symbol, or behind the last "
        "few, where several steps contract and one does not.  From the start and from every set "
        "each symbol must lead into a set of the next state.  pairs are of sets and symbols, slope "
        "is |J| of a step; where it is 1 or more in the best metric, smaller sets do not help, and "
        "the search ends.  Of several layers all hidden vectors are the state.\n\n"
        "A step of an lrnn is linear.  Sets that allow for slack= in every step must shrink, and "
        "then all strings with the same end lead to almost the same state: what is proved is of "
        "languages that the last symbols decide (definite ones).\n\n"
        "A compiled regulargpt is proved by its algebra, as compile does: every product of "
        "the transition monoid must come out.  Its slack= is 1e-5 unless given.  One "
        "that quantize made is decided by its table.\n\n"
        "A decoder of L layers whose heads see W symbols reads the last R = L (W - 1) + 1, and is "
        "decided by its answers to all strings of up to R symbols (at most 10^6), rounding "
        "included, beside every state that the automaton can be in before them.\n\n"
        "Of others with xl, sinusoidal, learned, rope or alibi all strings are proved where "
        "domain= has a longest, of at most 64 symbols: in boxes, with any of some symbols at "
        "each position, for which answers are bounded at once (by zonotopes), or one by one.\n\n"
        "Without positions (position=none, and causal=yes or one answer a string) an answer "
        "depends on the last symbol and the shares of all.  Of strings of any length it is shown "
        "for all shares at once, in boxes, which only what the last symbol decides can pass: "
        "logits are continuous in the shares (after Hahn 2020).  Where domain= has no longer "
        "strings, all counts of symbols are looked at.  Runs sum over all positions, and are sure "
        "up to a length, which is said.",
    .example =
        "task t = parity\n"
        "model m = regulargpt dim=16 heads=2\n"
        "train m on t length=1..40 steps=600 batch=32 lr=3e-3 schedule=cosine noise=0.5 ramp=0.4 "
        "centre_loss=0.3 auxiliary_loss=0.5 loss_threshold=0.2 seed=1 > \"train.txt\"\n"
        "certify m on t certificate=\"parity.cert\" > \"proof.txt\"\n"
        "assert verdict == \"proved\" and labels == 4\n"
        "evaluate m on t length=41..500:51 > \"scores.csv\"\n"
        "assert accuracy == 1",
    .results =
        "verdict radius margin labels pairs farthest slope contraction float_error off parts "
        "in_float in_double tolerance rounding word pair obstacle excess elements products slack "
        "error stretch levels right closed reach strings boxes states real_length double_length "
        "float_length",
    .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}}, .options = options)
{
    return certify(s, call, err);
}

SH_COMMAND(certificate, .group = "inspection",
           .summary = "the same as certify, by its name of before",
           .detail = "What certificate did for compiled models certify does for all.  The file "
                     "that check certificate reads is written with certificate=.",
           .example = "compile parity as m > \"said.txt\"\n"
                      "task p = recognize parity\n"
                      "certificate m on p certificate=\"parity.cert\" > \"said.txt\"\n"
                      "assert verdict == \"proved\"",
           .results = "verdict",
           .args = {{A_MODEL, "MODEL", 0}, {A_KEYWORD, "on", 0}, {A_TASK, "TASK", 0}},
           .options = options)
{
    sh_say_once(s, "note: certificate is certify now, and writes a file with certificate=\n");
    return certify(s, call, err);
}

/* ---- checking -------------------------------------------------------------------------------- */

void sh_say_checked(ShSession *s, const char *name, const ShVerified *v)
{
    const ThProofCertificate *c = v->c;
    const ThProofChecked *k = &v->k;
    if (k->holds) {
        char lengths[64];
        sh_write_lengths(k, lengths);
        sh_say(s, "the certificate holds: %s is right on strings of %s%s%s%s%s\n", name, lengths,
               v->d.before, v->d.name, v->d.after,
               strcmp(sh_proved(s, k), "proved") == 0 ? "" : ", in real numbers");
        if (c->method == TH_PROOF_BY_SETS)
            sh_say(s, "  sets         %d; %lld bounds, the tightest at %.3g of what it may be\n",
                   c->n_labels, k->checks, k->tightest);
        else if (c->method == TH_PROOF_BY_PROGRAM)
            sh_say_program(s, k);
        else if (!say_how(s, c->method, k))
            sh_say(s, "  %s %lld products and answers\n",
                   c->method == TH_PROOF_BY_ALGEBRA ? "algebra     " : "table       ", k->checks);
        if (c->method != TH_PROOF_BY_PROGRAM)
            sh_say_arithmetic(s, k);
        if (sh_interactive(s))
            sh_say(s, "  checked in   %.3g s\n", v->seconds);
    }
    sh_results(s, "holds:b checks:i tightest:r why:s seconds:r", k->holds, (long long)k->checks,
               k->tightest, k->why, v->seconds);
}

ThProofCertificate *sh_read_certificate(ShSession *s, const ShOperand *file, ThError *err)
{
    char *path TH_OWNED(free) = sh_beside_script(s, file->text, err);
    ThProofCertificate *c = path ? th_proof_certificate_read(path, err) : NULL;
    if (!c)
        sh_error_inside(err, file);
    return c;
}

void sh_verified_free(ShVerified *v)
{
    th_proof_certificate_free(v->c);
    th_proof_pairs_free(&v->pairs);
    th_dfa_free(v->d.words);
}

bool sh_verify(ShSession *s, const ShCall *call, const ShObject *o, const ShObject *task,
               ShVerified *v, ThError *err)
{
    const ShOperand *of = &call->operand[call->n > 1], *on = &call->operand[call->n > 1 ? 2 : 0];
    if (!o->as.model->bound)
        return sh_fail_operand(err, of, TH_EVALUE, "the %s has not been trained",
                               o->as.model->kind->name);
    const char *formula = counting_of(task->as.task);
    if (formula) {
        if (th_option_known(&call->options, "domain") && !has_no_domain(call, err))
            return false;
        v->d = (ShDomain){NULL, "", "", ""};
        v->c = sh_read_certificate(s, &call->operand[0], err);
        return v->c && (th_proof_check_program(v->c, o->as.model, &task->as.task->signature,
                                               formula, &v->k, err) ||
                        sh_error_inside(err, of));
    }
    if (!th_task_machine(task->as.task, err))
        return sh_error_inside(err, on);
    if (!sh_find_domain(s, call, o->as.model, task, &v->d, err))
        return false;
    ThProofClaim *claim TH_OWNED(th_proof_claim_free) =
        claim_of(s, o->as.model, on, task, &v->d, 0, err);
    v->c = claim ? sh_read_certificate(s, &call->operand[0], err) : NULL;
    if (!v->c)
        return false;
    double begun = sh_clock();
    bool ok = th_proof_check_pairs(v->c, o->as.model, claim, sh_stop(s), &v->pairs, &v->k, err);
    v->seconds = sh_clock() - begun;
    return ok || sh_error_inside(err, of);
}

bool sh_need_proof(const ShCall *call, const ShVerified *v, ThError *err)
{
    return v->k.holds || sh_fail_operand(err, &call->operand[0], TH_EVALUE,
                                         "the certificate is REFUSED: %s", v->k.why);
}

bool sh_check_certificate(ShSession *s, const ShCall *call, const ShObject *o, const ShObject *task,
                          ThError *err)
{
    ShVerified v TH_OWNED(sh_verified_free) = {.d = {.words = NULL}};
    bool ok = sh_verify(s, call, o, task, &v, err);
    if (ok)
        sh_say_checked(s, o->name, &v);
    return ok && sh_need_proof(call, &v, err);
}

const ThOptionSpec sh_check_options[] = {SH_DOMAIN_OPTION, {NULL, 0, NULL, 0, 0, NULL, NULL}};

SH_COMMAND(
    check_certificate, .group = "inspection",
    .summary = "verify proofs of certify from a model's weights alone, and those of analyze",
    .detail =
        "Reads what certify wrote with certificate= and checks everything in it.  What is "
        "claimed is taken from the task (or the automaton) and the model alone: symbols and "
        "classes with their order, which positions are asked, the automaton, the strings "
        "that are meant.  Then it is checked that the certificate is about that, that there "
        "is a set for every label, that the map takes every pair of sets into the set of its "
        "product, and that all answers are right.  The checker shares the definition of the "
        "map with the prover and nothing else: it composes the automaton's functions, "
        "encloses sets and bounds norms by code of its own.\n\n"
        "Everything is bounded twice: of real numbers, and of the program's runs in single "
        "precision, of which every rounding is bounded from the ranges of the sets, in "
        "whatever order sums are made.  holds is of real numbers, in_float of the runs; "
        "tolerance is what vectors and logits of other runs may be off by, rounding how much "
        "farther those in single precision can get.\n\n"
        "A certificate is refused, which is an error, if any weight of the model, or "
        "anything in the file, was changed since; if it is not about all strings that are "
        "meant, see certify; or if a bound does not hold.\n\n"
        "FILE alone holds rows of analyze: machines with proofs that they stop, or never do.  "
        "Each is checked from the machine, a bbchallenge string on a blank tape, and the "
        "numbers of its certificate, by code that the deciders have no part in: a run is "
        "made again, also both ends of a cycler's period; ways to stop are followed "
        "backwards anew; sets are closed anew.  A row that does not hold is an error; holds is of "
        "a file with a proof.",
    .example =
        "task t = parity\n"
        "model m = regulargpt dim=16 heads=2\n"
        "train m on t length=1..40 steps=600 batch=32 lr=3e-3 schedule=cosine noise=0.5 ramp=0.4 "
        "centre_loss=0.3 auxiliary_loss=0.5 loss_threshold=0.2 seed=1 > \"train.txt\"\n"
        "certify m on t certificate=\"parity.cert\" > \"proof.txt\"\n"
        "check certificate \"parity.cert\" of m on t > \"check.txt\"\n"
        "assert holds and in_float and checks == 22 and rounding < tolerance",
    .results = "holds in_float in_double checks tightest tolerance rounding why seconds refused "
               "unknown",
    .args = {{A_FILE, "FILE", 0},
             {A_KEYWORD, "of", 0},
             {A_MODEL, "MODEL", 0},
             {A_KEYWORD, "on", 0},
             {A_TASK, "TASK", 0}},
    .args2 = {{A_FILE, "FILE", 0}}, .options = sh_check_options)
{
    if (call->form == 2)
        return sh_check_machines(s, call, err);
    return sh_check_certificate(s, call, call->operand[1].object, call->operand[2].object, err);
}
