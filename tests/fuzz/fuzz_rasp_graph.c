/* fuzz_rasp_graph.c - RASP's evaluator against its definition; the bytes choose what is made. */
#include <stdlib.h>

#include "../unit/rasp_random.h"
#include "check.h"

enum { LONGEST = 24, NODES = 40 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Fight f = {.data = data, .size = size};
    if (!size)
        return 0;
    size_t n = 1 + (size_t)die(&f, LONGEST);
    int nodes = 0;
    /* A node takes three bytes or more: no further ones are made when there are none left. */
    while (nodes < NODES && (size_t)nodes * 3 < size)
        nodes++;
    require(fight(&f, n, nodes));
    fight_free(&f);
    return 0;
}
