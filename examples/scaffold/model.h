/* What a model's C file sees besides its variables (the generated interface.h): the functions it may give and use. */
#ifndef MODEL_H
#define MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Text and bytes have a fixed capacity, so that a Model holds no pointers and is copied byte by byte. */
#define STRING_CAPACITY 256
#define BINARY_CAPACITY 256
typedef struct { size_t size; uint8_t bytes[BINARY_CAPACITY]; } Binary;

/* The generated interface.h defines it; it begins with the two members of Head. */
typedef struct Model Model;

typedef struct {
    double time;
    double stop_time; /* infinite if the importer gave none */
} Head;

/* The same numbers in FMI 1, 2 and 3, so a face hands them on with a cast. */
typedef enum { STATUS_OK, STATUS_WARNING, STATUS_DISCARD, STATUS_ERROR, STATUS_FATAL } Status;

/* Everything is optional. A model without `step` that has states is integrated by RK4 over `evaluate`;
   without states only its time moves on. */
typedef struct {
    /* Outputs and derivatives from time, inputs, parameters and states. Called lazily before values are read. */
    void (*evaluate)(Model *m);

    /* From t to t + h with held inputs. m->time is the model's own clock, moved to t + h by the core afterwards. */
    Status (*step)(Model *m, double t, double h);

    /* The tangent of `evaluate` at m: d holds the seeds of inputs and states, and receives those of outputs and
       derivatives. Exact directional derivatives come from this one function. */
    void (*tangent)(const Model *m, Model *d);

    /* Model exchange: called when an indicator changed its sign; says whether it changed the states. */
    bool (*event)(Model *m);

    Status (*initialize)(Model *m); /* at the end of initialisation */
    Status (*terminate)(Model *m);
    void (*saved)(Model *m);        /* after the state was copied out */
    void (*restored)(Model *m);     /* after an earlier state was put back */
} Behaviour;

extern const Behaviour behaviour; /* each model's C file defines it */

/* Hands a message, formatted like printf, to the importer's logger. Avoid '%' in the text it expands to. */
void log_message(Model *m, Status status, const char *format, ...);

/* Integrates the states over h by RK4 in equal substeps; a `step` of a model may use it. */
void integrate(Model *m, double h, int substeps);

#endif
