/* Numbers on axes: 5·10⁶ is easier to read than 5000000 or 5e+06. */
#include <math.h>
#include <stdio.h>

#include "plot/figure.h"

/* From here on numbers are written as powers of ten. */
static const double LARGE = 1e5, SMALL = 1e-4;

static void put_exponent(ThText *t, int exponent)
{
    static const char *const digit[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char text[16];
    snprintf(text, sizeof text, "%d", exponent);
    for (const char *c = text; *c; c++)
        th_text_add(t, *c == '-' ? "⁻" : digit[*c - '0']);
}

void th_figure_power(ThText *t, int exponent, int greatest)
{
    if (exponent >= 0 && exponent < (pow(10, greatest) < LARGE ? 5 : 3)) {
        th_text_printf(t, "%.0f", pow(10, exponent));
        return;
    }
    th_text_add(t, "10");
    put_exponent(t, exponent);
}

/* As a power of ten from `large` on. */
static void put_number(ThText *t, double x, double large)
{
    double size = fabs(x);
    if (x == 0 || (size >= SMALL && size < large)) {
        th_text_printf(t, "%.6g", x + 0.0); /* of the two zeros the positive one */
        return;
    }
    int exponent = (int)floor(log10(size) + 1e-9);
    double factor = x / pow(10, exponent);
    if (fabs(factor - 1) > 1e-6)
        th_text_printf(t, "%.4g·", factor);
    th_text_add(t, "10");
    put_exponent(t, exponent);
}

void th_figure_number(ThText *t, double x)
{
    put_number(t, x, LARGE);
}

static void put_tic(ThFigure *f, const char *axis, double at, double large)
{
    ThText t TH_OWNED(th_text_free) = {0};
    put_number(&t, at, large);
    th_figure_printf(f, "set %stics add ('%s' %.17g)\n", axis, th_text_string(&t), at);
    f->script.failed |= t.failed;
}

/* 1, 2 or 5 times a power of ten, so that some five of them fill the length. */
static double step_for(double length)
{
    double step = pow(10, floor(log10(length / 5)));
    double most = length / step;
    return most > 14 ? 5 * step : most > 7 ? 2 * step : step;
}

static void put_even_tics(ThFigure *f, const char *axis, double lo, double hi)
{
    double step = step_for(hi - lo);
    th_figure_printf(f, "set %stics ()\n", axis);
    for (double i = ceil(lo / step - 1e-9); i * step <= hi * (1 + 1e-9); i++)
        put_tic(f, axis, i * step + 0.0, LARGE);
}

void th_figure_axis(ThFigure *f, const char *axis, double lo, double hi)
{
    if (hi > lo && fmax(fabs(lo), fabs(hi)) >= LARGE)
        put_even_tics(f, axis, lo, hi);
}

/* How many of 1 … 9 times a power of ten have a number where these limits leave room: 1, 2 and 5,
 * or 1 alone. */
static bool is_named(int factor, double lo, double hi)
{
    return factor == 1 || (hi < 100 * lo && (factor == 2 || factor == 5));
}

void th_figure_log_axis(ThFigure *f, const char *axis, double lo, double hi)
{
    enum { MOST = 8 };
    int first = (int)floor(log10(lo) + 1e-9), last = (int)floor(log10(hi) + 1e-9);
    int step = (last - first) / MOST + 1;
    th_figure_printf(f, "set logscale %s; set %stics ()\n", axis, axis);
    if (hi > lo && hi < 5 * lo) { /* too few powers of ten and their multiples lie there */
        put_even_tics(f, axis, lo, hi);
        return;
    }
    for (int e = first; e <= last; e += step)
        for (int i = 1; i <= (step > 1 ? 1 : 9); i++)
            if (is_named(i, lo, hi))
                put_tic(f, axis, i * pow(10, e), hi < LARGE ? LARGE : 1e3);
            else
                th_figure_printf(f, "set %stics add ('' %.17g 1)\n", axis, i * pow(10, e));
}

void th_figure_symbol_tics(ThFigure *f, const char *axis, char *const *symbol, const int *token,
                           int length, int size)
{
    if (length > TH_FIGURE_MOST_NAMED) {
        th_figure_printf(f, "set %stics autofreq scale 0\n", axis);
        return;
    }
    th_figure_printf(f, "set %stics scale 0 noenhanced font ',%d' (", axis, size);
    for (int p = 0; p < length; p++) {
        th_figure_tic(f, symbol[token[p]]);
        th_figure_printf(f, " %d%s", p, p + 1 < length ? ", " : "");
    }
    th_figure_printf(f, ")\n");
}
