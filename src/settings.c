#include <errno.h>
#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

#include "blas_kernels.h"
#include "platform.h"
#include "session_impl.h"

static const char grammars[] = ""
#define GRAMMAR(id, ...) "|" #id
#include "rasp/syntax/grammars.def"
#undef GRAMMAR
    ;

const ThOptionSpec sh_settings[] = {
    {"seed", TH_INT, "1", 0, 1e15, NULL,
     "where random numbers start, for commands that are given no seed"},
    {"threads", TH_INT, "0", 0, 256, NULL,
     "threads that training and evaluation use; 0: one for each processor, up to 16"},
    {"format", TH_CHOICE, "text", 0, 0, "text|json|csv", "how tables and results are printed"},
    {"progress", TH_FLAG, "yes", 0, 0, NULL, "show progress where standard error is a terminal"},
    {"report", TH_INT, "0", 0, 1e12, NULL,
     "steps between the lines that train prints; 0: ten lines a training"},
    {"plot", TH_CHOICE, "auto", 0, 0, "auto|window|text|sixel|kitty",
     "where plots without a file go; auto: a window where there is a display; sixel, kitty: "
     "between the lines of a terminal that shows such pictures, and as characters in another"},
    {"pager", TH_STRING, "auto", 0, 0, NULL,
     "program for long listings on a terminal; auto: $PAGER or less -FRX; off: none"},
    {"color", TH_CHOICE, "auto", 0, 0, "auto|on|off",
     "colour in messages; auto: on a terminal, unless NO_COLOR is set"},
    {"timing", TH_FLAG, "no", 0, 0, NULL, "print the time of every command on standard error"},
    {"rasp-precedence", TH_CHOICE, "authors", 0, 0, grammars + 1,
     "how RASP's operators bind: as the authors' interpreter reads them, or conventionally"},
    {"precision", TH_CHOICE, "float", 0, 0, "float|double",
     "the arithmetic in which models answer in run, evaluate, generate and what looks at them, but "
     "for activations, patch and receptive field; training is in float.  In double an answer of a "
     "causal model is the same to the last digit "
     "whatever follows or is read beside it; in float the order of sums can depend on how much is "
     "computed at once, which moves it by what they round"},
    {"limit-states", TH_INT, "1000000", 1, 1e9, NULL,
     "states that the construction of an automaton may reach"},
    {"limit-memory", TH_INT, "0", 0, 1e9, NULL,
     "MiB of memory that may be used on top of what is in use now; 0: no limit, but models get no "
     "more than three quarters of the machine's"},
    {"limit-time", TH_REAL, "0", 0, 1e9, NULL, "seconds that a command may run; 0: no limit"},
    {NULL, 0, NULL, 0, 0, NULL, NULL}};

/* Libraries and OpenBLAS's buffers take address space without using memory: what is limited is
 * what comes on top of them. */
static bool limit_memory(const ShSession *s, ThError *err)
{
    long long mebibytes = sh_setting_int(s, "limit-memory");
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0)
        return th_fail(err, TH_EIO, "cannot read the memory limit: %s", strerror(errno));
    limit.rlim_cur = limit.rlim_max;
    bool ok = setrlimit(RLIMIT_AS, &limit) == 0;
    if (ok && mebibytes) {
        if (!sh_blas_reserve(sh_threads(s)))
            return th_fail(err, TH_ENOMEM, "out of memory for matrix products");
        rlim_t wanted = (rlim_t)sh_platform_memory() + ((rlim_t)mebibytes << 20);
        if (limit.rlim_max == RLIM_INFINITY || wanted < limit.rlim_max)
            limit.rlim_cur = wanted;
        ok = setrlimit(RLIMIT_AS, &limit) == 0;
    }
    return ok || th_fail(err, TH_EIO, "cannot set the memory limit: %s", strerror(errno));
}

/* The memory that there is, in bytes: of the machine, or of the container that this runs in. */
static double machine_memory(void)
{
    double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE), least;
    FILE *f = fopen("/sys/fs/cgroup/memory.max", "r");
    if (!f)
        return all;
    if (fscanf(f, "%lf", &least) == 1 && least < all)
        all = least;
    fclose(f);
    return all;
}

void sh_settings_bound(ShSession *s)
{
    long long mebibytes = sh_setting_int(s, "limit-memory");
    s->bounds.stop = sh_stop(s);
    s->bounds.runs = sh_setting_choice(s, "precision") == 1 ? TH_TAPE_DOUBLE : TH_TAPE_FLOAT;
    s->bounds.memory =
        mebibytes > 0 ? (size_t)mebibytes << 20 : (size_t)(0.75 * fmax(0, machine_memory()));
}

static bool unknown_setting(const char *name, ThError *err)
{
    enum { MOST = sizeof sh_settings / sizeof *sh_settings };
    const char *names[MOST];
    size_t n = 0;
    for (const ThOptionSpec *s = sh_settings; s->name; s++)
        names[n++] = s->name;
    const char *near = th_nearest(name, names, n);
    th_fail(err, TH_EUSAGE, "unknown setting '%s'", name);
    if (near)
        return th_hint(err, "did you mean %s?", near);
    return th_hint(err, "set without operands lists the settings");
}

bool sh_settings_set(ShSession *s, const char *name, const char *value, ThError *err)
{
    const ThOptionSpec *spec = sh_settings;
    while (spec->name && strcmp(spec->name, name) != 0)
        spec++;
    if (!spec->name)
        return unknown_setting(name, err);
    ThError misfit = {0};
    if (!th_options_set(&s->settings, name, value, &misfit)) {
        if (misfit.code == TH_EUSAGE)
            th_fail(err, TH_EUSAGE, "'%s' does not fit the setting %s", value, name);
        else
            th_fail(err, misfit.code, "%s", misfit.msg);
        return th_hint(err, "%s", misfit.hint);
    }
    if (strcmp(name, "format") == 0)
        s->out.format = (ShOutputFormat)sh_setting_choice(s, "format");
    sh_settings_bound(s);
    bool more_threads = strcmp(name, "threads") == 0 && sh_setting_int(s, "limit-memory") > 0;
    if (more_threads || strcmp(name, "limit-memory") == 0)
        return limit_memory(s, err);
    return true;
}

long long sh_setting_int(const ShSession *s, const char *name)
{
    return th_option_int(&s->settings, name);
}

double sh_setting_real(const ShSession *s, const char *name)
{
    return th_option_real(&s->settings, name);
}

const char *sh_setting_text(const ShSession *s, const char *name)
{
    return th_option_text(&s->settings, name);
}

int sh_setting_choice(const ShSession *s, const char *name)
{
    return th_option_choice(&s->settings, name);
}

bool sh_setting_flag(const ShSession *s, const char *name)
{
    return th_option_flag(&s->settings, name);
}
