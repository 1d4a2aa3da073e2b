#include "commands/plots/curves.h"

/* LOW..HIGH; of 0..5 strtod would take the first dot. */
static bool read_limits(const ThOptions *o, const char *name, bool logarithmic, double to[2],
                        ThError *err)
{
    const char *text = th_option_text(o, name), *dots = text ? strstr(text, "..") : NULL;
    char *end, *last;
    if (!text)
        return true;
    to[0] = strtod(text, &end);
    to[1] = dots ? strtod(dots + 2, &last) : 0;
    bool ok = dots && end > text && (end == dots || end == dots + 1) && last > dots + 2 && !*last &&
              to[1] > to[0] && to[1] - to[0] <= 1e9;
    if (!ok) {
        th_fail(err, TH_EUSAGE, "'%s' does not fit the option %s", text, name);
        th_hint(err, "%s=0.5..10 goes from 0.5 to 10", name);
    } else if (logarithmic && to[0] <= 0) {
        ok = th_fail(err, TH_EUSAGE, "the logarithmic axis of %s begins above 0", name);
    }
    return ok || th_option_error(o, name, err);
}

bool sh_read_axes(const ThOptions *o, ThFigureAxes *axes, ThError *err)
{
    static const char *const legend[] = {"outside right top",
                                         "bmargin center horizontal",
                                         "top left",
                                         "top right",
                                         "bottom left",
                                         "bottom right",
                                         "off"};
    if (!th_option_known(o, "xlim"))
        return true;
    const char *log = th_option_text(o, "log");
    axes->log_x = strchr(log, 'x') != NULL;
    axes->log_y = strchr(log, 'y') != NULL;
    if (th_option_given(o, "legend"))
        axes->legend = legend[th_option_choice(o, "legend")];
    return read_limits(o, "xlim", axes->log_x, axes->x, err) &&
           read_limits(o, "ylim", axes->log_y, axes->y, err);
}

static bool unknown_curve(const char *name, const ThPlotModel *curve, size_t n, ThError *err)
{
    ThText all TH_OWNED(th_text_free) = {0};
    for (size_t i = 0; i < n; i++)
        th_text_printf(&all, "%s%s", i ? ", " : "", curve[i].name);
    th_fail(err, TH_EUSAGE, "no curve is named '%s', or it is named twice", name);
    return th_hint(err, "the curves are %s", th_text_string(&all));
}

/* Takes the blanks away around a name in place. */
static char *trimmed(char *text)
{
    text += strspn(text, " ");
    size_t n = strlen(text);
    while (n > 0 && text[n - 1] == ' ')
        text[--n] = '\0';
    return text;
}

/* Ends a text at a mark; *rest is what follows it, NULL where there is none. */
static char *cut(char *text, char mark, char **rest)
{
    *rest = strchr(text, mark);
    if (*rest)
        *(*rest)++ = '\0';
    return text;
}

bool sh_choose_series(const ThOptions *o, ThPlotModel *curve, size_t *n, char **text, ThError *err)
{
    const char *series = th_option_text(o, "series");
    size_t done = 0;
    *text = series ? th_strdup(series, err) : NULL;
    if (!*text)
        return !series;
    for (char *item = *text, *next; item; item = next) {
        char *label, *name = trimmed(cut(cut(item, ',', &next), '=', &label));
        size_t i = done;
        while (i < *n && strcmp(curve[i].name, name) != 0)
            i++;
        if (i == *n)
            return unknown_curve(name, curve, *n, err) || th_option_error(o, "series", err);
        ThPlotModel chosen = curve[i];
        memmove(&curve[done + 1], &curve[done], (i - done) * sizeof *curve);
        chosen.label = label ? trimmed(label) : name;
        curve[done++] = chosen;
    }
    *n = done;
    return true;
}
