/* Texts that a model goes on with: a prompt, and an answer that follows from it.
 *
 *     copy $abca|abca.   reverse $abca|acba.   duplicate: copy of a string with a repeated n-gram
 *     ngram key=prefix $bc|abca|a.   key=suffix $abca|bca.   the answer is what follows bc
 *
 * The target of a position is the symbol after it, from the end of the prompt on; the end symbol is
 * never read. */
#include <math.h>
#include <stdio.h>

#include "tasks/task_parts.h"

enum { MOST_SYMBOLS = 26, TRIES = 1000 };

static int letters(const ThTask *t)
{
    return (int)th_option_int(&t->options, "symbols");
}

/* The symbols behind the letters. */
static int begin_symbol(const ThTask *t)
{
    return letters(t);
}

static int bar_symbol(const ThTask *t)
{
    return letters(t) + 1;
}

static int end_symbol(const ThTask *t)
{
    return letters(t) + 2;
}

static bool init(ThTask *t, const ThTaskSource *from TH_UNUSED, ThError *err)
{
    char words[2 * MOST_SYMBOLS + 8];
    int n = letters(t), at = 0;
    for (int i = 0; i < n; i++) {
        words[at++] = (char)('a' + i);
        words[at++] = ' ';
    }
    memcpy(words + at, "$ | .", sizeof "$ | .");
    t->signature.next = true;
    return th_task_signature(t, TH_TARGET_EVERY, (ThTaskNames){0, words}, (ThTaskNames){0, words},
                             err);
}

/* ---- what a prompt says ---------------------------------------------------------------------- */

typedef struct {
    const int *text, *gram; /* gram: NULL but in ngram */
    int n, n_gram;
    int size; /* of the prompt */
} Prompt;

static bool is_ngram(const ThTask *t)
{
    return t->kind == &th_task_kind_ngram;
}

enum { KEY_PREFIX, KEY_SUFFIX }; /* the option key */

static bool key_is_prefix(const ThTask *t)
{
    return th_option_choice(&t->options, "key") == KEY_PREFIX;
}

static int gram_size(const ThTask *t)
{
    return (int)th_option_int(&t->options, "ngram");
}

/* Reads letters up to a bar; returns where the bar stands, or -1. */
static int find_bar(const ThTask *t, ThTaskWord w, int at)
{
    while (at < w.n && w.token[at] < letters(t))
        at++;
    return at < w.n && w.token[at] == bar_symbol(t) ? at : -1;
}

/* Finds the parts of a row that begins with a prompt; false if it does not. */
static bool read_prompt(const ThTask *t, ThTaskWord row, Prompt *p)
{
    int at = row.n > 0 && row.token[0] == begin_symbol(t) ? 1 : row.n;
    int bar = find_bar(t, row, at);
    *p = (Prompt){.text = row.token + at, .n = bar - at, .size = bar + 1};
    if (bar < 0 || !is_ngram(t))
        return bar >= 0;
    if (key_is_prefix(t)) {
        p->gram = p->text;
        p->n_gram = p->n;
        p->text = row.token + bar + 1;
        int second = find_bar(t, row, bar + 1);
        p->n = second - (bar + 1);
        p->size = second + 1;
        return second >= 0;
    }
    p->gram = row.token + bar + 1;
    p->n_gram = gram_size(t);
    p->size += p->n_gram;
    return p->size <= row.n;
}

/* Where the gram first stands in the text; -1: nowhere. */
static int find_gram(const Prompt *p, int from)
{
    for (int i = from; p->gram && i + p->n_gram <= p->n; i++)
        if (memcmp(p->text + i, p->gram, (size_t)p->n_gram * sizeof *p->gram) == 0)
            return i;
    return -1;
}

/* The symbols of the answer as a stretch of the prompt's text, to be read in steps of `step`. */
typedef struct {
    const int *from;
    int n, step;
} Answer;

static Answer answer_of(const ThTask *t, const Prompt *p)
{
    if (t->kind == &th_task_kind_reverse)
        return (Answer){p->text + p->n - 1, p->n, -1};
    if (!is_ngram(t))
        return (Answer){p->text, p->n, 1};
    int at = find_gram(p, 0), most = (int)th_option_int(&t->options, "answer");
    int from = at < 0 ? p->n : at + p->n_gram, left = p->n - from;
    return (Answer){p->text + from, most > 0 && most < left ? most : left, 1};
}

static void label(const ThTask *t, ThBatch *b)
{
    for (int i = 0; i < b->B; i++) {
        Prompt p;
        ThTaskWord row = {th_batch_token(b, i), th_batch_length(b, i)};
        int *target = th_batch_target(&t->signature, b, i);
        for (int k = 0; k < row.n; k++)
            target[k] = -1;
        if (!read_prompt(t, row, &p))
            continue;
        Answer a = answer_of(t, &p);
        target += p.size - 1;
        for (int k = 0; k <= a.n && p.size - 1 + k < row.n; k++)
            target[k] = k < a.n ? a.from[k * a.step] : end_symbol(t);
    }
}

/* ---- judging --------------------------------------------------------------------------------- */

static bool slip(ThTaskVerdict *v, int at, const char *kind, const char *found, const char *wanted)
{
    v->at = at;
    v->kind = kind;
    if (*found)
        snprintf(v->what, sizeof v->what, "symbol %d is %s and should be %s", at + 1, found,
                 wanted);
    else
        snprintf(v->what, sizeof v->what, "it breaks off before %s, symbol %d", wanted, at + 1);
    return true;
}

static bool judge(const ThTask *t, ThTaskWord prompt, ThTaskWord said, ThTaskVerdict *v,
                  ThError *err)
{
    Prompt p;
    if (!read_prompt(t, prompt, &p) || p.size != prompt.n)
        return th_fail(err, TH_EVALUE, "this is no prompt of a task of kind %s", t->kind->name) ||
               th_hint(err, "sample shows some: a prompt ends where the answers begin");
    Answer a = answer_of(t, &p);
    char *const *name = t->signature.symbol;
    for (int i = 0; i <= a.n; i++) {
        int wanted = i < a.n ? a.from[i * a.step] : end_symbol(t);
        if (i == said.n)
            return slip(v, i, "breaks off", "", name[wanted]);
        if (said.token[i] == wanted)
            continue;
        const char *kind = wanted == end_symbol(t)          ? "late end"
                           : said.token[i] == end_symbol(t) ? "early end"
                                                            : "copy";
        return slip(v, i, kind, name[said.token[i]], name[wanted]);
    }
    v->right = true;
    v->at = said.n;
    return true;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Puts the answer behind the prompt that a row begins with; returns the row's length. */
static int complete(const ThTask *t, int *row, int size)
{
    Prompt p;
    if (!read_prompt(t, (ThTaskWord){row, size}, &p))
        return size;
    Answer a = answer_of(t, &p);
    for (int k = 0; k < a.n; k++)
        row[size + k] = a.from[k * a.step];
    return size + a.n;
}

/* Overwrites an n-gram of the string by another one, which does not overlap it. */
static void repeat_gram(const ThTask *t, ThRng *r, int *text, int length)
{
    int n = gram_size(t);
    uint64_t places = (uint64_t)(length - 2 * n) + 1;
    int a = (int)th_rng_below(r, places), b = (int)th_rng_below(r, places);
    int first = a < b ? a : b, second = (a < b ? b : a) + n;
    if (th_rng_below(r, 2))
        memcpy(text + second, text + first, (size_t)n * sizeof *text);
    else
        memcpy(text + first, text + second, (size_t)n * sizeof *text);
}

static bool draw(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err TH_UNUSED)
{
    for (int i = 0; i < b->B; i++) {
        int *row = th_batch_token(b, i);
        row[0] = begin_symbol(t);
        th_task_draw_uniform_word(letters(t), r, row + 1, length);
        if (t->kind == &th_task_kind_duplicate)
            repeat_gram(t, r, row + 1, length);
        row[1 + length] = bar_symbol(t);
        complete(t, row, length + 2);
    }
    return true;
}

static int tokens(const ThTask *t TH_UNUSED, int length)
{
    return 2 * length + 2;
}

static int least_duplicate(const ThTask *t, int length)
{
    int least = 2 * gram_size(t);
    return length < least ? least : length;
}

/* The answers are as often each letter, and the end once. */
static double end_or_letter(const ThTask *t, double letters_answered)
{
    return fmax(1, letters_answered / letters(t)) / (letters_answered + 1);
}

static double chance(const ThTask *t, int length)
{
    return end_or_letter(t, length);
}

/* ---- n-grams --------------------------------------------------------------------------------- */

/* Where strings with a unique gram are too rare, the gram keeps its place, no letter before it is
 * its first and none behind it its last, so that it stands nowhere else. */
static void force_unique(const ThTask *t, ThRng *r, int *text, int length, int at)
{
    int n = gram_size(t), others = letters(t) - 1;
    for (int i = 0; i < length; i++) {
        if (i >= at && i < at + n)
            continue;
        int barred = i < at ? text[at] : text[at + n - 1];
        int letter = (int)th_rng_below(r, (uint64_t)others);
        text[i] = letter + (letter >= barred);
    }
}

/* Draws a text in which the gram at a place stands nowhere else. */
static void draw_unique(const ThTask *t, ThRng *r, int *text, int length, int at)
{
    Prompt p = {.text = text, .n = length, .gram = text + at, .n_gram = gram_size(t)};
    for (int i = 0; i < TRIES; i++) {
        th_task_draw_uniform_word(letters(t), r, text, length);
        if ((find_gram(&p, 0) == at && find_gram(&p, at + 1) < 0) || th_rng_rejects(r))
            return;
    }
    force_unique(t, r, text, length, at);
}

/* Symbols of a text that follow its gram at the least. */
static int least_answer(const ThTask *t)
{
    int wanted = (int)th_option_int(&t->options, "answer");
    return wanted > 0 ? wanted : 1;
}

static int least_ngram(const ThTask *t, int length)
{
    int least = gram_size(t) + least_answer(t);
    return length < least ? least : length;
}

static int tokens_ngram(const ThTask *t, int length)
{
    int n = gram_size(t), wanted = (int)th_option_int(&t->options, "answer");
    int answer = wanted > 0 ? wanted : length - n;
    return 2 + key_is_prefix(t) + n + length + answer;
}

static bool draw_ngram(const ThTask *t, ThRng *r, int length, ThBatch *b, ThError *err)
{
    int n = gram_size(t), *text TH_OWNED(free) = th_alloc((size_t)length, sizeof *text, err);
    for (int i = 0; text && i < b->B; i++) {
        int *row = th_batch_token(b, i), *end = row;
        int at = (int)th_rng_below(r, (uint64_t)(length - n - least_answer(t)) + 1);
        draw_unique(t, r, text, length, at);
        *end++ = begin_symbol(t);
        if (key_is_prefix(t)) {
            memcpy(end, text + at, (size_t)n * sizeof *end);
            end[n] = bar_symbol(t);
            end += n + 1;
        }
        memcpy(end, text, (size_t)length * sizeof *end);
        end[length] = bar_symbol(t);
        end += length + 1;
        if (!key_is_prefix(t)) {
            memcpy(end, text + at, (size_t)n * sizeof *end);
            end += n;
        }
        b->length[i] = complete(t, row, (int)(end - row));
    }
    return text != NULL;
}

static double chance_ngram(const ThTask *t, int length)
{
    int wanted = (int)th_option_int(&t->options, "answer");
    return end_or_letter(t, wanted > 0 ? wanted : (length - gram_size(t) + 1) / 2.0);
}

/* ---- the kinds ------------------------------------------------------------------------------- */

static const ThOptionSpec options[] = {
    {"symbols", TH_INT, "26", 2, MOST_SYMBOLS, NULL, "number of letters, from a on"},
    {0},
};

static const ThOptionSpec duplicate_options[] = {
    {"symbols", TH_INT, "26", 2, MOST_SYMBOLS, NULL, "number of letters, from a on"},
    {"ngram", TH_INT, "2", 1, 1000, NULL, "letters of the part that is repeated"},
    {0},
};

static const ThOptionSpec ngram_options[] = {
    {"symbols", TH_INT, "26", 2, MOST_SYMBOLS, NULL, "number of letters, from a on"},
    {"ngram", TH_INT, "3", 1, 1000, NULL, "letters of the part that is looked up"},
    {"key", TH_CHOICE, "prefix", 0, 0, "prefix|suffix",
     "whether it is asked for before the string or behind it"},
    {"answer", TH_INT, "0", 0, 1000000, NULL, "letters to answer with; 0: all that follow"},
    {0},
};

static const char source[] =
    "Jelassi, Brandfonbrener, Kakade and Malach 2024 (Repeat After Me), section 4";

/* What tasks have in common that ask for all letters once more. */
#define AGAIN                                                                                      \
    .init = init, .tokens = tokens, .draw = draw, .label = label, .judge = judge,                  \
    .separator = bar_symbol, .chance = chance

const ThTaskKind th_task_kind_copy = {
    .name = "copy",
    .summary = "write the string again: $abc|abc.",
    .source = source,
    .detail =
        "A text to be gone on with: $, letters, a bar, the letters again and a full stop.  A model "
        "reads all but the full stop, and its answer at a position is the symbol that follows; "
        "answers count from the bar on.  length= is the number of letters.  Letters are uniform "
        "and independent.\n\n"
        "Only a model that does not look ahead can be trained on it.  evaluate gives the share of "
        "right symbols, the true ones before them being read, and with exact that of the strings "
        "all right: what greedy generation would write.",
    .options = options,
    AGAIN,
};

const ThTaskKind th_task_kind_reverse = {
    .name = "reverse",
    .summary = "write the string backwards: $abc|cba.",
    .source = "Delétang et al. 2023, Reverse String, as a text to be gone on with",
    .detail = "As copy, with the letters in reverse order behind the bar.",
    .options = options,
    AGAIN,
};

const ThTaskKind th_task_kind_duplicate = {
    .name = "duplicate",
    .summary = "copy a string in which some letters stand twice: $abcab|abcab.",
    .source = source,
    .detail = "As copy, but ngram= letters in a row were overwritten by another such part of the "
              "string, so that the letters before a place do not tell what comes next.  A shorter "
              "string than two parts is drawn as long as that.",
    .options = duplicate_options,
    .length = least_duplicate,
    AGAIN,
};

const ThTaskKind th_task_kind_ngram = {
    .name = "ngram",
    .summary = "write what follows a part of the string: $bc|abcde|de.",
    .source = source,
    .detail = "The string holds the part of ngram= letters only once, at a uniform place.  "
              "key=prefix asks before the string, $bc|abcde|de. and key=suffix behind it, "
              "$abcde|bcde. with nothing between question and answer.  The answer is all that "
              "follows, so strings differ in length; or answer= letters, with as many to follow.  "
              "length= is the number of letters of the string; one that is too short for that is "
              "drawn longer.",
    .options = ngram_options,
    .ragged = true,
    .init = init,
    .length = least_ngram,
    .tokens = tokens_ngram,
    .draw = draw_ngram,
    .label = label,
    .judge = judge,
    .separator = bar_symbol,
    .chance = chance_ngram,
};
