/* Doubles as text with up to 14 significant digits: what printf does for "%.14g", many times faster.

   A double is m * 2^x with m < 2^53, so m * 5^s is a whole number that 128 bits hold as long as s <= 27. The digits are
   this number shifted, and what is shifted out tells exactly how to round. printf itself does the rare rest: very
   large and very small numbers, and what is not finite. */
#ifndef SSPSIM_DIGITS_H
#define SSPSIM_DIGITS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define MOST_DIGITS 14
#define MAX_TEXT 24 /* "-1.2345678901234e-308" and its end */
#define SCRATCH 32  /* that many characters may be overwritten, whatever the length of the text */

static const char PAIRS[] =
    "0001020304050607080910111213141516171819202122232425262728293031323334353637383940414243444546474849"
    "5051525354555657585960616263646566676869707172737475767778798081828384858687888990919293949596979899";

/* The digits of n in exactly `count` places. */
static void put_digits(char *out, uint64_t n, int count) {
    for (; count > 1; count -= 2) {
        memcpy(out + count - 2, PAIRS + 2 * (n % 100), 2);
        n /= 100;
    }
    if (count) out[0] = (char)('0' + n);
}

#ifdef __SIZEOF_INT128__

static const uint64_t POWERS_OF_5[28] = {
    1ULL, 5ULL, 25ULL, 125ULL, 625ULL, 3125ULL, 15625ULL, 78125ULL, 390625ULL, 1953125ULL, 9765625ULL, 48828125ULL,
    244140625ULL, 1220703125ULL, 6103515625ULL, 30517578125ULL, 152587890625ULL, 762939453125ULL, 3814697265625ULL,
    19073486328125ULL, 95367431640625ULL, 476837158203125ULL, 2384185791015625ULL, 11920928955078125ULL,
    59604644775390625ULL, 298023223876953125ULL, 1490116119384765625ULL, 7450580596923828125ULL};
static const uint64_t LIMITS[MOST_DIGITS + 1] = {
    1ULL, 10ULL, 100ULL, 1000ULL, 10000ULL, 100000ULL, 1000000ULL, 10000000ULL, 100000000ULL, 1000000000ULL,
    10000000000ULL, 100000000000ULL, 1000000000000ULL, 10000000000000ULL, 100000000000000ULL};

/* Finds `precision` digits and `exponent` with v = digits * 10^(exponent+1-precision), rounded; 0 if printf must do it. */
static int to_decimal(double v, int precision, uint64_t *digits, int *exponent) {
    const unsigned __int128 one = 1;
    unsigned __int128 product, rest, half;
    uint64_t bits, m;
    int x, e, scale, shift;
    memcpy(&bits, &v, sizeof bits);
    x = (int)(bits >> 52 & 0x7ff);
    if (x == 0 || x == 0x7ff) return 0;
    m = (bits & 0xfffffffffffffULL) | 0x10000000000000ULL;
    x -= 1075;
    e = (int)(((int64_t)(x + 52) * 78913) >> 18); /* log10(2) * binary exponent, rounded down: right or one less */
    for (;; e++) {
        scale = precision - 1 - e;
        shift = -(x + scale);
        if (scale < 0 || scale > 27 || shift < 1) return 0;
        product = (unsigned __int128)m * POWERS_OF_5[scale];
        *digits = (uint64_t)(product >> shift);
        if (*digits < LIMITS[precision]) break;
    }
    rest = product & ((one << shift) - 1);
    half = one << (shift - 1);
    *digits += rest > half || (rest == half && (*digits & 1)); /* ties to even, as printf */
    *exponent = e;
    if (*digits == LIMITS[precision]) {
        *digits = LIMITS[precision - 1];
        ++*exponent;
    }
    return 1;
}

#else

static int to_decimal(double v, int precision, uint64_t *digits, int *exponent) { return 0; }

#endif

/* Writes v like "%.<precision>g" and gives the number of characters. */
static int write_double(char *out, double v, int precision) {
    char text[SCRATCH];
    uint64_t digits;
    int exponent, count = precision, at = 0;
    if (v != 0.0 && !to_decimal(fabs(v), precision, &digits, &exponent))
        return snprintf(out, MAX_TEXT, "%.*g", precision, v);
    if (signbit(v)) out[at++] = '-';
    if (v == 0.0) {
        out[at] = '0';
        return at + 1;
    }
    put_digits(text, digits, precision);
    while (text[count - 1] == '0') count--;
    if (exponent < -4 || exponent >= precision) {
        out[at++] = text[0];
        if (count > 1) out[at++] = '.';
        memcpy(out + at, text + 1, MOST_DIGITS - 1);
        at += count - 1;
        out[at++] = 'e';
        out[at++] = exponent < 0 ? '-' : '+';
        put_digits(out + at, (uint64_t)(exponent < 0 ? -exponent : exponent), 2);
        return at + 2;
    }
    if (exponent < 0) {
        memcpy(out + at, "0.000", 5);
        at += 1 - exponent;
        memcpy(out + at, text, MOST_DIGITS);
        return at + count;
    }
    memcpy(out + at, text, MOST_DIGITS);
    at += exponent + 1;
    if (count <= exponent + 1) return at;
    out[at++] = '.';
    memcpy(out + at, text + exponent + 1, MOST_DIGITS);
    return at + count - exponent - 1;
}

static int write_integer(char *out, int64_t n) {
    uint64_t size = n < 0 ? 0 - (uint64_t)n : (uint64_t)n, rest;
    int count = 1, negative = n < 0;
    for (rest = size; rest > 9; rest /= 10) count++;
    if (negative) out[0] = '-';
    put_digits(out + negative, size, count);
    return negative + count;
}

/* The same as write_double, with blanks before it up to a width. */
static int write_column(char *out, double v, int precision, int width) {
    char text[SCRATCH];
    int count = write_double(text, v, precision), blanks = count < width ? width - count : 0;
    memset(out, ' ', (size_t)blanks);
    memcpy(out + blanks, text, (size_t)count);
    return blanks + count;
}

#endif
