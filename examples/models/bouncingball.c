#include "interface.h"

#include <math.h>

static void evaluate(Model *m) {
    m->der_height = m->speed;
    m->der_speed = m->rests ? 0 : -m->g;
    m->h = m->height;
    m->v = m->speed;
    m->ground = m->rests ? 1 : m->height; /* no more events at rest */
}

static void bounce(Model *m) {
    m->height = 0;
    m->speed *= -m->e;
    m->rests = m->speed < m->v_min;
    if (m->rests) m->speed = 0;
}

static bool event(Model *m) {
    if (m->rests || m->height > 0 || m->speed >= 0) return false;
    bounce(m);
    return true;
}

static void fly(Model *m, double h) {
    m->height += m->speed * h - m->g * h * h / 2;
    m->speed -= m->g * h;
}

/* Exact: flies from impact to impact. */
static Status step(Model *m, double t, double h) {
    while (!m->rests) {
        double flight = (m->speed + sqrt(m->speed * m->speed + 2 * m->g * m->height)) / m->g;
        if (flight > h) {
            fly(m, h);
            break;
        }
        fly(m, flight);
        bounce(m);
        h -= flight;
    }
    return STATUS_OK;
}

const Behaviour behaviour = {.evaluate = evaluate, .step = step, .event = event};
