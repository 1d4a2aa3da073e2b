#include "help/synonyms.h"

#include <stdio.h>

#include "base/embed.h"
#include "base/version.h"
#include "help/sections.h"

TH_EMBED(sh_synonyms_text, "src/help/synonyms.txt"); /* words, and in the next line a sentence */

bool sh_synonym_next(const char **at, ShSynonym *s)
{
    if (!*at)
        *at = sh_synonyms_text;
    else if (**at == ' ')
        *at += strcspn(*at, "\n") + 1; /* the sentence of those before */
    if (!**at)
        return false;
    size_t n = strcspn(*at, " \n");
    snprintf(s->word, sizeof s->word, "%.*s", (int)n, *at);
    sh_take_line(strchr(*at, '\n') + 1, s->see, sizeof s->see);
    if (strcmp(s->word, "version") == 0)
        snprintf(s->see + strlen(s->see), sizeof s->see - strlen(s->see), " %s", TH_VERSION);
    *at += n + 1;
    return true;
}

bool sh_synonym(const char *word, ShSynonym *s)
{
    for (const char *at = NULL; sh_synonym_next(&at, s);)
        if (strcmp(s->word, word) == 0)
            return true;
    return false;
}

static bool begins(const char *text, size_t n, const char *with)
{
    size_t k = strlen(with);
    return n >= k && memcmp(text, with, k) == 0;
}

static bool ends(const char *text, size_t n, const char *with)
{
    size_t k = strlen(with);
    return n >= k && memcmp(text + n - k, with, k) == 0;
}

/* Names of options here, and what they are elsewhere; the first that a command knows counts. */
static const char *const names_elsewhere[][2] = {
    {"lr", "learning_rate"},
    {"batch", "batch_size"},
    {"steps", "epochs num_epochs max_steps num_steps iterations"},
    {"decay", "weight_decay wd"},
    {"clip", "grad_clip max_grad_norm clip_grad_norm"},
    {"validate", "eval_every eval_steps"},
    {"report", "logging_steps"},
    {"every", "save_steps"},
    {"warmup", "warmup_steps"},
    {"schedule", "lr_scheduler lr_scheduler_type scheduler"},
    {"optimizer", "optim optimiser"},
    {"seed", "random_seed"},
    {"longest", "max_len n_ctx"},
    {"length", "seq_len max_length max_len"},
    {"samples", "n_samples num_samples"},
    {"dim", "d_model hidden_size hidden_dim embed_dim n_embd units"},
    {"heads", "n_head n_heads num_heads nhead"},
    {"layers", "n_layer n_layers num_layers depth"},
    {"mlp_ratio", "d_ff dim_feedforward ff intermediate_size expansion"},
    {"hidden", "d_ff dim_feedforward ff"},
    {"position", "pe pos_encoding position_embedding"},
    {"state", "d_state state_size"},
};

static bool has_word(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (; *list; list += strcspn(list, " "), list += *list == ' ')
        if (strcspn(list, " ") == n && memcmp(list, word, n) == 0)
            return true;
    return false;
}

const char *sh_option_here(const char *name, const ThOptions *among)
{
    for (size_t i = 0; i < sizeof names_elsewhere / sizeof *names_elsewhere; i++)
        if (has_word(names_elsewhere[i][1], name) && th_option_known(among, names_elsewhere[i][0]))
            return names_elsewhere[i][0];
    return NULL;
}

bool sh_asks_for_help(const char *statement, size_t n, char topic[SH_TOPIC])
{
    static const char *const before[] = {"?", "man "}, *const after[] = {"?", " --help", "--help"};
    snprintf(topic, SH_TOPIC, "%.*s", (int)(n < SH_TOPIC ? n : 0), statement);
    /* Questions, which the sentence answers also where there is no ? */
    if (strcmp(topic, "history") == 0 || strcmp(topic, "version") == 0)
        return true;
    for (size_t i = 0; i < 5; i++) {
        const char *mark = i < 2 ? before[i] : after[i - 2];
        size_t k = strlen(mark), skip = i < 2 ? k : 0;
        if (!(i < 2 ? begins : ends)(statement, n, mark))
            continue;
        while (n > k && skip && statement[skip] == ' ') {
            skip++;
            k++;
        }
        snprintf(topic, SH_TOPIC, "%.*s", (int)(n - k < SH_TOPIC ? n - k : 0), statement + skip);
        return true;
    }
    return false;
}
