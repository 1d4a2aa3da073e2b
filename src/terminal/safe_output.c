/* safe_output.c - the stream through which text for people goes on its way to the output: names
 * that come from files may hold what a terminal would obey. */

#include <errno.h>
#include <unistd.h>

#include "platform.h"
#include "session_impl.h"

/* Bytes at the end that begin a character without ending it. */
static size_t unfinished(const char *bytes, size_t n)
{
    for (size_t back = 1; back <= 3 && back <= n; back++) {
        unsigned char c = (unsigned char)bytes[n - back];
        size_t whole = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 0;
        if (whole > 0)
            return whole > back ? back : 0;
        if (c < 0x80)
            return 0;
    }
    return 0;
}

static ssize_t write_shown(void *cookie, const char *bytes, size_t n)
{
    ShOutput *o = cookie;
    ThText whole TH_OWNED(th_text_free) = {0}, shown TH_OWNED(th_text_free) = {0};
    th_text_add_bytes(&whole, o->begun, o->n_begun);
    th_text_add_bytes(&whole, bytes, n);
    if (!whole.failed) {
        o->n_begun = unfinished(whole.data, whole.size);
        whole.size -= o->n_begun;
        memcpy(o->begun, whole.data + whole.size, o->n_begun);
        th_text_shown(&shown, whole.data, whole.size);
    }
    o->failed = o->failed || whole.failed || shown.failed;
    if (shown.size > 0 && !shown.failed)
        fwrite(shown.data, 1, shown.size, o->stream);
    if (shown.size > 0 && !shown.failed && o->stream == stdout)
        sh_log_text(o, shown.data, shown.size);
    if (fflush(o->stream) != 0 && !o->cause)
        o->cause = errno;
    return (ssize_t)n; /* what fails is the stream's error */
}

FILE *sh_data_stream(ShOutput *o)
{
    return o->log || isatty(fileno(o->stream)) ? sh_shown_stream(o) : o->stream;
}

FILE *sh_shown_stream(ShOutput *o)
{
    if (!o->shown) {
        o->shown = sh_platform_stream(o, write_shown);
        if (o->shown)
            setvbuf(o->shown, NULL, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, BUFSIZ);
    }
    o->failed = o->failed || !o->shown;
    return o->shown ? o->shown : o->stream;
}
