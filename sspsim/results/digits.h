/* Doubles as text with 14 significant digits: what printf does for "%.14g", several times faster.

   The number is scaled to 14 digits before the point in extended precision: one rounding error, at most 1e14 * 2^-64,
   which is less than 1e-5. So the digits are right unless what follows them is that close to one half; then, and for
   everything else that is unusual, printf itself decides. */
#ifndef SSPSIM_DIGITS_H
#define SSPSIM_DIGITS_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define DIGITS 14
#define MAX_TEXT 24 /* "-1.2345678901234e-308" and its end */

static const long double POWERS[28] = {1e0L,  1e1L,  1e2L,  1e3L,  1e4L,  1e5L,  1e6L,  1e7L,  1e8L,  1e9L,
                                       1e10L, 1e11L, 1e12L, 1e13L, 1e14L, 1e15L, 1e16L, 1e17L, 1e18L, 1e19L,
                                       1e20L, 1e21L, 1e22L, 1e23L, 1e24L, 1e25L, 1e26L, 1e27L};

/* The digits of n, without leading zeros; n > 0. */
static int write_digits(char *out, uint64_t n) {
    char reversed[20];
    int count = 0, k;
    while (n) {
        reversed[count++] = (char)('0' + n % 10);
        n /= 10;
    }
    for (k = 0; k < count; k++) out[k] = reversed[count - 1 - k];
    return count;
}

/* The decimal exponent of v, or one less: log10(2) * binary exponent, rounded down. */
static int about_log10(double v) {
    int binary;
    frexp(v, &binary);
    return (int)floor((binary - 1) * 0.30102999566398120);
}

/* Finds `digits` in [1e13, 1e14) and `exponent` with v = digits * 10^(exponent-13), rounded; 0 if printf must do it. */
static int to_decimal(double v, uint64_t *digits, int *exponent) {
    int e = about_log10(v), scale;
    long double scaled, rest;
    for (;; e++) {
        scale = DIGITS - 1 - e;
        if (scale > 27 || scale < -27) return 0;
        scaled = scale >= 0 ? v * POWERS[scale] : v / POWERS[-scale];
        if (scaled < 1e14L) break;
    }
    *digits = (uint64_t)scaled;
    rest = scaled - (long double)*digits;
    if (fabsl(rest - 0.5L) < 1e-4L) return 0;
    *digits += rest > 0.5L;
    *exponent = e;
    if (*digits == 100000000000000ULL) {
        *digits = 10000000000000ULL;
        ++*exponent;
    }
    return *digits >= 10000000000000ULL;
}

/* Writes v like "%.14g" and gives the number of characters. */
static int write_double(char *out, double v) {
    char text[DIGITS];
    uint64_t digits;
    int exponent, count, at = 0;
    double size = fabs(v);
    if (v == 0.0 && !signbit(v)) {
        out[0] = '0';
        return 1;
    }
    if (LDBL_MANT_DIG < 64 || !(size > 0.0 && size < HUGE_VAL)) return snprintf(out, MAX_TEXT, "%.14g", v);
    if (v < 0) out[at++] = '-';
    if (size < 1e14 && size == (double)(uint64_t)size) return at + write_digits(out + at, (uint64_t)size);
    if (!to_decimal(size, &digits, &exponent) || exponent < -4 || exponent >= DIGITS)
        return snprintf(out, MAX_TEXT, "%.14g", v);
    write_digits(text, digits);
    for (count = DIGITS; text[count - 1] == '0'; count--) {
    }
    if (exponent < 0) {
        memcpy(out + at, "0.0000", (size_t)(1 - exponent));
        at += 1 - exponent;
        memcpy(out + at, text, (size_t)count);
        return at + count;
    }
    memcpy(out + at, text, (size_t)(exponent + 1));
    at += exponent + 1;
    if (count > exponent + 1) {
        out[at++] = '.';
        memcpy(out + at, text + exponent + 1, (size_t)(count - exponent - 1));
        at += count - exponent - 1;
    }
    return at;
}

static int write_integer(char *out, int64_t n) {
    if (n == 0) {
        out[0] = '0';
        return 1;
    }
    if (n > 0) return write_digits(out, (uint64_t)n);
    out[0] = '-';
    return 1 + write_digits(out + 1, 0 - (uint64_t)n);
}

#endif
