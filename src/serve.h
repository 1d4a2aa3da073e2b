/* serve.h - a session for another program: requests and answers as lines of JSON. */
#pragma once

#include "session.h"

/* Reads requests from standard input until it ends, or a command leaves.
 *
 *     {"run": "TEXT"}          runs commands, up to the first that fails
 *     {"complete": "TEXT"}     what may stand at the end of the text: "matches", and in "start" the
 *                              byte that they begin at
 *     {"incomplete": "TEXT"}   do the commands go on behind the text?
 *
 * Commands print as they do with --format=json; a line that is no JSON is text for people.  Then
 * comes {"done": N, "status": "ok"}, where N counts requests from 1, or "error", "interrupted". */
void sh_serve(ShSession *s);
