#include "interface.h"

#include <string.h>

#define PASS(NAME) memcpy(&m->NAME##_out, &m->NAME##_in, sizeof m->NAME##_in)

static void evaluate(Model *m) {
    PASS(real);
    PASS(integer);
    PASS(boolean);
    PASS(string);
    PASS(enumeration);
    PASS(float32);
    PASS(int8);
    PASS(uint8);
    PASS(int16);
    PASS(uint16);
    PASS(uint32);
    PASS(int64);
    PASS(uint64);
    PASS(binary);
    PASS(vector);
    PASS(matrix);
    PASS(integers);
    PASS(sized);
    m->real_tunable_out = m->real_tunable;
}

const Behaviour behaviour = {.evaluate = evaluate};
