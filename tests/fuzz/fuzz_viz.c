/* fuzz_viz.c - machines of turingmachine.io: see machine_target.h. */
#include "machine_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_machine(&th_format_viz, data, size);
}
