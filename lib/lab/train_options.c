/* The options of a training, and what they are where a recipe says so. */
#include <stdio.h>

#include "automata/algebra/monoid.h"
#include "lab/train_impl.h"

static const char small[] = "steps=2000 curriculum=adaptive full_length=0.2 schedule=cosine";

/* For trees whose nodes have more to tell than a few elements of a monoid. */
static const char rich[] =
    "steps=4000 noise=0.5 auxiliary_loss=1 segments=yes optimizer=muon curriculum=paced";
enum { LEAST_RICH = 15, MOST_RICH = 100 };

const ThOptionSpec th_train_options[] = {
    {"length", TH_RANGE, "1..40", 1, 1000000, NULL,
     "lengths of the training strings; default for the rows of a file: all; for scratchpads: as "
     "the task says"},
    {"steps", TH_INT, "1000", 1, 1e12, NULL,
     "steps to do now; until=proved, quantized: at most, 50000 where it is not given"},
    {"until", TH_CHOICE, "steps", 0, 0, "steps|proved|quantized",
     "when training ends: after steps=, or when certify has proved the model right on strings of "
     "every length; or quantize the model that it makes of this one; then stages follow each other "
     "as what is measured says, and what is given of the other options holds in all of them"},
    {"batch", TH_INT, "128", 1, 1e6, NULL, "strings a step"},
    {"lr", TH_REAL, "1e-3", 0, 1e3, NULL, "learning rate"},
    {"recipe", TH_CHOICE, "auto", 0, 0, "auto|plain|small|provable",
     "what the options are that are not given.  plain: as they stand here; small: what small "
     "models need to learn small regular languages for strings longer than those of training, "
     "steps=2000 curriculum=adaptive full_length=0.2 schedule=cosine, warmup= a twentieth of the "
     "steps, and by the architecture noise=0.3 (regulargpt), lr=3e-3 (rnn), lr=5e-3 (lstm, gru); "
     "auto: small for these four on tasks that an automaton labels, without centre_loss=, "
     "auxiliary_loss= and contraction_loss=, and for trees where its monoid has 15 to 100 elements "
     "steps=4000 noise=0.5 auxiliary_loss=1 segments=yes optimizer=muon curriculum=paced; else "
     "plain; provable: until=proved"},
    {"curriculum", TH_CHOICE, "uniform", 0, 0, "uniform|fixed|adaptive|paced",
     "how a step's length is drawn: uniformly; always the longest; adaptive: up to a length that "
     "grows from 3 by growth= whenever accuracy passes threshold=, or never; paced: up to one that "
     "grows with the steps and comes to the longest after half of them"},
    {"full_length", TH_REAL, "0", 0, 1, NULL,
     "curriculum=adaptive, paced: share of the steps that draw from all lengths whatever the "
     "curriculum length"},
    {"threshold", TH_REAL, "0.95", 0, 1, NULL,
     "curriculum=adaptive: running accuracy above which the curriculum length grows"},
    {"growth", TH_REAL, "1.3", 1, 100, NULL, "by this factor, and by two symbols at least"},
    {"segments", TH_CHOICE, "no", 0, 0, "no|yes|balanced",
     "strings are parts of longer ones, wherever these begin, as an automaton labels them: of a "
     "tree's model, what its inner nodes read; balanced: parts in which children have any two "
     "functions of the automaton's states as often as any others"},
    {"optimizer", TH_CHOICE, "adam", 0, 0, TH_OPTIMIZER_CHOICES, "update rule"},
    {"schedule", TH_CHOICE, "constant", 0, 0, "constant|linear|cosine|root",
     "learning rate over the steps of this training; linear ends at 0, cosine at 2 %; root: over "
     "the root of the steps done, from those of warmup= on"},
    {"warmup", TH_INT, "0", 0, 1e9, NULL,
     "first steps of this training, over which the learning rate rises from 0"},
    {"clip", TH_REAL, "1", 0, 1e9, NULL, "greatest norm of the gradient; 0: no limit"},
    {"decay", TH_REAL, "0", 0, 1e3, NULL,
     "weight decay of matrices; in adam it is part of the gradient, in adamw and muon it is not"},
    {"momentum", TH_REAL, NULL, 0, 1, NULL,
     "of the update rules that have it; each of them names its default"},
    {"beta1", TH_REAL, "0.9", 0, 0.999999, NULL, "decay rate of Adam's first moment"},
    {"beta2", TH_REAL, "0.999", 0, 0.999999, NULL, "decay rate of Adam's second moment"},
    {"noise", TH_REAL, "0", 0, 1e3, NULL,
     "deviation of the Gaussian noise added to the output of every level or layer; recurrent "
     "models take it with table_loss= alone"},
    {"ramp", TH_REAL, "0", 0, 1, NULL, "share of the steps over which the noise rises from 0"},
    {"centre_loss", TH_REAL, "0", 0, 1e6, NULL,
     "weight of the centre loss: the mean squared distance of every level's vectors from the "
     "centres of those with the same element of the monoid, what certify needs"},
    {"auxiliary_loss", TH_REAL, "0", 0, 1e6, NULL,
     "weight of the auxiliary loss: of a further head, thrown away, that tells every vector's "
     "element of the monoid; of tasks of pairs (logical_inference), what each side says"},
    {"loss_threshold", TH_REAL, "0", 0, 1e6, NULL,
     "centre_loss= only after steps whose loss, auxiliary loss included, was below this; 0: "
     "always"},
    {"contraction_loss", TH_REAL, "0", 0, 1e6, NULL,
     "weight of the contraction loss, on what certify asks: how far, in radii, two vectors of "
     "balls around the centres of two elements (of a recurrent network one, and a symbol) get from "
     "the centre of their product, at the worst that is known, which every step makes worse"},
    {"radius", TH_REAL, "0.05", 1e-6, 1e3, NULL,
     "contraction_loss=: of the smallest balls; every step draws radii up to 4 times as large"},
    {"table_loss", TH_REAL, "0", 0, 1e6, NULL,
     "weight of the table loss, on what quantize asks: that the centres of two elements are taken "
     "nearer to that of their product than to others, and read rightly; the centres move, too, and "
     "quantize takes them; of a recurrent network, that a symbol takes one near that of the next "
     "state"},
    {"seed", TH_INT, NULL, 0, 9.2e18, NULL,
     "of the parameters and the strings; a model that was trained before keeps its own"},
    {"report", TH_INT, NULL, 0, 1e12, NULL, "steps between lines of figures; default: set report"},
    {"certificate", TH_STRING, NULL, 0, 0, NULL, "until=proved: file that the proof is written to"},
    {"checkpoint", TH_STRING, NULL, 0, 0, NULL,
     "file that the model is saved to while it trains, and continued from if it is there"},
    {"every", TH_INT, "1000", 1, 1e12, NULL,
     "steps between checkpoints, between validations, and between comparisons"},
    {"counterexamples", TH_STRING, NULL, 0, 0, NULL,
     "automaton or task that the model is compared with while it trains: the shortest words on "
     "which they differ, and neighbours of these, join every batch from then on"},
    {"counterexample_length", TH_RANGE, NULL, 1, 100000, NULL,
     "lengths of the words that are compared; default: 1 to the longest of length="},
    {"accept", TH_STRING, NULL, 0, 0, NULL,
     "the class of the model that the automaton of counterexamples= accepts, see compare models"},
    {"validate", TH_RANGE, NULL, 1, 1000000, NULL,
     "lengths on which the model is evaluated while it trains, on strings of their own; of a file "
     "the lengths of rows to test on"},
    {"samples", TH_INT, "128", 1, 1e9, NULL, "strings of each length, or rows, of a validation"},
    {"keep", TH_CHOICE, "last", 0, 0, "last|best",
     "which parameters the model has in the end: of the last step, or of the best validation"},
    {"patience", TH_INT, NULL, 1, 1e9, NULL,
     "training stops after so many validations without a better one"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* Whether recipe=small was measured on such a training: a string has one length, an automaton
 * labels it, and the loss is that of the answers. */
static bool is_served(const ThOptions *o, const ThModelKind *kind, const ThTask *t)
{
    bool answers =
        th_option_real(o, "centre_loss") == 0 && th_option_real(o, "auxiliary_loss") == 0 &&
        th_option_real(o, "contraction_loss") == 0 && th_option_real(o, "table_loss") == 0;
    return answers && kind->recipe && t->machine && !t->kind->ragged && !t->kind->study &&
           !th_task_finite(t);
}

/* Sets one of those that are not given, "key=value". */
static bool set_word(ThOptions *o, const char *word, size_t n, ThError *err)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)n, word);
    char *value = strchr(name, '=');
    *value++ = '\0';
    return th_option_given(o, name) || th_options_set(o, name, value, err);
}

bool th_train_set_words(ThOptions *o, const char *words, ThError *err)
{
    for (size_t n; *words; words += n + strspn(words + n, " ")) {
        n = strcspn(words, " ");
        if (!set_word(o, words, n, err))
            return false;
    }
    return true;
}

/* Whether inner nodes are told what they should hold, where that was measured: *is. */
static bool is_rich(const ThModel *m, const ThTask *t, bool *is, ThError *err)
{
    ThError more = {0};
    *is = false;
    if (!m->kind->combine || th_option_int(&m->options, "layers_per_level") != 1 || t->kind->tokens)
        return true;
    ThDfa *minimal TH_OWNED(th_dfa_free) = th_dfa_minimize(t->machine, NULL, err);
    ThMonoid *monoid TH_OWNED(th_monoid_free) =
        minimal ? th_monoid_new(minimal, MOST_RICH, NULL, &more) : NULL;
    *is = monoid && monoid->size >= LEAST_RICH;
    return minimal &&
           (monoid || more.code == TH_ELIMIT || th_fail(err, TH_ENOMEM, "out of memory"));
}

bool th_train_follow_recipe(ThOptions *o, const ThModel *m, const ThTask *t, ThError *err)
{
    enum { AUTO, PLAIN, SMALL, PROVABLE };
    enum { PART = 20 }; /* the rate rises over a twentieth of the steps */
    const ThModelKind *kind = m->kind;
    int which = th_option_choice(o, "recipe");
    bool more = false;
    if (which == PROVABLE && !set_word(o, "until=proved", strlen("until=proved"), err))
        return false;
    if (th_option_choice(o, "until") > 0)
        return true;
    if (which == PLAIN || (which == AUTO && !is_served(o, kind, t)))
        return true;
    char warmup[32];
    if (which == AUTO &&
        (!is_rich(m, t, &more, err) || (more && !th_train_set_words(o, rich, err))))
        return false;
    if ((kind->recipe && !th_train_set_words(o, kind->recipe, err)) ||
        !th_train_set_words(o, small, err))
        return false;
    snprintf(warmup, sizeof warmup, "warmup=%lld", th_option_int(o, "steps") / PART);
    return th_train_set_words(o, warmup, err);
}
