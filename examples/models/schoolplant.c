#include "interface.h"
#include "weather.h"

enum { ROOMS = 40, VALVES = 30, PUMPS = 16 };

static double ambient(double t) { /* days within a year */
    return ambient_temperature(t) + 8 * sin(2 * 3.14159265358979323846 * (t / 31536000 - 0.25));
}

static double heating_power(const Model *m) { /* all valves and pumps take part, not all of them alike */
    double opening = 0;
    int running = 0;
    for (int k = 0; k < VALVES; k++) opening += (1 + 0.01 * k) * m->valve[k] / VALVES;
    for (int k = 0; k < PUMPS; k++) running += m->pump[k];
    return m->P_max * opening * (1 + running) / (1 + PUMPS);
}

static void evaluate(Model *m) {
    double power = heating_power(m), mean = 0;
    for (int i = 0; i < ROOMS; i++) mean += m->T[i] / ROOMS;
    m->T_ambient = ambient(m->time);
    for (int i = 0; i < ROOMS; i++) {
        m->Q[i] = (1 - 0.01 * i) * power;
        m->T_room[i] = 0.9 * m->T[i] + 0.1 * mean;
        m->der_T[i] = (m->Q[i] - m->G * (m->T[i] - m->T_ambient) - 20 * (m->T[i] - mean)) / m->C;
    }
}

const Behaviour behaviour = {.evaluate = evaluate};
