#include "interface.h"

static double wanted_power(const Model *m) {
    return m->gain * (m->T_set + m->compensation * (m->T_reference - m->T_ambient) - m->T);
}

static void evaluate(Model *m) {
    double wanted = wanted_power(m);
    m->P = wanted < 0 ? 0 : wanted > m->P_max ? m->P_max : wanted;
}

static void tangent(const Model *m, Model *d) {
    double wanted = wanted_power(m);
    d->P = wanted < 0 || wanted > m->P_max ? 0 : m->gain * (-m->compensation * d->T_ambient - d->T);
}

const Behaviour behaviour = {.evaluate = evaluate, .tangent = tangent};
