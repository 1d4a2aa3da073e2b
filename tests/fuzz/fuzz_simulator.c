/* fuzz_simulator.c - programs of turingmachinesimulator.com: see machine_target.h. */
#include "machine_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return check_machine(TH_FORMAT_SIMULATOR, data, size);
}
