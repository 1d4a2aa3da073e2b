#include "plot/tex.h"

#include <string.h>

static const char heading[] =
    "% A figure for LaTeX: \\input it in a document that has\n"
    "% \\usepackage{gnuplot-lua-tikz}, which comes with gnuplot.  Letters beyond\n"
    "% those of Latin need lualatex or xelatex.\n";

/* What TeX would act upon, and characters that not every font of its has. */
static const struct {
    const char *text, *tex;
} escapes[] = {{"\\", "\\textbackslash{}"},
               {"{", "\\{"},
               {"}", "\\}"},
               {"$", "\\$"},
               {"&", "\\&"},
               {"#", "\\#"},
               {"%", "\\%"},
               {"_", "\\_"},
               {"^", "\\textasciicircum{}"},
               {"~", "\\textasciitilde{}"},
               {"\"", "\\char34{}"},
               {"<", "\\textless{}"},
               {">", "\\textgreater{}"},
               {"|", "\\textbar{}"},
               {"·", "$\\cdot$"},
               {"×", "$\\times$"},
               {"→", "$\\rightarrow$"},
               {"≤", "$\\leq$"},
               {"≥", "$\\geq$"},
               {"ε", "$\\varepsilon$"},
               {"λ", "$\\lambda$"},
               {"∅", "$\\emptyset$"},
               {"␣", "\\textvisiblespace{}"},
               {"…", "\\ldots{}"},
               {"⁰", "$^0$"},
               {"¹", "$^1$"},
               {"²", "$^2$"},
               {"³", "$^3$"},
               {"⁴", "$^4$"},
               {"⁵", "$^5$"},
               {"⁶", "$^6$"},
               {"⁷", "$^7$"},
               {"⁸", "$^8$"},
               {"⁹", "$^9$"},
               {"⁻", "$^-$"}};

static const char *escape_of(const char *c, size_t n)
{
    for (size_t i = 0; i < sizeof escapes / sizeof *escapes; i++)
        if (strlen(escapes[i].text) == n && memcmp(escapes[i].text, c, n) == 0)
            return escapes[i].tex;
    return NULL;
}

/* Would TeX make one sign of these two, as -- becomes a dash? */
static bool joins(char a, char b)
{
    return (strchr("-`',", a) && a == b) || (strchr("?!", a) && b == '`');
}

static void put_text(ThText *to, const char *text, size_t n)
{
    if (n > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9') {
        th_text_add(to, "$-$");
        text++;
        n--;
    }
    while (n > 0) {
        size_t size = th_utf8_next(text, n, NULL);
        size = size > 0 ? size : 1;
        const char *tex = escape_of(text, size);
        if (tex)
            th_text_add(to, tex);
        else
            th_text_add_bytes(to, text, size);
        if (n > 1 && joins(text[0], text[1]))
            th_text_add(to, "{}");
        text += size;
        n -= size;
    }
}

/* Where the text of a line \node[…] at (…) {…}; is; false: the line has none. */
static bool find_text(const char *line, size_t n, size_t *from, size_t *to)
{
    static const char node[] = "\\node[gp node ", at[] = " at (", open[] = ") {", close[] = "};";
    if (n < sizeof node - 1 || memcmp(line, node, sizeof node - 1) != 0)
        return false;
    const char *place = strstr(line, at), *text = place ? strstr(place, open) : NULL;
    *to = n - (sizeof close - 1);
    *from = text ? (size_t)(text - line) + sizeof open - 1 : n;
    return *from <= *to && memcmp(line + *to, close, sizeof close - 1) == 0;
}

void th_plot_tex_text(ThText *to, const char *text)
{
    put_text(to, text, strlen(text));
}

void th_plot_tex_graph(ThText *to, const char *inside, double scale, double font_size)
{
    th_text_add(to, "% A drawing for LaTeX: \\input it in a document that has\n"
                    "% \\usepackage{tikz} \\usetikzlibrary{automata,arrows.meta}\n"
                    "\\begin{tikzpicture}[");
    if (font_size > 0)
        th_text_printf(to, "font=\\fontsize{%g}{%g}\\selectfont, ", font_size, 1.2 * font_size);
    if (scale < 0.995 || scale > 1.005)
        th_text_printf(to, "scale=%.2f, transform shape,", scale);
    th_text_add(to, "\n");
    th_text_add(to, inside);
}

void th_plot_tex(ThText *to, const char *tikz)
{
    th_text_add(to, heading);
    for (const char *line = tikz; *line; line += *line == '\n') {
        size_t n = strcspn(line, "\n"), from, end;
        if (strncmp(line, "%%", 2) == 0) {
            line += n;
            continue;
        }
        bool texts = find_text(line, n, &from, &end);
        th_text_add_bytes(to, line, texts ? from : n);
        if (texts) {
            put_text(to, line + from, end - from);
            th_text_add_bytes(to, line + end, n - end);
        }
        th_text_add(to, "\n");
        line += n;
    }
}
