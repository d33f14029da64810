#include "interface.h"
#include "weather.h"

static void evaluate(Model *m) {
    m->T_ambient = ambient_temperature(m->time);
    m->radiation = solar_radiation(m->time);
    m->der_T = (m->Q + m->window * m->radiation - m->G * (m->T - m->T_ambient)) / m->C;
    m->T_room = m->T;
}

const Behaviour behaviour = {.evaluate = evaluate};
