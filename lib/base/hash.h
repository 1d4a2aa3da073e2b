/* hash.h - 64-bit hashing for our own open-addressing tables; never part of a result's order.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_BASE_HASH_H
#define TH_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* A bijection of 64-bit words whose output bits all depend on all input bits. */
static inline uint64_t th_hash_mix(uint64_t x)
{
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    x = (x ^ (x >> 32)) * 0xd6e8feb86659fd93u;
    return x ^ (x >> 32);
}

uint64_t th_hash_bytes(const void *bytes, size_t n);
uint64_t th_hash_text(const char *text);

#endif
