/* fuzz_safetensors.c - model files from memory: what loads can be written and loaded again. */
#include <stdint.h>
#include <stdlib.h>

#include "formats/models/arrays.h"
#include "formats/models/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The header of an input needs no length of its own: where the eight bytes make none, the whole
 * input counts as header, so that a fuzzer need not guess them. */
static ThModel *parse(const uint8_t *data, size_t size, ThError *err)
{
    if (size == 0 || data[0] != '{')
        return th_safetensors_parse(data, size, err);
    uint8_t *file = malloc(size + 8);
    if (!file)
        return NULL;
    for (int i = 0; i < 8; i++)
        file[i] = (uint8_t)((uint64_t)size >> 8 * i & 0xff);
    for (size_t i = 0; i < size; i++)
        file[8 + i] = data[i];
    ThModel *m = th_safetensors_parse(file, size + 8, err);
    free(file);
    return m;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ThError err = {0};
    ThFormatArrays arrays = {0};
    if (!th_safetensors_arrays(data, size, &arrays, &err) && err.code == TH_OK)
        abort();
    th_format_arrays_free(&arrays);
    err = (ThError){0};
    if (!th_format_npz_parse(data, size, &arrays, &err) && err.code == TH_OK)
        abort();
    th_format_arrays_free(&arrays);
    err = (ThError){0};
    ThModel *m = parse(data, size, &err);
    if (!m && err.code == TH_OK)
        abort();
    if (m) {
        ThModel *copy = th_model_copy(m, &err);
        if (!copy && err.code != TH_ENOMEM)
            abort();
        th_model_free(copy);
    }
    th_model_free(m);
    return 0;
}
