/* fuzz_bbchallenge.c - bbchallenge strings: see machine_target.h. */
#include "machine_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_machine(&th_format_bbchallenge, data, size);
}
