/* place_vectors.h - vectors for the places that symbols stand for (option places=).
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "models/position/position.h"

enum { TH_POSITION_UNPLACED, TH_POSITION_COUPLED, TH_POSITION_ABACUS }; /* places= */

/* TH_EUSAGE where options say nothing to places=. */
bool th_position_places_check(const ThPosition *p, ThError *err);

/* Adds the tables, or none.  TH_EVALUE, as the builder remembers it, where the task has no such
 * places. */
void th_position_places_bind(ThPosition *p, ThModelBuilder *b);
