/* value.h - the values of RASP: atoms, the pool of their strings and tuples, and sequences.
 *
 * An atom is an int, a float, a bool, a string or (in the causal dialect) a tuple of atoms, with
 * the meaning that Python gives to them: 1 == 1.0 == True, / is always a float, % has the sign of
 * the divisor, ^ is power, round rounds half to even (Weiss, Goldberg and Yahav 2021, whose
 * interpreter is written in Python).  Two things differ: ints have 64 bits, and no float is
 * infinite or no number.  A result that would be either is an error (TH_ENUMERIC), never a wrong
 * value.
 *
 * Strings and tuples are interned in a pool, so that equal ones have equal numbers and an atom is
 * sixteen bytes that need not be freed.
 */
#ifndef TH_RASP_VALUE_H
#define TH_RASP_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/intern.h"
#include "base/text.h"

/* What a whole sequence is.  TH_ATOM_MIXED is for sequences only: ints and floats together, each
 * keeping its own kind.  TH_ATOM_FLOAT and TH_ATOM_MIXED are both called "floats" when shown. */
typedef enum {
    TH_ATOM_INT,
    TH_ATOM_FLOAT,
    TH_ATOM_BOOL,
    TH_ATOM_STRING,
    TH_ATOM_TUPLE,
    TH_ATOM_MIXED
} ThAtomKind;

/* "ints", "floats", "bools", "strings" or "tuples"; and "int", "float", "bool", "string", "tuple".
 */
const char *th_atom_kind_plural(ThAtomKind kind);
const char *th_atom_kind_name(ThAtomKind kind);

/* The contents of one element; which member holds depends on the kind. */
typedef union {
    int64_t i;   /* TH_ATOM_INT; TH_ATOM_BOOL (0 or 1); TH_ATOM_STRING, TH_ATOM_TUPLE: number in the
                    pool */
    double x;    /* TH_ATOM_FLOAT */
    uint64_t id; /* the bits, for hashing */
} ThCell;

typedef struct {
    ThAtomKind kind; /* not TH_ATOM_MIXED */
    ThCell cell;
} ThAtom;

static inline ThAtom th_int(int64_t i)
{
    return (ThAtom){TH_ATOM_INT, {.i = i}};
}
static inline ThAtom th_float(double x)
{
    return (ThAtom){TH_ATOM_FLOAT, {.x = x}};
}
static inline ThAtom th_bool(bool b)
{
    return (ThAtom){TH_ATOM_BOOL, {.i = b}};
}

/* Strings and tuples of a session.  Zero-initialised it is empty. */
typedef struct {
    ThIntern string; /* UTF-8 */
    ThIntern tuple;  /* arrays of ThAtom */
} ThAtoms;

enum {
    TH_ATOM_BYTES = 1 << 20, /* longest string */
    TH_ATOMS_BYTES = 1 << 30 /* longest all strings, and all tuples, together */
};

/* Make atoms.  Text must be valid UTF-8.
 * Errors: TH_ELIMIT beyond the sizes above, TH_ENOMEM. */
bool th_atom_string(ThAtoms *p, const char *text, size_t size, ThAtom *atom, ThError *err);
bool th_atom_tuple(ThAtoms *p, const ThAtom *element, size_t n, ThAtom *atom, ThError *err);

/* View of a string's bytes (not ended by a zero) or of a tuple's atoms, until the next one is made.
 */
const char *th_string_at(const ThAtoms *p, ThAtom string, size_t *size);
const ThAtom *th_tuple_at(const ThAtoms *p, ThAtom tuple, size_t *n);

/* Where the pool stands, and back to it: what was made since is forgotten, so that inputs that are
 * evaluated by the million leave nothing behind.  Atoms made since must not be used any more. */
typedef struct {
    size_t strings, tuples;
} ThAtomsMark;
ThAtomsMark th_atoms_mark(const ThAtoms *p);
void th_atoms_rewind(ThAtoms *p, ThAtomsMark mark);
void th_atoms_free(ThAtoms *p); /* leaves *p empty */

/* Python's truth: not 0, not 0.0, not "", not (). */
bool th_atom_true(const ThAtoms *p, ThAtom a);

/* Python's ==, exact between ints and floats; False, not an error, between kinds that do not
 * compare.  Atoms that are equal hash equally. */
bool th_atom_equal(const ThAtoms *p, ThAtom a, ThAtom b);
uint64_t th_atom_hash(const ThAtoms *p, ThAtom a);

/* -1, 0 or 1 in *order: numbers and bools by value, strings by code points, tuples element by
 * element.  Errors: TH_EVALUE for kinds without a common order. */
bool th_atom_compare(const ThAtoms *p, ThAtom a, ThAtom b, int *order, ThError *err);

typedef enum { TH_OP_NOT, TH_OP_NEGATE, TH_OP_PLUS, TH_OP_ROUND, TH_OP_INDICATOR } ThUnary;

/* The comparisons are what select accepts, too. */
typedef enum {
    TH_OP_EQ,
    TH_OP_NE,
    TH_OP_LT,
    TH_OP_LE,
    TH_OP_GT,
    TH_OP_GE,
    TH_OP_ADD,
    TH_OP_SUB,
    TH_OP_MUL,
    TH_OP_DIV,
    TH_OP_MOD,
    TH_OP_POW,
    TH_OP_AND,
    TH_OP_OR
} ThBinary;

/* As written in a program: "not", "-", "==", "and", … */
const char *th_unary_name(ThUnary op);
const char *th_binary_name(ThBinary op);

/* Operators on atoms.  TH_OP_AND and TH_OP_OR give the deciding operand, as Python's do.  Strings
 * take +,
 * * by an int, and comparisons.  Errors: TH_EVALUE for kinds that the operator does not take and
 * for division by zero, TH_ENUMERIC for results that do not fit, TH_ELIMIT, TH_ENOMEM. */
bool th_atom_unary(ThAtoms *p, ThUnary op, ThAtom a, ThAtom *result, ThError *err);
bool th_atom_binary(ThAtoms *p, ThBinary op, ThAtom a, ThAtom b, ThAtom *result, ThError *err);

/* Python's str, int, float and bool: what tokens_str and its sisters do to an element.
 * Errors: TH_EVALUE for text that is no number, TH_ENUMERIC, TH_ELIMIT, TH_ENOMEM. */
bool th_atom_convert(ThAtoms *p, ThAtom a, ThAtomKind kind, ThAtom *result, ThError *err);

/* Appends Python's str() of an atom: 3, 0.5, 2.0, 1e-05, True, abc, (1, 'a').  Floats get the
 * fewest digits that read back as the same float. */
void th_atom_write(const ThAtoms *p, ThAtom a, ThText *t);

/* A sequence of n atoms of one kind.  Where `constant` is set all n are cell[0]. */
typedef struct {
    ThAtomKind kind;
    bool constant;
    size_t n;
    ThCell *cell;      /* (n), or (1) if constant */
    uint8_t *is_float; /* TH_ATOM_MIXED: (n), 1 where cell i is a float; else NULL */
} ThSeq;

static inline ThAtom th_seq_at(const ThSeq *s, size_t i)
{
    i = s->constant ? 0 : i;
    ThAtomKind kind =
        s->kind == TH_ATOM_MIXED ? (s->is_float[i] ? TH_ATOM_FLOAT : TH_ATOM_INT) : s->kind;
    return (ThAtom){kind, s->cell[i]};
}

/* *s becomes a new sequence, freed with th_seq_free: of atoms, or of the characters (code points)
 * of a string, one string each.
 * Errors: TH_EVALUE for atoms of several kinds (ints and floats may be mixed) and bytes that are no
 * UTF-8; TH_ELIMIT beyond TH_SEQ_MAX; TH_ENOMEM.  n may be 0: then the kind is TH_ATOM_INT. */
enum { TH_SEQ_MAX = 1 << 26 };
bool th_seq_of(const ThAtom *atom, size_t n, ThSeq *s, ThError *err);
bool th_seq_of_text(ThAtoms *p, const char *text, size_t size, ThSeq *s, ThError *err);
bool th_seq_copy(const ThSeq *from, ThSeq *s, ThError *err);
void th_seq_free(ThSeq *s); /* leaves *s empty */

/* True if all elements are equal (==) and of one kind; n ≥ 1. */
bool th_seq_uniform(const ThAtoms *p, const ThSeq *s);

#endif
