/* tapehead.h - everything that libtapehead offers, room by room, the lowest first.
 *
 *     cc program.c $(pkg-config --cflags --libs tapehead)
 *
 * A name says its room: th_dfa_minimize works on a ThDfa and is declared in automata/core/dfa.h.
 * Functions return false or NULL on failure and say why in a ThError that the caller owns (it may
 * be NULL).  "Returns new" is the caller's to free; arguments are borrowed unless a name ends in
 * _take.  Nothing here prints, exits, reads clock or environment, or keeps state of its own.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#ifndef TH_TAPEHEAD_H
#define TH_TAPEHEAD_H

#ifdef __cplusplus
extern "C" {
#endif

#include "base/batch.h"
#include "base/error.h"
#include "base/file.h"
#include "base/intern.h"
#include "base/memory.h"
#include "base/option.h"
#include "base/rng.h"
#include "base/scan.h"
#include "base/stop.h"
#include "base/symbols.h"
#include "base/text.h"
#include "base/version.h"
#include "tensor/elementwise.h"
#include "tensor/optimizer.h"
#include "tensor/params.h"
#include "tensor/tape.h"
#include "automata/core/automaton.h"
#include "automata/core/build.h"
#include "automata/core/construction_steps.h"
#include "automata/core/dfa.h"
#include "automata/core/nfa.h"
#include "automata/core/run.h"
#include "automata/core/state_classes.h"
#include "automata/operations/compare.h"
#include "automata/operations/operations.h"
#include "automata/operations/relate.h"
#include "automata/operations/transducer.h"
#include "automata/regex/regex.h"
#include "automata/words/ambiguity.h"
#include "automata/words/ambiguity_growth.h"
#include "automata/words/growth.h"
#include "automata/words/lexicon.h"
#include "automata/words/log_count.h"
#include "automata/words/words.h"
#include "automata/algebra/eggbox.h"
#include "automata/algebra/green.h"
#include "automata/algebra/group.h"
#include "automata/algebra/holonomy.h"
#include "automata/algebra/monoid.h"
#include "automata/algebra/varieties.h"
#include "automata/infer/labelled.h"
#include "automata/infer/lstar.h"
#include "automata/infer/pac.h"
#include "automata/infer/rpni.h"
#include "automata/expression/builtins.h"
#include "automata/expression/expression.h"
#include "automata/expression/functions.h"
#include "turing/analyze.h"
#include "turing/cases.h"
#include "turing/configuration.h"
#include "turing/engine.h"
#include "turing/enumerate.h"
#include "turing/fast.h"
#include "turing/grams.h"
#include "turing/input.h"
#include "turing/machine.h"
#include "turing/nexttoken.h"
#include "turing/program.h"
#include "turing/run.h"
#include "turing/search.h"
#include "turing/stepper.h"
#include "turing/tape.h"
#include "turing/transform.h"
#include "turing/verdict.h"
#include "rasp/values/value.h"
#include "rasp/syntax/syntax.h"
#include "rasp/graph/cost.h"
#include "rasp/graph/describe.h"
#include "rasp/graph/graph.h"
#include "rasp/evaluate/differ.h"
#include "rasp/evaluate/run.h"
#include "rasp/interpret/rasp.h"
#include "scratchpad/check.h"
#include "scratchpad/scratchpad.h"
#include "scratchpad/sgd.h"
#include "models/builder.h"
#include "models/model.h"
#include "tasks/task.h"
#include "lab/evaluate.h"
#include "lab/score.h"
#include "lab/train.h"
#include "inspect/clusters.h"
#include "inspect/field.h"
#include "inspect/functions.h"
#include "inspect/path.h"
#include "plot/algebra.h"
#include "plot/figure.h"
#include "plot/flow.h"
#include "plot/machine.h"
#include "plot/spacetime.h"
#include "plot/views.h"
#include "formats/dataset.h"
#include "formats/exchange.h"
#include "formats/machines.h"
#include "formats/metadata.h"
#include "formats/npy.h"
#include "formats/safetensors.h"

#ifdef __cplusplus
}
#endif

#endif
