#include "interface.h"

#include <math.h>

static void evaluate(Model *m) {
    m->der_T_room = (1000 * m->P - m->G * (m->T_room - m->T_outside)) / m->C;
    m->T = m->T_room;
}

/* Exact for held power. */
static Status step(Model *m, double t, double h) {
    double target = m->T_outside + 1000 * m->P / m->G;
    m->T_room = target + (m->T_room - target) * exp(-h * m->G / m->C);
    return STATUS_OK;
}

const Behaviour behaviour = {.evaluate = evaluate, .step = step};
