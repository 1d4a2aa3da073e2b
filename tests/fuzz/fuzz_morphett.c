/* fuzz_morphett.c - programs of jsturing: see machine_target.h. */
#include "machine_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_machine(&th_format_morphett, data, size);
}
