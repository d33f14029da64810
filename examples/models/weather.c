#include "interface.h"
#include "weather.h"

static void evaluate(Model *m) {
    m->T_ambient = ambient_temperature(m->time);
    m->radiation = solar_radiation(m->time);
}

const Behaviour behaviour = {.evaluate = evaluate};
