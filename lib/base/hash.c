#include "base/hash.h"

#include <string.h>

uint64_t th_hash_bytes(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t h = th_hash_mix(n + 0x9e3779b97f4a7c15u);
    for (; n >= 8; n -= 8, p += 8) {
        uint64_t w;
        memcpy(&w, p, 8);
        h = th_hash_mix(h ^ w) + 0x9e3779b97f4a7c15u;
    }
    uint64_t w = 0;
    memcpy(&w, p, n);
    return th_hash_mix(h ^ w);
}

uint64_t th_hash_text(const char *text)
{
    return th_hash_bytes(text, strlen(text));
}
