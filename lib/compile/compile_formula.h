/* compile_formula.h - star-free languages and languages of counting as the weights of a
 * Transformer.
 *
 * Every part of a formula of the past (logic/formula.h) that is not a sum of others has a
 * coordinate of the residual stream, which is 0 or 1 at each position.  `since` and `previous` are
 * a head that looks at the latest earlier position where something is decided (Yang, Chiang and
 * Angluin 2024), `and` a unit; of counts a head takes the mean, and another, which sees by the sign
 * of the mean either the beginning or all else, makes it true or false (Yang and Chiang 2024).
 * Soft attention is steep: a position counts e^4 times as much as the one before it, a key more
 * than all positions, and two units make 0 or 1 of what lies within 1/4 of that.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "models/model.h"
#include "tasks/task.h"

typedef struct {
    int layers, heads, units, stream; /* heads and units that have work, of all layers */
    int lines;                        /* parts that have a coordinate of their own */
    bool counts;
} ThCompileFormulaSize;

enum { TH_COMPILE_SOFT = 4096 }; /* symbols of the longest string that soft attention is for */

/* Returns new: a model (bare, attention=rightmost or attention=average) that answers every string
 * as the task does, whose machine has two classes: by a formula of the past where its language is
 * star-free, or, with `counting`, by counts, where these tell its states apart; or, with `soft`,
 * attention=soft position=learned, which answers strings of up to so many symbols.  Whether it is
 * right can be proved (proof/check/hard.h).  TH_EVALUE, with the reason, for other languages;
 * TH_ELIMIT beyond `limit` sets, or where the model would be too large; TH_ENOMEM. */
typedef struct {
    bool counting;
    int soft; /* > 0, not with counting: attention is soft, and steep enough for so many symbols,
                 all that the model reads, TH_COMPILE_SOFT at most */
    size_t limit;
    ThStop *stop;
    const ThTapeBounds *bounds;
} ThCompileFormulaHow;
ThModel *th_compile_formula(const ThTask *t, const ThCompileFormulaHow *how,
                            ThCompileFormulaSize *size, ThError *err);

/* Returns new: one that answers as a formula that counts (th_language_counting_formula), of which
 * the task asks with two classes; the language need not be regular.  TH_EVALUE where no counts tell
 * it. */
ThModel *th_compile_counting(const char *formula, const ThTask *t, const ThTapeBounds *bounds,
                             ThCompileFormulaSize *size, ThError *err);
