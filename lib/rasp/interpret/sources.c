/* sources.c - the programs of RASP that are built in, as they lie in library.rasp and raspl.rasp,
 * so that they stay plain RASP. */

#include "base/embed.h"
#include "rasp/interpret/rasp.h"

TH_EMBED(th_rasp_library, "lib/rasp/interpret/library.rasp");
TH_EMBED(th_rasp_raspl, "lib/rasp/interpret/raspl.rasp");

const char *th_rasp_builtin_source(const char *name, size_t *size)
{
    const char *source = strcmp(name, "raspl") == 0     ? th_rasp_raspl
                         : strcmp(name, "library") == 0 ? th_rasp_library
                                                        : NULL;
    if (source)
        *size = strlen(source);
    return source;
}
