/* distributions.c - distributions that are drawn, and how far two are apart. */
#include <math.h>

#include "commands/languages/languages.h"
#include "commands/modelling.h"
#include "terminal/confirm.h"

SH_COMMAND(
    distance, .group = "languages", .summary = "how far two distributions over words are apart",
    .detail =
        "$squares is the sum of (P(w) - Q(w))^2 over all words.  $divergence is that of Kullback "
        "and Leibler, in bits: how many more a word of P takes with a code, or a model, that is "
        "right about Q; infinite where Q has not all words of P.  Both are exact, by a system of "
        "equations over pairs of states, of which there may be 2,000: up to 44 states each; the "
        "second one is known only where neither can read a "
        "word in two ways, and not of weights.",
    .example = "distribution p {\n"
               "  q a 0.5 -> q; q b 0.3 -> r; accept q 0.2\n"
               "  r a 0.4 -> r; r b 0.35 -> q; accept r 0.25\n"
               "}\n"
               "distribution u { s a 0.5 -> s; s b 0.25 -> s; accept s 0.25 }\n"
               "distance p u\n"
               "#> divergence 0.107965 bits\n"
               "#> squares 0.0036744",
    .results = "divergence squares", .args = {{A_LANGUAGE, "P", 0}, {A_LANGUAGE, "Q", 0}})
{
    ThDistributionDistance d;
    ThLanguage *p = sh_language_of(s, call->operand[0].object, err);
    ThLanguage *q = p ? sh_language_of(s, call->operand[1].object, err) : NULL;
    bool ok = q && th_distribution_distance(p, q, &d, err);
    th_language_free(p);
    th_language_free(q);
    if (!ok)
        return sh_error_inside(err, &call->operand[1]);
    sh_results(s, "divergence:r squares:r", d.divergence, d.squares);
    if (isnan(d.divergence))
        sh_say(s, "divergence not known: a word can be read in several ways, or by weights\n");
    else if (isinf(d.divergence))
        sh_say(s, "divergence infinite: a word of the first is impossible in the second\n");
    else
        sh_say(s, "divergence %.6g bits\n", d.divergence);
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
