/* lexer.h - source text to tokens, a line at a time; statements of RASP to their trees.
 *
 * Lines are fed until no bracket or string is open; the tokens of that chunk are then cut into
 * statements at the T_END tokens.  Brackets are tokens like any other, so a block is the text
 * between two tokens, whatever is in it.  Only the body of a loop or a condition is read as
 * statements of its own, to be run as often as it takes.
 *
 *     while (next line && !sh_lex(&lx, line, &err) && err.code == TH_EINCOMPLETE) …
 */
#pragma once

#include "rasp/syntax/syntax.h"

typedef enum {
    T_WORD,
    T_STRING, /* with its quotes */
    T_OPTION, /* key=value without a blank */
    T_MARK,   /* one of ( ) [ ] { } = < > and >> */
    T_SHELL,  /* `!` and the rest of its line */
    T_PIPE,   /* `|` behind a command, and the rest of the line */
    T_RASP,   /* a statement of RASP, its `;` with it */
    T_END     /* ; or the end of a line */
} ShTokenType;

typedef struct {
    ShTokenType type;
    bool last; /* of what stands before a statement: a T_END, the { of a body, or a command that
                  runs the next */
    bool body; /* the { or } of a body */
    size_t start, end; /* bytes of the lexer's text */
    size_t value;      /* T_OPTION: where the value starts; T_RASP: which tree; the { and } of a
                          body: the for, if, else, ... that it belongs to */
    size_t match;      /* an opening bracket: its closing token */
    int line, col;
} ShToken;

typedef struct {
    size_t inside, at; /* where it begins, and what has been read */
    int line, col;
} ShLexPlace;

typedef struct {
    const ThRaspDialect *rasp; /* how statements of RASP are read; NULL: all are commands */
    ThText text;
    ShToken *token;
    size_t n, cap;
    size_t at; /* bytes read */
    int line, col, first_line;
    ShLexPlace seen; /* of a string that is open */
    size_t *open;    /* tokens of the open brackets */
    size_t n_open, cap_open;
    size_t control;   /* the for, if or else whose body is due; SIZE_MAX: none */
    bool late;        /* it is due, and its line is over */
    ThRaspTree *tree; /* of the statements of RASP, with positions as tokens have them */
    size_t n_trees, cap_trees;
} ShLexer;

void sh_lex_begin(ShLexer *lx, int line); /* a zeroed lexer, or one to be used again */
void sh_lex_free(ShLexer *lx);
TH_RELEASES_VALUE(sh_lex_free, ShLexer)

/* Appends a line (with its newline, where it has one) and reads its tokens.  TH_EINCOMPLETE if a
 * bracket, a string, a trailing backslash or a statement of RASP asks for more; the error says
 * where it began.  Which statements are RASP's: shape.h. */
bool sh_lex(ShLexer *lx, const char *line, size_t n, ThError *err);

/* Returns new: the source from one byte to another, with its comments blanked out. */
char *sh_lex_source(const ShLexer *lx, size_t start, size_t end, ThError *err);

/* Letters, digits and _: what names of variables are made of. */
static inline bool sh_is_name_byte(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool sh_lexeme_is(const ShLexer *lx, const ShToken *t, const char *text);
