#include "plot/figure.h"

#include <math.h>
#include <stdarg.h>

#include "base/file.h"
#include "plot/child.h"
#include "plot/tex.h"

/* Colours are those of Okabe and Ito (2008), which remain distinct to the colour-blind; the order
 * puts the strongest contrasts first.  Frames and tics are thin and grey, so that data stands out.
 */
static const char preamble[] =
    "if (GPVAL_TERM eq 'unknown') set terminal dumb 79,24\n"
    "plain = GPVAL_TERM eq 'dumb'\n"
    "set encoding utf8\n"
    "set termoption noenhanced\n"
    "set linetype 1 lc rgb '#0072B2'; set linetype 2 lc rgb '#D55E00'\n"
    "set linetype 3 lc rgb '#009E73'; set linetype 4 lc rgb '#CC79A7'\n"
    "set linetype 5 lc rgb '#E69F00'; set linetype 6 lc rgb '#56B4E9'\n"
    "set linetype 7 lc rgb '#999933'; set linetype 8 lc rgb '#404040'; set linetype cycle 8\n"
    "set border 3 lc rgb '#9a9a9a' lw 0.8\n"
    "set tics nomirror out scale 0.5 textcolor rgb '#404040'\n"
    "set key noenhanced textcolor rgb '#404040' samplen 2.5 spacing 1.15\n";

/* Appends text with blanks for what could end a line or a string.  For every character of `special`
 * stands the entry of `escape` at the same place. */
static void put_inert(ThText *t, const char *text, const char *special, const char *const *escape)
{
    size_t n = strlen(text);
    while (n > 0) {
        size_t size = th_utf8_next(text, n, NULL);
        unsigned char c = (unsigned char)*text;
        const char *found = strchr(special, c);
        if (size == 0 || c < 0x20 || c == 0x7f) {
            th_text_add_bytes(t, " ", 1);
            size = 1;
        } else {
            if (found)
                th_text_add(t, escape[found - special]);
            else
                th_text_add_bytes(t, text, size);
        }
        text += size;
        n -= size;
    }
}

double th_figure_page(ThFigure *f, double left, double right, double low, double high)
{
    double width = right - left, height = high - low;
    double scale = fmin(1, fmin(17 / width, 12 / height));
    f->drawing = true;
    f->width = fmax(4.5, width * scale);
    f->height = fmax(2, height * scale + 0.7);
    th_figure_printf(f,
                     "unset border; unset xtics; unset ytics; unset key; set size ratio -1\n"
                     "set lmargin 0.5; set rmargin 0.5; set bmargin 0.5; set tmargin %g\n"
                     "set xrange [%.4f:%.4f]; set yrange [%.4f:%.4f]\n",
                     f->title && !*f->title ? 0.5 : 3, left, right, low, high);
    return scale;
}

/* A literal in single quotes, in which two of them mean one.  Those at its beginning stand apart:
 * gnuplot takes the first two for a whole, empty string. */
static void put_literal(ThFigure *f, const char *text, const char *special,
                        const char *const *escape)
{
    size_t quotes = strspn(text, "'");
    if (quotes > 0) {
        th_text_add(&f->script, "\"");
        th_text_add_bytes(&f->script, text, quotes);
        th_text_add(&f->script, "\" . ");
    }
    th_text_add(&f->script, "'");
    put_inert(&f->script, text + quotes, special, escape);
    th_text_add(&f->script, "'");
}

void th_figure_string(ThFigure *f, const char *text)
{
    put_literal(f, text, "'", (const char *const[]){"''"});
}

void th_figure_tic(ThFigure *f, const char *text)
{
    put_literal(f, text, "'%", (const char *const[]){"''", "%%"});
}

void th_figure_cell(ThFigure *f, const char *text)
{
    /* In a data block \" ends a string all the same, but octal escapes are understood. */
    th_text_add(&f->script, "\"");
    put_inert(&f->script, text, "\"\\", (const char *const[]){"\\042", "\\\\"});
    th_text_add(&f->script, "\" ");
}

void th_figure_last_cell(ThFigure *f, const char *text)
{
    th_figure_cell(f, text);
    th_text_add(&f->script, "\n");
}

const char *th_figure_title(const ThFigure *f, const char *title)
{
    return f->title ? f->title : title;
}

void th_figure_begin(ThFigure *f, ...)
{
    ThText title TH_OWNED(th_text_free) = {0};
    va_list parts;
    va_start(parts, f);
    for (const char *part; (part = va_arg(parts, const char *)) != NULL;)
        th_text_add(&title, part);
    va_end(parts);
    th_text_add(&f->script, preamble);
    th_text_add(&f->script, "set title ");
    th_figure_string(f, th_figure_title(f, th_text_string(&title)));
    th_text_add(&f->script, " noenhanced font ',13' textcolor rgb '#202020' offset 0,0.3\n");
    f->script.failed |= title.failed;
}

void th_figure_subtitle(ThFigure *f, const char *format, ...)
{
    char line[512];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    th_text_add(&f->script, "set label 1 ");
    th_figure_string(f, line);
    th_text_add(&f->script,
                " at graph 0.5,1.0 center offset 0,(plain ? 1.5 : 0.9) noenhanced font "
                "',9' textcolor rgb '#606060'\nset title offset 0,1.1; set tmargin 4.3\n");
}

void th_figure_printf(ThFigure *f, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(line, sizeof line, format, args);
    va_end(args);
    if (n < 0 || (size_t)n >= sizeof line)
        f->script.failed = true;
    else
        th_text_add_bytes(&f->script, line, (size_t)n);
}

void th_figure_block(ThFigure *f, const char *name)
{
    th_figure_printf(f, "$%s << TH_EOD\n", name);
}

void th_figure_end_block(ThFigure *f)
{
    th_text_add(&f->script, "TH_EOD\n");
}

void th_figure_free(ThFigure *f)
{
    th_text_free(&f->script);
    th_text_free(&f->tikz);
    *f = (ThFigure){0};
}

/* ---- rendering ------------------------------------------------------------------------------- */

typedef enum { AS_SCRIPT, AS_TEXT, AS_PICTURE, AS_TEX } Nature;

typedef struct {
    const char *extension;
    Nature nature;
    const char *terminal;
    double unit;     /* what an inch is in the terminal's size */
    double scale;    /* of its texts, and of its lines */
    const char *end; /* the last bytes of a complete file, but for white space */
} Format;

static const Format formats[] = {
    {".png", AS_PICTURE, "pngcairo noenhanced pointscale 2", 200, 2, "IEND\xae\x42\x60\x82"},
    {".svg", AS_PICTURE, "svg noenhanced dynamic", 100, 1, "</svg>"},
    {".pdf", AS_PICTURE, "pdfcairo noenhanced", 1, 1, "%%EOF"},
    {".tex", AS_TEX, "tikz bitmap", 2.54, 1, "\\end{tikzpicture}\n%% gnuplot variables"},
    {".txt", AS_TEXT, NULL, 0, 0, ""},
    {".gp", AS_SCRIPT, NULL, 0, 0, ""}};

/* Windows: whichever this gnuplot has; status 3 says that it has none. */
static const char window_terminal[] =
    "if (strstrt(GPVAL_TERMINALS, ' qt ')) {\n"
    "    set terminal qt noenhanced font face persist title 'tapehead' size wide,high\n"
    "} else { if (strstrt(GPVAL_TERMINALS, ' wxt ')) {\n"
    "    set terminal wxt noenhanced font face persist title 'tapehead' size wide,high\n"
    "} else { if (strstrt(GPVAL_TERMINALS, ' x11 ')) {\n"
    "    set terminal x11 noenhanced persist title 'tapehead' size wide,high\n"
    "} else { exit status 3 }}}\n"
    "set termoption fontscale scale\n";
enum { NO_WINDOWS = 3, TEXT_COLUMNS = 79, TEXT_ROWS = 24 };

static const Format *format_of(const char *path, ThError *err)
{
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof formats / sizeof *formats; i++)
        if (strcmp(dot, formats[i].extension) == 0)
            return &formats[i];
    th_fail(err, TH_EUSAGE, "'%s' has no extension of a figure", path);
    th_hint(err,
            "figures are .png, .svg, .pdf, .tex, .txt (characters) and .gp (the gnuplot script)");
    return NULL;
}

/* The last line of gnuplot's complaint, without the name that our script has for it. */
static bool gnuplot_failed(const ThPlotChild *c, ThError *err)
{
    static const char prefix[] = "\"/dev/stdin\" ";
    const char *text = th_text_string(&c->messages);
    const char *best = "", *line = text;
    size_t best_size = 0;
    while (*line) {
        size_t size = strcspn(line, "\n");
        if (strspn(line, " \t") < size) {
            best = line;
            best_size = size;
        }
        line += size + (line[size] == '\n');
    }
    if (strncmp(best, prefix, sizeof prefix - 1) == 0) {
        best += sizeof prefix - 1;
        best_size -= sizeof prefix - 1;
    }
    if (best_size == 0)
        return th_fail(err, TH_EIO, "gnuplot failed with status %d", c->status);
    return th_fail(err, TH_EIO, "gnuplot: %.*s", (int)(best_size < 400 ? best_size : 400), best);
}

static bool run_gnuplot(ThPlotChild *c, ThError *err)
{
    /* Elsewhere, for its terminal of TeX runs a gnuplot-tikz.lua that lies in the folder. */
    static const char *const argv[] = {"gnuplot", "-d", "-e", "cd '/'", "/dev/stdin", NULL};
    bool missing;
    c->argv = argv;
    ThError why = {0};
    bool ok = th_plot_child_run(c, &missing, &why);
    if (!ok && missing) {
        th_fail(err, TH_EIO, "gnuplot was not found");
        th_hint(err, "install gnuplot-qt, or gnuplot-nox for files only; > \"x.gp\" writes the "
                     "script without it");
    } else if (!ok) {
        th_fail(err, why.code, "%s", why.msg);
    }
    return ok;
}

static double size_or(double size, double fallback)
{
    return size > 0 ? size : fallback;
}

/* How a figure is drawn: its size in inches, and by how much its texts differ from 10 points. */
typedef struct {
    double width, height, scale;
    const char *font;
} Page;

static Page page_of(const ThFigure *f, const ThPlotTarget *to)
{
    enum { ROOMY = 4 /* inches; in a smaller figure the texts are smaller, too */ };
    const double inch = 2.54;
    double width = size_or(f->width, 7), height = size_or(f->height, 5);
    Page p = {.width = size_or(to->width / inch, width),
              .height = size_or(to->height / inch, height),
              .scale = size_or(to->font_size, 10) / 10,
              .font = to->font ? to->font : "DejaVu Sans"};
    if (f->drawing)
        p.scale *= fmin(p.width / width, p.height / height);
    else if (to->font_size <= 0)
        p.scale = sqrt(fmin(1, fmin(p.width / ROOMY, p.height / ROOMY)));
    return p;
}

/* Drops what only a line printer understands, blanks at the ends of lines, and empty lines around
 * the picture. */
static void tidy_text(ThText *t)
{
    size_t n = 0,
           last = 0; /* bytes written, and those up to the last that is no blank or newline */
    for (size_t i = 0; i < t->size; i++) {
        char c = t->data[i];
        if (c == '\f')
            continue;
        if (c == '\n' && last == 0) {
            n = 0;
            continue;
        }
        while (c == '\n' && n > last && t->data[n - 1] == ' ')
            n--;
        t->data[n++] = c;
        if (c != ' ' && c != '\n')
            last = n;
    }
    t->size = last;
    th_text_add(t, "\n");
}

static bool ends_with(const ThText *t, const char *end)
{
    size_t n = t->size, m = strlen(end);
    while (n > 0 && strchr(" \n", t->data[n - 1]))
        n--;
    return n > 0 && n >= m && memcmp(t->data + n - m, end, m) == 0;
}

/* Runs the figure on a terminal, given by commands of gnuplot's. */
static bool draw(const ThFigure *f, ThText *terminal, ThPlotChild *c, ThError *err)
{
    th_text_add(terminal, "\n");
    th_text_add(terminal, th_text_string(&f->script));
    th_text_add(terminal, "\nset output\n");
    char *script TH_OWNED(free) = th_text_take(terminal, err);
    c->input = script;
    return script && run_gnuplot(c, err);
}

static bool check_drawn(const ThPlotChild *c, const char *end, ThError *err)
{
    if (c->status != 0)
        return gnuplot_failed(c, err);
    return ends_with(&c->output, end) ||
           th_fail(err, TH_EIO, "gnuplot left an incomplete figure (is the disk full?)");
}

static bool draw_text(const ThFigure *f, const ThPlotTarget *to, ThPlotChild *c, ThError *err)
{
    ThText terminal = {0};
    int columns = to->columns > 0 ? to->columns : TEXT_COLUMNS;
    int rows = to->rows > 0 ? to->rows : TEXT_ROWS;
    th_text_printf(&terminal, "set terminal dumb noenhanced mono size %d,%d",
                   f->least_columns > columns ? f->least_columns : columns,
                   f->least_rows > rows ? f->least_rows : rows);
    if (!draw(f, &terminal, c, err) || !check_drawn(c, "", err))
        return false;
    tidy_text(&c->output);
    return true;
}

/* In TeX the font is the document's. */
static bool draw_picture(const ThFigure *f, const ThPlotTarget *to, const Format *format,
                         ThPlotChild *c, ThError *err)
{
    ThText terminal = {0};
    Page p = page_of(f, to);
    th_text_printf(&terminal, "set terminal %s font '%s,10' fontscale %.4g size %.6g,%.6g",
                   format->terminal, format->nature == AS_TEX ? "" : p.font,
                   p.scale * format->scale, p.width * format->unit, p.height * format->unit);
    if (format->nature == AS_TEX)
        th_text_add(&terminal, "; set format '%g'");
    else
        th_text_printf(&terminal, " linewidth %.4g", (f->drawing ? p.scale : 1) * format->scale);
    return draw(f, &terminal, c, err) && check_drawn(c, format->end, err);
}

/* Without a size it is to fit a slide, whose text is some 11 by 8 cm, and not to grow. */
static bool draw_graph(const ThFigure *f, const ThPlotTarget *to, ThPlotChild *c, ThError *err)
{
    double scale =
        fmin(size_or(to->width, 11) / f->tikz_width, size_or(to->height, 8) / f->tikz_height);
    th_plot_tex_graph(&c->output, f->tikz.data, to->width > 0 ? scale : fmin(scale, 1),
                      to->font_size);
    return (!c->output.failed && !f->tikz.failed) ||
           th_fail(err, TH_ENOMEM, "out of memory for the figure");
}

static bool draw_tex(const ThFigure *f, const ThPlotTarget *to, const Format *format,
                     ThPlotChild *c, ThError *err)
{
    ThText tex = {0};
    if (f->tikz.size > 0)
        return draw_graph(f, to, c, err);
    if (!draw_picture(f, to, format, c, err))
        return false;
    th_text_add_bytes(&c->output, "", 1); /* an end */
    if (!c->output.failed)
        th_plot_tex(&tex, c->output.data);
    th_text_free(&c->output);
    c->output = tex;
    return !tex.failed || th_fail(err, TH_ENOMEM, "out of memory for the figure");
}

static bool draw_script(const ThFigure *f, const ThPlotTarget *to, ThPlotChild *c, ThError *err)
{
    Page p = page_of(f, to);
    th_text_printf(&c->output,
                   "# To show this figure:  gnuplot -persist FILE\n"
                   "# To write it to a file, put in front, for example:\n"
                   "#   set terminal pngcairo size %.0f,%.0f; set output 'figure.png'\n",
                   100 * p.width, 100 * p.height);
    th_text_add(&c->output, th_text_string(&f->script));
    return !c->output.failed || th_fail(err, TH_ENOMEM, "out of memory for the figure");
}

static bool write_file(const char *path, const ThText *bytes, ThError *err)
{
    ThFile file = {0};
    FILE *out = th_file_begin(&file, path, err);
    if (!out)
        return false;
    fwrite(bytes->data, 1, bytes->size, out);
    return th_file_commit(&file, err);
}

static bool draw_file(const ThFigure *f, const ThPlotTarget *to, ThPlotChild *c, ThError *err)
{
    const Format *format = format_of(to->path, err);
    if (!format)
        return false;
    bool ok = false;
    switch (format->nature) {
    case AS_SCRIPT:
        ok = draw_script(f, to, c, err);
        break;
    case AS_TEXT:
        ok = draw_text(f, to, c, err);
        break;
    case AS_PICTURE:
        ok = draw_picture(f, to, format, c, err);
        break;
    case AS_TEX:
        ok = draw_tex(f, to, format, c, err);
        break;
    }
    return ok && write_file(to->path, &c->output, err);
}

static bool draw_window(const ThFigure *f, const ThPlotTarget *to, ThPlotChild *c, ThError *err)
{
    ThText terminal = {0};
    Page p = page_of(f, to);
    th_text_printf(&terminal, "wide = %.0f; high = %.0f; scale = %.4g; face = '%s,10'\n%s",
                   100 * p.width, 100 * p.height, p.scale, p.font, window_terminal);
    if (!draw(f, &terminal, c, err))
        return false;
    if (c->status == NO_WINDOWS)
        return draw_text(f, to, c, err);
    return c->status == 0 || gnuplot_failed(c, err);
}

static bool draw_sixel(const ThFigure *f, const ThPlotTarget *to, ThPlotChild *c, ThError *err)
{
    static const Format sixel = {"", AS_PICTURE, "sixelgd noenhanced", 100, 1, "\033\\"};
    return draw_picture(f, to, &sixel, c, err);
}

/* Appends three bytes, of which n are there, as four letters. */
static void put_base64(ThText *t, const char *bytes, size_t n)
{
    static const char letter[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned x = 0;
    for (size_t i = 0; i < 3; i++)
        x = x << 8 | (i < n ? (unsigned char)bytes[i] : 0u);
    for (size_t i = 0; i < 4; i++)
        th_text_add_bytes(t, i <= n ? &letter[x >> (18 - 6 * i) & 63] : "=", 1);
}

/* A PNG in pieces of at most 4096 letters, all but the last of which say that more comes. */
static bool draw_kitty(const ThFigure *f, const ThPlotTarget *to, ThPlotChild *c, ThError *err)
{
    enum { PIECE = 3072 };
    static const Format png = {"",  AS_PICTURE, "pngcairo noenhanced",
                               100, 1,          "IEND\xae\x42\x60\x82"};
    if (!draw_picture(f, to, &png, c, err))
        return false;
    ThText t = {0};
    for (size_t at = 0; at < c->output.size; at += PIECE) {
        size_t n = c->output.size - at;
        th_text_printf(&t, "\033_G%sm=%d;", at ? "" : "a=T,f=100,q=2,", n > PIECE);
        for (size_t i = 0; i < n && i < PIECE; i += 3)
            put_base64(&t, c->output.data + at + i, n - i < 3 ? n - i : 3);
        th_text_add(&t, "\033\\");
    }
    th_text_add(&t, "\n");
    th_text_free(&c->output);
    c->output = t;
    return !t.failed || th_fail(err, TH_ENOMEM, "out of memory for the figure");
}

bool th_figure_render(const ThFigure *f, ThPlotTarget *to, ThError *err)
{
    ThPlotChild c = {.stop = to->stop};
    bool ok = false;
    to->text = NULL;
    if (f->script.failed)
        return th_fail(err, TH_ENOMEM, "out of memory for the figure");
    switch (to->where) {
    case TH_PLOT_FILE:
        ok = draw_file(f, to, &c, err);
        break;
    case TH_PLOT_WINDOW:
        ok = draw_window(f, to, &c, err);
        break;
    case TH_PLOT_TEXT:
        ok = draw_text(f, to, &c, err);
        break;
    case TH_PLOT_SIXEL:
        ok = draw_sixel(f, to, &c, err);
        break;
    case TH_PLOT_KITTY:
        ok = draw_kitty(f, to, &c, err);
        break;
    }
    if (ok && to->where != TH_PLOT_FILE && c.output.size > 0) {
        to->text = th_text_take(&c.output, err);
        ok = to->text != NULL;
    }
    th_text_free(&c.output);
    th_text_free(&c.messages);
    return ok;
}
