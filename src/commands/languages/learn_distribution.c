/* learn_distribution.c - distributions from words, from models, from other distributions. */

#include <math.h>

#include "commands/automata/learn.h"
#include "commands/languages/languages.h"
#include "commands/modelling.h"

static const ThOptionSpec options[] = {
    {"by", TH_CHOICE, "alergia", 0, 0, "alergia|spectral",
     "merging of states, or singular vectors"},
    {"alpha", TH_REAL, "0.005", 1e-12, 1, NULL,
     "alergia: how often two shares that are the same may be taken for different"},
    {"samples", TH_INT, "100000", 1, 1e8, NULL,
     "alergia: words that are drawn, where none are read from a file"},
    {"states", TH_INT, "0", 0, 500, NULL,
     "spectral: singular values that count; 0: those above the noise"},
    {"basis", TH_INT, "-1", -1, 20, NULL,
     "spectral: the longest words of the basis; -1: as long as there are 40 or fewer"},
    {"alphabet", TH_STRING, NULL, 0, 0, NULL,
     "the symbols of a file's words in order; default: those used, in the order of their bytes"},
    {"seed", TH_INT, NULL, 0, 9007199254740991.0, NULL, "of the words drawn; default: set seed"},
    {0}};

enum { ALERGIA, SPECTRAL };

/* What is learned from: the words of a file, a model, or a distribution. */
typedef struct {
    ShSession *s;
    ThWordsLabelled read;
    ThIntern seen; /* words of a file, each as its symbols behind a 0; and how often they come */
    long long *times;
    size_t cap_times;
    ThInspectWordModel *model;
    ThLanguage *of;
    char *const *symbol;
    int n_symbols;
} Source;

static void close_source(Source *x)
{
    th_words_labelled_free(&x->read);
    th_intern_free(&x->seen);
    th_inspect_word_model_free(x->model);
    th_language_free(x->of);
    free(x->times);
}

/* The key of a word in the table of those seen, new. */
static int *key_of(ThLanguageWord w, ThError *err)
{
    int *key = th_alloc((size_t)w.n + 1, sizeof *key, err);
    if (key && w.n > 0)
        memcpy(key + 1, w.symbol, (size_t)w.n * sizeof *key);
    return key;
}

static bool count_words(Source *x, ThError *err)
{
    const ThWordsSample *w = &x->read.sample;
    bool ok = true;
    for (size_t i = 0; ok && i < w->n; i++) {
        ThLanguageWord word = {w->symbol + w->start[i], (int)(w->start[i + 1] - w->start[i])};
        int *key TH_OWNED(free) = key_of(word, err);
        size_t index, n = x->seen.n;
        ok = key && th_intern(&x->seen, key, ((size_t)word.n + 1) * sizeof *key, &index, err) &&
             th_grow(&x->times, &x->cap_times, index + 1, sizeof *x->times, err);
        if (ok)
            x->times[index] = index == n ? 1 : x->times[index] + 1;
    }
    return ok;
}

static bool open_source(Source *x, const ShCall *call, ThError *err)
{
    const ShOperand *from = &call->operand[1];
    if (call->form == 2 && !from->quoted)
        return sh_need_object(x->s, from->text, -1, err) && false;
    if (call->form == 2) {
        ShWordsFile how = {.alphabet = th_option_text(&call->options, "alphabet"), .bare = true};
        bool ok = sh_read_words(from, &how, &x->read, err) && count_words(x, err);
        x->symbol = x->read.symbol;
        x->n_symbols = x->read.sample.n_symbols;
        return ok;
    }
    if (th_option_given(&call->options, "alphabet"))
        return th_fail(err, TH_EUSAGE, "alphabet= is about the words of a file");
    if (from->object->kind == SH_MODEL) {
        x->model = th_inspect_word_model(from->object->as.model, sh_stop(x->s), err);
        if (x->model)
            x->symbol = th_inspect_word_symbols(x->model, &x->n_symbols);
        return x->model;
    }
    x->of = sh_language_of(x->s, from->object, err);
    if (!x->of || !th_language_is_distribution(x->of))
        return x->of && th_fail(err, TH_EVALUE, "'%s' is no distribution and no model", from->text);
    x->symbol = th_language_symbols(x->of, &x->n_symbols);
    return true;
}

static bool probability(void *context, ThLanguageWord word, double *p, ThError *err)
{
    Source *x = context;
    if (x->model)
        return th_inspect_word_probability(x->model, word, p, err);
    if (x->of) {
        bool ok = th_distribution_log(x->of, word, p, err);
        *p = exp(*p);
        return ok;
    }
    int *key TH_OWNED(free) = key_of(word, err);
    size_t i = key ? th_intern_find(&x->seen, key, ((size_t)word.n + 1) * sizeof *key) : SIZE_MAX;
    *p = i == SIZE_MAX ? 0 : (double)x->times[i] / (double)x->read.sample.n;
    return key;
}

/* Words of a model or a distribution. */
static bool draw_words(Source *x, const ShCall *call, ThWordsSample *w, ThError *err)
{
    size_t most = (size_t)th_option_int(&call->options, "samples"), cap = 0, cap_word = 0, n = 0;
    ThRng r = th_rng((uint64_t)sh_seed(x->s, &call->options), "words", 0);
    int *word TH_OWNED(free) = NULL, size = 0;
    w->n_symbols = x->n_symbols;
    w->start = th_alloc(most + 1, sizeof *w->start, err);
    bool ok = w->start;
    while (ok && w->n < most) {
        ok = !th_stopped(sh_stop(x->s), err) &&
             (x->model
                  ? th_inspect_word_draw(x->model, &r, &word, &cap_word, &size, err)
                  : th_distribution_draw(x->of, &r, &word, &cap_word, &size, sh_stop(x->s), err)) &&
             th_grow(&w->symbol, &cap, n + (size_t)size + 1, sizeof *w->symbol, err);
        for (int i = 0; ok && i < size; i++)
            w->symbol[n++] = word[i];
        w->start[w->n += ok] = n;
    }
    return ok;
}

static void say_states(ShSession *s, const char *name, const ThLanguage *l)
{
    ThDistributionMoments m = {0};
    th_distribution_moments(l, &m, NULL);
    sh_say(s, "%s: %d state%s\n", name, m.states, sh_plural(m.states));
    sh_result_int(s, "states", m.states);
}

static ThLanguage *merge(Source *x, const ShCall *call, ThError *err)
{
    ThWordsSample drawn TH_OWNED(th_words_sample_free) = {0};
    ThDistributionMerging m = {0};
    bool file = call->form == 2;
    if (!file && !draw_words(x, call, &drawn, err))
        return NULL;
    const ThWordsSample *w = file ? &x->read.sample : &drawn;
    ThLanguage *l = th_distribution_alergia(w, x->symbol, th_option_real(&call->options, "alpha"),
                                            &m, sh_stop(x->s), err);
    if (!l)
        return NULL;
    say_states(x->s, call->operand[0].text, l);
    sh_say(x->s, "  %zu words, a tree of %zu state%s, %lld shares compared with alpha=%g\n", w->n,
           m.tree, sh_plural((long long)m.tree), m.tests, th_option_real(&call->options, "alpha"));
    sh_results(x->s, "words:i tests:i", (long long)w->n, m.tests);
    return l;
}

static ThLanguage *decompose(Source *x, const ShCall *call, ThError *err)
{
    ThDistributionSpectral s = {.context = x,
                                .probability = probability,
                                .words = x->model || x->of ? 0 : (double)x->read.sample.n,
                                .least = x->model ? 0.01
                                         : x->of  ? 1e-9
                                                  : 0,
                                .length = (int)th_option_int(&call->options, "basis"),
                                .states = (int)th_option_int(&call->options, "states"),
                                .stop = sh_stop(x->s)};
    ThLanguage *l = th_distribution_spectral(&s, x->symbol, x->n_symbols, err);
    if (!l)
        return NULL;
    say_states(x->s, call->operand[0].text, l);
    sh_say(x->s, "  a basis of %d words, singular values", s.basis);
    for (int i = 0; i < s.basis && i < (int)(sizeof s.value / sizeof *s.value); i++)
        sh_say(x->s, " %.4g", s.value[i] > 1e-12 * s.value[0] ? s.value[i] : 0);
    sh_say(x->s, "\n  the probabilities of all words added up to %.6g\n", s.mass);
    sh_results(x->s, "basis:i mass:r", (long long)s.basis, s.mass);
    return l;
}

SH_COMMAND(
    learn_distribution, .group = "languages",
    .summary = "learn a distribution from words, from a model, or from another distribution",
    .detail =
        "A file has a word a line, as words random= writes them: abba, or symbols with blanks "
        "between; \"\" is the empty word.  A model is one that was trained on what comes next in "
        "words (task distribution): what it expects makes it a distribution, too.\n\n"
        "by=alergia (Carrasco and Oncina 1994) makes a tree of the words, those of a file or "
        "samples= that are drawn, and merges states of it from which what follows is the same but "
        "for chance.  alpha= is for one comparison, of which there are many: the usual 0.05 leaves "
        "too many states.\n\n"
        "by=spectral (Hsu, Kakade and Zhang 2009) decomposes the matrix of the probabilities of "
        "words uv, for u and v of a basis.  From a model or a distribution these are exact.  Its "
        "numbers may be negative (weights): those of words are what counts, and what follows a "
        "prefix is brought back to probabilities.  Where states= does not say how many singular "
        "values count, these are those beyond the errors of the shares of a file's words, and of a "
        "model those above a hundredth of the first.",
    .example = "distribution p {\n"
               "  q a 0.5 -> q; q b 0.3 -> r; accept q 0.2\n"
               "  r a 0.4 -> r; r b 0.35 -> q; accept r 0.25\n"
               "}\n"
               "words p random=100000 seed=1 > \"words.txt\"\n"
               "learn distribution a from \"words.txt\"\n"
               "#> a: 2 states\n"
               "#>   100000 words, a tree of 22155 states, 50466 shares compared with alpha=0.005\n"
               "learn distribution s from p by=spectral basis=1\n"
               "#> s: 2 states\n"
               "#>   a basis of 3 words, singular values 0.2765 0.008389 0\n"
               "#>   the probabilities of all words added up to 1",
    .results = "states words tests basis mass",
    .args = {{A_NEW, "NAME", 0}, {A_KEYWORD, "from", 0}, {A_OBJECT, "SOURCE", 0}},
    .args2 = {{A_NEW, "NAME", 0}, {A_KEYWORD, "from", 0}, {A_FILE, "FILE", 0}}, .options = options)
{
    Source x = {.s = s};
    bool spectral = th_option_choice(&call->options, "by") == SPECTRAL;
    ThLanguage *l = !open_source(&x, call, err) ? NULL
                    : spectral                  ? decompose(&x, call, err)
                                                : merge(&x, call, err);
    close_source(&x);
    if (!l)
        return err->line == 0 ? sh_error_inside(err, &call->operand[1]) : false;
    return sh_define(s, call->operand[0].text, SH_LANGUAGE, l, NULL, err) ||
           sh_error_inside(err, &call->operand[0]);
}
