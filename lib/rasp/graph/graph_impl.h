/* graph_impl.h - what the builder, the evaluator and the counting of costs share.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "rasp/graph/rasp_graph.h"

/* A list (key is NULL) or a dictionary of constants.  View into the graph until the next one. */
typedef struct {
    const ThRaspAtom *key, *value;
    size_t n;
} ThRaspTable;
ThRaspTable th_rasp_table(const ThRaspGraph *g, uint32_t table);

const ThRaspFunctionOf *th_rasp_function(const ThRaspGraph *g, uint32_t function);
