/* session_impl.h - the inside of a session, for the files of the shell. */
#ifndef TH_SESSION_IMPL_H
#define TH_SESSION_IMPL_H

#include <jansson.h>

#include "command.h"
#include "lexer.h"
#include "rasp/rasp.h"
#include "session.h"

typedef enum { TH_FORMAT_TEXT, TH_FORMAT_JSON, TH_FORMAT_CSV } ThOutputFormat;

typedef struct {
    char name[48];
    char kind; /* i r b s */
    long long integer;
    double real;
    char *text; /* owned */
} ThFigureEntry;

typedef struct {
    ThFigureEntry *item;
    size_t n, cap;
} ThFigures;

typedef struct {
    char name[48];
    char kind;
} ThColumn;

enum { TH_MOST_COLUMNS = 32 };

/* A table while it is being made; rows of cells as text, and as json where that is the format. */
typedef struct {
    bool open;
    char name[48];
    int n_columns;
    ThColumn column[TH_MOST_COLUMNS];
    char **cell; /* (n_rows * n_columns), owned; NULL in json */
    size_t n_cells, cap;
    json_t *rows;
} ThTable;

typedef struct {
    FILE *stream;
    ThOutputFormat format;
    ThFigures figures, pending; /* of the last command that set some; of the running one */
    const ThCommand *command;   /* the running one */
    json_t *object;             /* json: its answer in the making */
    bool tables;                /* csv: a table was printed */
    bool failed;                /* memory ran out while an answer was made */
    ThTable table;
    FILE *listing; /* what th_listing returned, where it is not the stream: json, or paged */
    char *listing_text;
    size_t listing_size;
    bool progress_shown;
    double progress_time;
} ThOutput;

/* The statement that is being executed. */
typedef struct {
    const ThLexer *lexer;
    size_t from, to; /* tokens */
} ThStatement;

enum { TH_DEEPEST = 32 }; /* commands that run commands */

struct ThSession {
    ThObject **object;
    size_t n, cap;
    ThOptions settings;
    ThOutput out;
    ThStatement now;
    ThRasp *rasp;            /* NULL until it is wanted */
    ThObject *library;       /* the name of RASP's library that a command was last about */
    const char *script;      /* the file that is being run; NULL: none */
    const char *rasp_source; /* the statement of RASP that is running */
    bool interactive;        /* a prompt is up: errors do not end the session */
    bool keep_going;
    bool leaving; /* quit was typed */
    bool failed;  /* a command of a batch failed */
    bool broken_pipe;
    int depth;      /* of source and time inside each other */
    double started; /* of the running command, by the monotonic clock */
};

/* session.c */
ThSession *th_session_new(ThError *err);
void th_session_free(ThSession *s);

/* settings.c */
extern const ThOptionSpec th_settings[];
bool th_settings_set(ThSession *s, const char *name, const char *value, ThError *err);

/* output.c: around every command */
void th_output_begin(ThSession *s, const ThCommand *command);
bool th_output_end(ThSession *s, bool ok, ThError *err);
void th_output_free(ThOutput *o);

/* Adds a member to the json object of the running command; takes the value over. */
void th_output_member(ThSession *s, const char *name, json_t *value);

/* table.c: numbers and flags as the formats write them; texts are new, NULL if memory is out. */
json_t *th_json_number(double x); /* null where it is not finite */
char *th_number_text(double x, ThOutputFormat format);
char *th_integer_text(long long value);
const char *th_flag_text(bool value, ThOutputFormat format);
void th_csv_cell(FILE *out, const char *text, bool last); /* with what separates it from the next */
void th_table_free(ThTable *t);
void th_progress_erase(ThSession *s);

#endif
