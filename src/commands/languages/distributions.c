/* distributions.c - what is known of distributions, how far two are apart, and some at random. */
#include <math.h>

#include "commands/languages/languages.h"
#include "commands/modelling.h"
#include "terminal/confirm.h"

static const ThOptionSpec entropy_options[] = {
    {"length", TH_RANGE, "0..8", 0, 100000, NULL, "lengths that are shown"}, {0}};

SH_COMMAND(
    entropy, .group = "languages",
    .summary = "the entropy of a distribution over words, and how long its words are",
    .detail =
        "A row has the probability of a length, and the entropy of its words in bits.  The mean "
        "and the variance of the length are exact, by the inverse of a matrix of the states' size; "
        "so is the entropy where no word can be read in two ways.  Where some could be, no formula "
        "is known: of each length that has few enough words these are added up one by one, and "
        "longer lengths and the whole are not known.  $per_symbol counts the end as a symbol: it "
        "is the least cross-entropy that a model of next symbols can have.",
    .example = "distribution p {\n"
               "  q a 0.5 -> q; q b 0.3 -> r; accept q 0.2\n"
               "  r a 0.4 -> r; r b 0.35 -> q; accept r 0.25\n"
               "}\n"
               "entropy p length=0..2\n"
               "#> length  probability   entropy\n"
               "#>      0       0.2000  0.000000\n"
               "#>      1       0.1750  0.985228\n"
               "#>      2       0.1385  1.931660\n"
               "#> length 3.61538 on average, variance 15.8974\n"
               "#> entropy 6.96896 bits, 1.50994 a symbol",
    .results = "entropy per_symbol mean variance", .args = {{A_LANGUAGE, "DISTRIBUTION", 0}},
    .options = entropy_options)
{
    ThRange range = th_option_range(&call->options, "length");
    ThDistributionMoments m;
    ThLanguage *l TH_OWNED(th_language_free) = sh_language_of(s, call->operand[0].object, err);
    size_t n = (size_t)range.hi + 1;
    double *p TH_OWNED(free) = l ? th_alloc(2 * n, sizeof *p, err) : NULL;
    bool ok = p && th_distribution_moments(l, &m, err) &&
              th_distribution_lengths(l, (int)range.hi, p, p + n, sh_stop(s), err);
    if (!ok)
        return sh_error_inside(err, &call->operand[0]);
    sh_table(s, "lengths", "length:i probability:r entropy:r");
    for (long long k = range.lo; k <= range.hi; k += range.step)
        sh_row(s, k, p[k], p[n + (size_t)k]);
    sh_table_end(s);
    sh_results(s, "mean:r variance:r entropy:r per_symbol:r", m.mean, m.variance, m.entropy,
               m.entropy / (m.mean + 1));
    sh_say(s, "length %.6g on average, variance %.6g\n", m.mean, m.variance);
    if (m.entropy == m.entropy)
        sh_say(s, "entropy %.6g bits, %.6g a symbol\n", m.entropy, m.entropy / (m.mean + 1));
    else
        sh_say(s, "entropy not known: a word can be read in several ways, or by weights\n");
    long long tried = range.hi;
    while (tried >= 0 && isnan(p[n + (size_t)tried]))
        tried--;
    if (isnan(m.entropy) && tried >= 0)
        sh_say(s, "  to length %lld all words of each were added up\n", tried);
    return true;
}

/* A row of each length: what its words add to total variation. */
static bool variations(ShSession *s, const ShCall *call, const ThLanguage *p, const ThLanguage *q,
                       ThError *err)
{
    ThRange range = th_option_range(&call->options, "length");
    size_t n = (size_t)range.hi + 1;
    double *x TH_OWNED(free) = th_alloc(3 * n, sizeof *x, err);
    if (!x || !th_distribution_lengths(p, (int)range.hi, x, NULL, sh_stop(s), err) ||
        !th_distribution_lengths(q, (int)range.hi, x + n, NULL, sh_stop(s), err) ||
        !th_distribution_variation(p, q, (int)range.hi, x + 2 * n, sh_stop(s), err))
        return false;
    double sum = 0;
    sh_table(s, "lengths", "length:i probability:r other:r variation:r");
    for (long long k = range.lo; k <= range.hi; k += range.step) {
        sh_row(s, k, x[k], x[n + (size_t)k], x[2 * n + (size_t)k]);
        sum += x[2 * n + (size_t)k];
    }
    sh_table_end(s);
    sh_result_real(s, "variation", sum);
    return true;
}

static void say_divergence(ShSession *s, const ThDistributionDistance *d)
{
    double most = d->divergence_most;
    if (isnan(d->divergence))
        sh_say(s, "divergence not known: of weights\n");
    else if (isinf(d->divergence))
        sh_say(s, "divergence infinite: a word of the first is impossible in the second\n");
    else if (most - d->divergence <= 1e-9 * d->divergence + 1e-12)
        sh_say(s, "divergence %.6g bits\n", d->divergence);
    else if (isinf(most))
        sh_say(s, "divergence at least %.6g bits\n", d->divergence);
    else
        sh_say(s, "divergence %.6g to %.6g bits, by prefixes of up to %d symbols\n", d->divergence,
               most, d->prefixes);
}

static const ThOptionSpec distance_options[] = {
    {"length", TH_RANGE, NULL, 0, 100000, NULL, "lengths of which variation is shown"}, {0}};

SH_COMMAND(
    distance, .group = "languages", .summary = "how far two distributions over words are apart",
    .detail =
        "$squares is the sum of (P(w) - Q(w))^2 over all words.  $divergence is that of Kullback "
        "and Leibler, in bits: how many more a word of P takes with a code, or a model, that is "
        "right about Q; infinite where Q has not all words of P; not of weights.  With length= a "
        "row has the probabilities of a length by P and by Q and half the sum of |P(w) - Q(w)| "
        "over its words, which are tried one by one as far as they are not too many; their sum "
        "is $variation.\n\n"
        "Of up to 2,000 pairs of states, those of P and Q and of each with itself, all is exact, "
        "by equations.  Of more, up to 2,000 states each, pairs are followed symbol by symbol, "
        "and what may be missing is said, if it is not too little to be seen.  Where a word can be "
        "read in several ways, no equations are known for the divergence: prefixes are tried, "
        "longer and longer ones, those behind which the same is to come being one.  It lies "
        "between two numbers then, $divergence being the lesser and $most the greater one, which "
        "are one where what is left is too little to count.",
    .example = "distribution p {\n"
               "  q a 0.5 -> q; q b 0.3 -> r; accept q 0.2\n"
               "  r a 0.4 -> r; r b 0.35 -> q; accept r 0.25\n"
               "}\n"
               "distribution u { s a 0.5 -> s; s b 0.25 -> s; accept s 0.25 }\n"
               "distance p u length=0..3\n"
               "#> length  probability     other  variation\n"
               "#>      0     0.200000  0.250000   0.025000\n"
               "#>      1     0.175000  0.187500   0.018750\n"
               "#>      2     0.138500  0.140625   0.012688\n"
               "#>      3     0.108025  0.105469   0.011778\n"
               "#> divergence 0.107965 bits\n"
               "#> squares 0.0036744",
    .results = "divergence most squares error variation",
    .args = {{A_LANGUAGE, "P", 0}, {A_LANGUAGE, "Q", 0}}, .options = distance_options)
{
    ThDistributionDistance d;
    ThLanguage *p TH_OWNED(th_language_free) = sh_language_of(s, call->operand[0].object, err);
    ThLanguage *q TH_OWNED(th_language_free) =
        p ? sh_language_of(s, call->operand[1].object, err) : NULL;
    if (!q || !th_distribution_distance(p, q, &d, sh_stop(s), err) ||
        (th_option_given(&call->options, "length") && !variations(s, call, p, q, err)))
        return sh_error_inside(err, &call->operand[1]);
    sh_results(s, "divergence:r most:r squares:r error:r", d.divergence, d.divergence_most,
               d.squares, d.squares_error);
    say_divergence(s, &d);
    if (d.squares_error > 1e-6 * d.squares + 1e-15)
        sh_say(s, "squares %.6g, to %.2g\n", d.squares, d.squares_error);
    else
        sh_say(s, "squares %.6g\n", d.squares);
    return true;
}

static const ThOptionSpec random_options[] = {
    {"states", TH_INT, "4", 1, 1000, NULL, "how many"},
    {"symbols", TH_INT, "2", 1, 26, NULL, "how many: a, b, ..."},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "default: set seed"},
    {0}};

SH_COMMAND(
    random_distribution, .group = "languages", .summary = "define a random distribution over words",
    .detail = "Every state has a move for every symbol, to a state that is drawn uniformly; the "
              "probabilities of its moves and of ending in it are drawn together, all choices that "
              "add up to one being equally likely.  The first state is q0; some others may not be "
              "reached.",
    .example = "random distribution p states=3 symbols=2 seed=1\n"
               "entropy p length=0..3 > \"of.txt\"\n"
               "assert entropy > 0",
    .results = "symbols", .args = {{A_NEW, "NAME", 0}}, .options = random_options)
{
    const ThOptions *o = &call->options;
    int states = (int)th_option_int(o, "states"), symbols = (int)th_option_int(o, "symbols");
    ThRng r = th_rng((uint64_t)sh_seed(s, o), "distribution", 0);
    ThText t = {0};
    for (int q = 0; q < states; q++) {
        double share[27] = {0}, all = 0;
        for (int a = 0; a <= symbols; a++)
            all += share[a] = -log1p(-th_rng_uniform(&r)) + 1e-12; /* nothing is impossible */
        for (int a = 0; a < symbols; a++)
            th_text_printf(&t, "q%d %c %.17g -> q%d\n", q, 'a' + a, share[a] / all,
                           (int)th_rng_below(&r, (uint64_t)states));
        th_text_printf(&t, "accept q%d %.17g\n", q, share[symbols] / all);
    }
    th_text_printf(&t, "start q0");
    char *text TH_OWNED(free) = th_text_take(&t, err);
    ThLanguage *l = text ? th_language_parse("distribution", text, err) : NULL;
    if (!l || !sh_define(s, call->operand[0].text, SH_LANGUAGE, l, NULL, err))
        return sh_error_inside(err, &call->operand[0]);
    sh_result_int(s, "symbols", symbols);
    sh_say_defined(s, call->operand[0].text);
    return true;
}
