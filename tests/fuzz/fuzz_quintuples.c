/* fuzz_quintuples.c - plain quintuples: see machine_target.h. */
#include "machine_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_machine(&th_format_quintuples, data, size);
}
