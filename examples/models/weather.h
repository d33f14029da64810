/* The weather of a day as functions of time, for the models that bring their own. */
#ifndef WEATHER_H
#define WEATHER_H

#include <math.h>

static inline double ambient_temperature(double t) { /* K, coldest at midnight */
    return 275.15 - 5 * cos(2 * 3.14159265358979323846 * t / 86400);
}

static inline double solar_radiation(double t) { /* W/m2, from six to eighteen */
    double height = -cos(2 * 3.14159265358979323846 * t / 86400);
    return height > 0 ? 600 * height : 0;
}

#endif
