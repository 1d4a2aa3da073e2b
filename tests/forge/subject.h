/* subject.h - what the forger starts from: models, what is asked of them, and their certificates,
 * made anew each time, in a second or two. */
#ifndef TESTS_FORGE_SUBJECT_H
#define TESTS_FORGE_SUBJECT_H

#include <jansson.h>

#include "proof/check/check.h"
#include "tasks/task.h"

/* A formula of counts, and its language. */
typedef struct {
    bool nested; /* #(b & #a > more) >= most, else #a - #b `sign` most and always #b <= #a + more */
    int more, most;
    const char *sign; /* = <= >= */
} SubjectFormula;

/* How it is proved; OPEN: not as it is, but perhaps when it is changed.  A MACHINE has no model.
 * From SOFT on it takes milliseconds. */
typedef enum {
    SETS,
    SNAPPED,
    BUILT,
    WINDOWED,
    COUNTED,
    WHOLE,
    HARD,
    STEPPED,
    OPEN,
    SOFT,
    PROGRAM,
    MACHINE
} SubjectKind;

typedef struct {
    const char *name;
    SubjectKind kind;
    ThTask *task;
    ThDfa *domain; /* strings that are meant; NULL: all */
    ThModel *model;
    ThProofClaim *claim;
    SubjectFormula formula; /* of PROGRAM */
    json_t *file;           /* of SETS: the certificate, else NULL */
} Subject;

enum { SUBJECTS = 29 };

/* Ends the program where one cannot be made, or is not proved. */
void subjects_make(Subject subject[SUBJECTS], const char *path);
void subjects_free(Subject subject[SUBJECTS]);

/* Returns new: the certificate that certify makes of a claim, or NULL: it is not proved. */
ThProofCertificate *subject_certify(const ThModel *m, const ThProofClaim *claim);

/* Returns new: the text; the machine, of words of up to OWN_LONGEST symbols. */
char *subject_formula(const SubjectFormula *f);
ThDfa *subject_counter(const SubjectFormula *f);

/* Returns new: accepts these. */
ThDfa *subject_even_lengths(int symbols);

/* Returns new: the same model with as many hidden units more, which do nothing. */
ThModel *subject_widened(const ThModel *m);

#endif
