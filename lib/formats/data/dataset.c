#include "formats/data/dataset.h"

#include "base/file.h"
#include "formats/data/npy.h"

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct {
    const ThDataset *d;
    ThDatasetFigures *f;
    ThPadPacker k;
    int *row; /* packed: (context) */
    unsigned char *scored;
    size_t scored_cap;
    ThText text;
} Source;

static bool source_begin(Source *s, const ThDataset *d, ThDatasetFigures *f, ThError *err)
{
    *f = (ThDatasetFigures){0};
    *s = (Source){.d = d, .f = f};
    ThPadPackRules rules = {.pad = d->pad,
                            .seed = d->seed,
                            .packing = d->packing,
                            .context = (size_t)d->context,
                            .score_questions = d->score_questions,
                            .given = d->given,
                            .n_given = (size_t)d->count,
                            .stop = d->stop};
    th_pad_packer_begin(&s->k, &rules);
    if (d->packing == TH_PAD_PACK_NONE)
        return true;
    s->row = th_alloc((size_t)d->context, sizeof *s->row, err);
    return s->row && th_grow(&s->scored, &s->scored_cap, (size_t)d->context, 1, err);
}

static void source_free(Source *s)
{
    th_pad_packer_free(&s->k);
    TH_FREE(s->row, s->scored);
    th_text_free(&s->text);
}
TH_RELEASES_VALUE(source_free, Source)

static bool pack_row(Source *s, size_t row, ThError *err)
{
    bool ok = th_pad_pack_row(&s->k, row, s->row, s->scored, err);
    s->f->examples = (long long)s->k.index;
    s->f->rows += ok;
    s->f->tokens += ok ? s->d->context : 0;
    return ok;
}

/* The next row, unpacked: s->k.e and, where they are wanted, its tokens. */
static bool plain_row(Source *s, bool tokens, ThError *err)
{
    if (!(tokens ? th_pad_pack_tokens : th_pad_pack_example)(&s->k, err))
        return false;
    s->f->rows++;
    s->f->examples = (long long)s->k.index;
    s->f->tokens += tokens ? (long long)s->k.n : 0;
    if (!tokens || !th_grow(&s->scored, &s->scored_cap, s->k.n, 1, err))
        return !tokens;
    for (size_t i = 0; i < s->k.n; i++)
        s->scored[i] = s->d->score_questions || i >= s->k.question;
    return true;
}

/* ---- text ------------------------------------------------------------------------------------ */

static bool packed_text(Source *s, ThError *err)
{
    s->text.size = 0;
    th_pad_decode(s->d->pad, s->row, (size_t)s->d->context, &s->text);
    return !s->text.failed || th_fail(err, TH_ENOMEM, "out of memory");
}

static bool has_lines(const ThPad *p)
{
    return *p->separator == '\n';
}

static bool print_rows(Source *s, FILE *out, ThError *err)
{
    bool packed = s->d->packing != TH_PAD_PACK_NONE, lines = has_lines(s->d->pad);
    for (long long i = 0; i < s->d->count; i++) {
        if (!(packed ? pack_row(s, (size_t)i, err) && packed_text(s, err)
                     : plain_row(s, false, err)))
            return false;
        const ThText *t = packed ? &s->text : &s->k.e->text;
        if (lines && i > 0)
            putc('\n', out);
        fwrite(t->data, 1, t->size, out);
        putc('\n', out);
    }
    return true;
}

bool th_dataset_print(const ThDataset *d, FILE *out, ThDatasetFigures *f, ThError *err)
{
    Source s TH_OWNED(source_free) = {0};
    return source_begin(&s, d, f, err) && print_rows(&s, out, err);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_json(ThText *t, const char *s, size_t n)
{
    th_text_add_bytes(t, "\"", 1);
    for (size_t i = 0, from = 0; i <= n; i++) {
        bool plain = i < n && (unsigned char)s[i] >= 0x20 && s[i] != '"' && s[i] != '\\';
        if (plain)
            continue;
        th_text_add_bytes(t, s + from, i - from);
        from = i + 1;
        if (i == n)
            break;
        if (s[i] == '"' || s[i] == '\\')
            th_text_printf(t, "\\%c", s[i]);
        else
            th_text_printf(t, "\\u%04x", (unsigned)(unsigned char)s[i]);
    }
    th_text_add_bytes(t, "\"", 1);
}

static size_t without_blanks(const char *s, size_t n)
{
    while (n > 0 && (s[n - 1] == ' ' || s[n - 1] == '\n'))
        n--;
    return n;
}

/* The question without the separator behind it. */
static size_t question_size(const ThPad *p, const ThPadExample *e)
{
    size_t gap = strlen(p->separator), n = e->question;
    bool ends = n >= gap && memcmp(e->text.data + n - gap, p->separator, gap) == 0;
    return without_blanks(e->text.data, ends ? n - gap : n);
}

static void add_record(ThText *t, const ThPad *p, const ThPadExample *e)
{
    const char *text = e->text.data;
    size_t from = 0, at, size;
    th_text_printf(t, "{\"kind\":\"%s\",\"question\":", p->kind->name);
    add_json(t, text, question_size(p, e));
    th_text_add(t, ",\"lines\":[");
    for (bool first = true; th_pad_example_line(p, e, &from, &at, &size); first = false) {
        th_text_add(t, first ? "" : ",");
        add_json(t, text + at, without_blanks(text + at, size));
    }
    th_text_add(t, "],\"answer\":");
    add_json(t, text + e->answer, e->text.size - e->answer);
    th_text_add(t, ",\"text\":");
    add_json(t, text, e->text.size);
    th_text_add(t, "}\n");
}

static void add_context(ThText *t, const Source *s)
{
    size_t n = (size_t)s->d->context;
    ThText text TH_OWNED(th_text_free) = {0};
    th_pad_decode(s->d->pad, s->row, n, &text);
    th_text_printf(t, "{\"kind\":\"%s\",\"text\":", s->d->pad->kind->name);
    add_json(t, th_text_string(&text), text.size);
    t->failed = t->failed || text.failed;
    th_text_add(t, ",\"tokens\":[");
    for (size_t i = 0; i < n; i++)
        th_text_printf(t, "%s%d", i ? "," : "", s->row[i]);
    th_text_add(t, "],\"scored\":[");
    for (size_t i = 0; i < n; i++)
        th_text_add(t, i ? s->scored[i] ? ",1" : ",0" : s->scored[i] ? "1" : "0");
    th_text_add(t, "]}\n");
}

static bool write_records(Source *s, FILE *out, ThError *err)
{
    bool packed = s->d->packing != TH_PAD_PACK_NONE;
    for (long long i = 0; i < s->d->count; i++) {
        if (!(packed ? pack_row(s, (size_t)i, err) : plain_row(s, false, err)))
            return false;
        s->text.size = 0;
        if (packed)
            add_context(&s->text, s);
        else
            add_record(&s->text, s->d->pad, s->k.e);
        if (s->text.failed)
            return th_fail(err, TH_ENOMEM, "out of memory");
        fwrite(s->text.data, 1, s->text.size, out);
    }
    return true;
}

/* ---- matrices -------------------------------------------------------------------------------- */

/* Tokens of the longest example; the source begins again. */
static bool longest(Source *s, size_t *width, ThError *err)
{
    *width = 0;
    for (long long i = 0; i < s->d->count; i++) {
        if (!th_pad_pack_tokens(&s->k, err))
            return false;
        *width = s->k.n > *width ? s->k.n : *width;
    }
    s->k.index = 0;
    return true;
}

static void write_padding(FILE *ids, FILE *mask, size_t n, int padding)
{
    enum { ROOM = 1024 };
    int value[ROOM];
    const unsigned char unscored[ROOM] = {0};
    for (size_t i = 0; i < ROOM; i++)
        value[i] = padding;
    for (size_t done = 0; done < n; done += ROOM) {
        size_t part = n - done < ROOM ? n - done : ROOM;
        th_npy_values(ids, TH_NPY_INT32, part, value);
        th_npy_values(mask, TH_NPY_UINT8, part, unscored);
    }
}

static bool write_matrix(Source *s, FILE *ids, FILE *mask, ThError *err)
{
    const ThDataset *d = s->d;
    bool packed = d->packing != TH_PAD_PACK_NONE;
    size_t width = (size_t)d->context, rows = (size_t)d->count;
    if (!packed && !longest(s, &width, err))
        return false;
    th_npy_begin(ids, TH_NPY_INT32, rows, width);
    th_npy_begin(mask, TH_NPY_UINT8, rows, width);
    for (size_t i = 0; i < rows; i++) {
        if (!(packed ? pack_row(s, i, err) : plain_row(s, true, err)))
            return false;
        size_t n = packed ? width : s->k.n;
        th_npy_values(ids, TH_NPY_INT32, n, packed ? s->row : s->k.id);
        th_npy_values(mask, TH_NPY_UINT8, n, s->scored);
        write_padding(ids, mask, width - n, d->pad->padding);
    }
    return true;
}

static bool write_vocabulary(const ThPad *p, FILE *out, ThError *err)
{
    ThText t = {0};
    char *options TH_OWNED(free) = th_options_format(&p->options, err);
    if (!options)
        return false;
    th_text_printf(&t, "{\"kind\":\"%s\",\"options\":", p->kind->name);
    add_json(&t, options, strlen(options));
    th_text_printf(&t, ",\"padding\":%d,\"tokens\":[", p->padding);
    for (int i = 0; i < th_pad_tokens(p); i++) {
        size_t size;
        const char *token = th_pad_token(p, i, &size);
        th_text_add(&t, i ? "," : "");
        add_json(&t, token, size);
    }
    th_text_add(&t, "]}\n");
    char *text TH_OWNED(free) = th_text_take(&t, err);
    if (text)
        fputs(text, out);
    return text != NULL;
}

/* Returns new: a path with another extension. */
static char *beside(const char *path, const char *extension, ThError *err)
{
    ThText t = {0};
    th_text_add_bytes(&t, path, strlen(path) - strlen(".npy"));
    th_text_add(&t, extension);
    return th_text_take(&t, err);
}

static bool write_npy(Source *s, const char *path, ThError *err)
{
    ThFile file[3] = {{0}};
    char *name[3] = {th_strdup(path, err), beside(path, ".mask.npy", err),
                     beside(path, ".vocab.json", err)};
    bool ok = name[0] && name[1] && name[2];
    for (int i = 0; ok && i < 3; i++)
        ok = th_file_begin(&file[i], name[i], err) != NULL;
    ok = ok && write_matrix(s, file[0].stream, file[1].stream, err) &&
         write_vocabulary(s->d->pad, file[2].stream, err);
    for (int i = 2; i >= 0; i--) {
        if (ok)
            ok = th_file_commit(&file[i], err);
        else
            th_file_abort(&file[i]);
        free(name[i]);
    }
    return ok;
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Has a file this extension, and a name before it? */
static bool has_extension(const char *path, const char *extension)
{
    return *path && th_ends_with(path + 1, extension);
}

static bool write_file(Source *s, const char *path, bool records, ThError *err)
{
    ThFile file = {0};
    FILE *out = th_file_begin(&file, path, err);
    if (out && (records ? write_records(s, out, err) : print_rows(s, out, err)))
        return th_file_commit(&file, err);
    th_file_abort(&file);
    return false;
}

bool th_dataset_write(const ThDataset *d, const char *path, ThDatasetFigures *f, ThError *err)
{
    Source s TH_OWNED(source_free) = {0};
    bool text = has_extension(path, ".txt"), records = has_extension(path, ".jsonl");
    if (!text && !records && !has_extension(path, ".npy"))
        return th_fail(err, TH_EUSAGE, "'%s' is no name of a data set", path) ||
               th_hint(err, "scratchpads are written to .txt, .jsonl and .npy files");
    if (text && has_lines(d->pad))
        return th_fail(err, TH_EUSAGE,
                       "a .txt file has a scratchpad a line, and these have several") ||
               th_hint(err, "write them to a .jsonl or .npy file");
    return source_begin(&s, d, f, err) &&
           (text || records ? write_file(&s, path, records, err) : write_npy(&s, path, err));
}
