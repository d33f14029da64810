#include "interface.h"
#include "lag.h"

const Behaviour behaviour = {.evaluate = lag_evaluate, .step = lag_step, .tangent = lag_tangent};
