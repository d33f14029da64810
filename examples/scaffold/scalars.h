/* Access to scalar variables by value reference, the same in FMI 1 and 2 but for the names of functions and types.
   READ is an expression of `field`, WRITE one of `field` and `value` that gives a Status. */
#ifndef SCALARS_H
#define SCALARS_H

#include "core.h"

#define GETTER(STATUS, FUNCTION, VALUE, TYPE, READ)                                            \
    STATUS FUNCTION(void *c, const unsigned int vr[], size_t n, VALUE values[]) {              \
        refresh(c);                                                                            \
        for (size_t i = 0; i < n; i++) {                                                       \
            if (!known(vr[i], TYPE)) return (STATUS)no_such_variable(c, vr[i]);                \
            void *field = at(c, vr[i]);                                                        \
            values[i] = READ;                                                                  \
        }                                                                                      \
        return (STATUS)STATUS_OK;                                                              \
    }

#define SETTER(STATUS, FUNCTION, VALUE, TYPE, WRITE)                                           \
    STATUS FUNCTION(void *c, const unsigned int vr[], size_t n, const VALUE values[]) {        \
        for (size_t i = 0; i < n; i++) {                                                       \
            if (!known(vr[i], TYPE)) return (STATUS)no_such_variable(c, vr[i]);                \
            if (!settable(c, vr[i])) return (STATUS)not_settable(c, vr[i]);                    \
            void *field = at(c, vr[i]);                                                        \
            VALUE value = values[i];                                                           \
            Status status = WRITE;                                                             \
            if (status != STATUS_OK) return (STATUS)status;                                    \
        }                                                                                      \
        ((Instance *)c)->stale = true;                                                         \
        return (STATUS)STATUS_OK;                                                              \
    }

#define ASSIGN(C_TYPE) (*(C_TYPE *)field = (C_TYPE)value, STATUS_OK)

#endif
