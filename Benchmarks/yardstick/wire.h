// Integers as frames have them: least significant byte first.
#pragma once

#include <stdint.h>

static inline uint32_t load32(const uint8_t *at) { return at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24; }
static inline uint8_t *store32(uint8_t *at, uint32_t value) {
    for (int i = 0; i < 4; i++) at[i] = value >> 8 * i;
    return at + 4;
}
