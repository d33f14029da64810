/* Stands in for libgfortran.so.3, which current systems no longer have.

   FMUs with LAPACK inside ask for it, but only to compare and join option letters, to raise an integer to a power and
   to print messages about wrong arguments. Printing is left out: nobody reads it, and the caller's status tells. */
#include <string.h>

/* Shorter strings count as filled with blanks. */
int _gfortran_compare_string(int n, const char *a, int m, const char *b) {
    int shorter = n < m ? n : m, longer = n < m ? m : n, i;
    const char *rest = n < m ? b : a;
    int order = memcmp(a, b, (size_t)shorter);
    if (order) return order < 0 ? -1 : 1;
    for (i = shorter; i < longer; i++)
        if (rest[i] != ' ') return ((rest[i] > ' ') == (n > m)) ? 1 : -1;
    return 0;
}

/* Cuts or fills with blanks to the length of the target. */
void _gfortran_concat_string(int n, char *target, int n1, const char *a, int n2, const char *b) {
    int first = n1 < n ? n1 : n, second = n2 < n - first ? n2 : n - first;
    memcpy(target, a, (size_t)first);
    memcpy(target + first, b, (size_t)second);
    memset(target + first + second, ' ', (size_t)(n - first - second));
}

int _gfortran_pow_i4_i4(int base, int exponent) {
    unsigned factor = (unsigned)base, result = 1;
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
    for (; exponent; exponent >>= 1, factor *= factor)
        if (exponent & 1) result *= factor;
    return (int)result;
}

void _gfortran_st_write(void *parameters) { (void)parameters; }
void _gfortran_st_write_done(void *parameters) { (void)parameters; }
void _gfortran_transfer_integer_write(void *parameters, void *value, int kind) { (void)parameters, (void)value, (void)kind; }
void _gfortran_transfer_character_write(void *parameters, void *value, int length) { (void)parameters, (void)value, (void)length; }
