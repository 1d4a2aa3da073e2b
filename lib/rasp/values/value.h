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
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/intern.h"
#include "base/text.h"

/* What a whole sequence is.  TH_RASP_ATOM_MIXED is for sequences only: ints and floats together,
 * each keeping its own kind.  TH_RASP_ATOM_FLOAT and TH_RASP_ATOM_MIXED are both called "floats"
 * when shown. */
typedef enum {
    TH_RASP_ATOM_INT,
    TH_RASP_ATOM_FLOAT,
    TH_RASP_ATOM_BOOL,
    TH_RASP_ATOM_STRING,
    TH_RASP_ATOM_TUPLE,
    TH_RASP_ATOM_MIXED
} ThRaspAtomKind;

/* "ints", "floats", "bools", "strings" or "tuples"; and "int", "float", "bool", "string", "tuple".
 */
const char *th_rasp_atom_kind_plural(ThRaspAtomKind kind);
const char *th_rasp_atom_kind_name(ThRaspAtomKind kind);

/* The contents of one element; which member holds depends on the kind. */
typedef union {
    int64_t i;   /* TH_RASP_ATOM_INT; TH_RASP_ATOM_BOOL (0 or 1); TH_RASP_ATOM_STRING,
                    TH_RASP_ATOM_TUPLE: number in the   pool */
    double x;    /* TH_RASP_ATOM_FLOAT */
    uint64_t id; /* the bits, for hashing */
} ThRaspCell;

typedef struct {
    ThRaspAtomKind kind; /* not TH_RASP_ATOM_MIXED */
    ThRaspCell cell;
} ThRaspAtom;

static inline ThRaspAtom th_rasp_int(int64_t i)
{
    return (ThRaspAtom){TH_RASP_ATOM_INT, {.i = i}};
}
static inline ThRaspAtom th_rasp_float(double x)
{
    return (ThRaspAtom){TH_RASP_ATOM_FLOAT, {.x = x}};
}
static inline ThRaspAtom th_rasp_bool(bool b)
{
    return (ThRaspAtom){TH_RASP_ATOM_BOOL, {.i = b}};
}

/* Strings and tuples of a session.  Zero-initialised it is empty. */
typedef struct {
    ThIntern string; /* UTF-8 */
    ThIntern tuple;  /* arrays of ThRaspAtom */
} ThRaspAtoms;

enum {
    TH_RASP_ATOM_BYTES = 1 << 20,  /* longest string */
    TH_RASP_TUPLE_BYTES = 1 << 24, /* longest tuple, with all that is inside */
    TH_RASP_ATOMS_BYTES = 1 << 30  /* longest all strings, and all tuples, together */
};

/* Make atoms.  Text must be valid UTF-8.
 * Errors: TH_ELIMIT beyond the sizes above, TH_ENOMEM. */
bool th_rasp_atom_string(ThRaspAtoms *p, const char *text, size_t size, ThRaspAtom *atom,
                         ThError *err);
bool th_rasp_atom_tuple(ThRaspAtoms *p, const ThRaspAtom *element, size_t n, ThRaspAtom *atom,
                        ThError *err);

/* View of a string's bytes (not ended by a zero) or of a tuple's atoms, until the next one is made.
 */
const char *th_rasp_string_at(const ThRaspAtoms *p, ThRaspAtom string, size_t *size);
const ThRaspAtom *th_rasp_tuple_at(const ThRaspAtoms *p, ThRaspAtom tuple, size_t *n);

/* Bytes of a string, or of all that is in a tuple, counted as often as it is there; 0 for others.
 */
size_t th_rasp_atom_span(const ThRaspAtoms *p, ThRaspAtom a);

/* Where the pool stands, and back to it: what was made since is forgotten, so that inputs that are
 * evaluated by the million leave nothing behind.  Atoms made since must not be used any more. */
typedef struct {
    size_t strings, tuples;
} ThRaspAtomsMark;
ThRaspAtomsMark th_rasp_atoms_mark(const ThRaspAtoms *p);
void th_rasp_atoms_rewind(ThRaspAtoms *p, ThRaspAtomsMark mark);
void th_rasp_atoms_free(ThRaspAtoms *p); /* leaves *p empty */

/* Python's truth: not 0, not 0.0, not "", not (). */
bool th_rasp_atom_true(const ThRaspAtoms *p, ThRaspAtom a);

/* Python's ==, exact between ints and floats; False, not an error, between kinds that do not
 * compare.  Atoms that are equal hash equally. */
bool th_rasp_atom_equal(const ThRaspAtoms *p, ThRaspAtom a, ThRaspAtom b);
uint64_t th_rasp_atom_hash(const ThRaspAtoms *p, ThRaspAtom a);

/* -1, 0 or 1 in *order: numbers and bools by value, strings by code points, tuples element by
 * element.  Errors: TH_EVALUE for kinds without a common order. */
bool th_rasp_atom_compare(const ThRaspAtoms *p, ThRaspAtom a, ThRaspAtom b, int *order,
                          ThError *err);

typedef enum {
    TH_RASP_OP_NOT,
    TH_RASP_OP_NEGATE,
    TH_RASP_OP_PLUS,
    TH_RASP_OP_ROUND,
    TH_RASP_OP_INDICATOR
} ThRaspUnary;

/* The comparisons are what select accepts, too. */
typedef enum {
    TH_RASP_OP_EQ,
    TH_RASP_OP_NE,
    TH_RASP_OP_LT,
    TH_RASP_OP_LE,
    TH_RASP_OP_GT,
    TH_RASP_OP_GE,
    TH_RASP_OP_ADD,
    TH_RASP_OP_SUB,
    TH_RASP_OP_MUL,
    TH_RASP_OP_DIV,
    TH_RASP_OP_MOD,
    TH_RASP_OP_POW,
    TH_RASP_OP_AND,
    TH_RASP_OP_OR
} ThRaspBinary;

/* As written in a program: "not", "-", "==", "and", … */
const char *th_rasp_unary_name(ThRaspUnary op);
const char *th_rasp_binary_name(ThRaspBinary op);

/* Operators on atoms.  TH_RASP_OP_AND and TH_RASP_OP_OR give the deciding operand, as Python's do.
 * Strings take +,
 * * by an int, and comparisons.  Errors: TH_EVALUE for kinds that the operator does not take and
 * for division by zero, TH_ENUMERIC for results that do not fit, TH_ELIMIT, TH_ENOMEM. */
bool th_rasp_atom_unary(ThRaspAtoms *p, ThRaspUnary op, ThRaspAtom a, ThRaspAtom *result,
                        ThError *err);
bool th_rasp_atom_binary(ThRaspAtoms *p, ThRaspBinary op, ThRaspAtom a, ThRaspAtom b,
                         ThRaspAtom *result, ThError *err);

/* Python's str, int, float and bool: what tokens_str and its sisters do to an element.
 * Errors: TH_EVALUE for text that is no number, TH_ENUMERIC, TH_ELIMIT, TH_ENOMEM. */
bool th_rasp_atom_convert(ThRaspAtoms *p, ThRaspAtom a, ThRaspAtomKind kind, ThRaspAtom *result,
                          ThError *err);

/* Appends Python's str() of an atom: 3, 0.5, 2.0, 1e-05, True, abc, (1, 'a').  Floats get the
 * fewest digits that read back as the same float. */
void th_rasp_atom_write(const ThRaspAtoms *p, ThRaspAtom a, ThText *t);

/* Appends an expression of RASP that gives exactly this atom, under every grammar: "a", (-1), 0.1.
 * TH_EUSAGE for strings that no program can hold, those with quotes or control characters. */
bool th_rasp_atom_source(const ThRaspAtoms *p, ThRaspAtom a, ThText *t, ThError *err);

/* A sequence of n atoms of one kind.  Where `constant` is set all n are cell[0]. */
typedef struct {
    ThRaspAtomKind kind;
    bool constant;
    size_t n;
    ThRaspCell *cell;  /* (n), or (1) if constant */
    uint8_t *is_float; /* TH_RASP_ATOM_MIXED: (n), 1 where cell i is a float; else NULL */
} ThRaspSeq;

static inline ThRaspAtom th_rasp_seq_at(const ThRaspSeq *s, size_t i)
{
    i = s->constant ? 0 : i;
    ThRaspAtomKind kind = s->kind == TH_RASP_ATOM_MIXED
                              ? (s->is_float[i] ? TH_RASP_ATOM_FLOAT : TH_RASP_ATOM_INT)
                              : s->kind;
    return (ThRaspAtom){kind, s->cell[i]};
}

/* *s becomes a new sequence, freed with th_rasp_seq_free: of atoms, or of the characters (code
 * points) of a string, one string each. Errors: TH_EVALUE for atoms of several kinds (ints and
 * floats may be mixed) and bytes that are no UTF-8; TH_ELIMIT beyond TH_RASP_SEQ_MAX; TH_ENOMEM.  n
 * may be 0: then the kind is TH_RASP_ATOM_INT. */
enum { TH_RASP_SEQ_MAX = 1 << 26 };
bool th_rasp_seq_of(const ThRaspAtom *atom, size_t n, ThRaspSeq *s, ThError *err);
bool th_rasp_seq_of_text(ThRaspAtoms *p, const char *text, size_t size, ThRaspSeq *s, ThError *err);
bool th_rasp_seq_copy(const ThRaspSeq *from, ThRaspSeq *s, ThError *err);
void th_rasp_seq_free(ThRaspSeq *s); /* leaves *s empty */
TH_RELEASES_VALUE(th_rasp_seq_free, ThRaspSeq)

/* True if all elements are equal (==) and of one kind; n ≥ 1. */
bool th_rasp_seq_uniform(const ThRaspAtoms *p, const ThRaspSeq *s);
