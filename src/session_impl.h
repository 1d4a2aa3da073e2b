/* session_impl.h - the inside of a session, for the files of the shell. */
#pragma once

#include "command.h"
#include "language/lexer.h"

/* In the order of the setting format. */
typedef enum { SH_FORMAT_TEXT, SH_FORMAT_JSON, SH_FORMAT_CSV } ShOutputFormat;
enum { SH_COLOR_AUTO, SH_COLOR_ON, SH_COLOR_OFF }; /* the setting color */

typedef struct {
    char name[48];
    char kind; /* i r b s */
    long long integer;
    double real;
    char *text; /* owned */
} ShFigureEntry;

typedef struct {
    ShFigureEntry *item;
    size_t n, cap;
} ShFigures;

typedef struct {
    char name[48];
    char kind;
} ShColumn; /* kind as in sh_table */

enum { SH_MOST_COLUMNS = 32 };

/* A table while it is being made; rows of cells as text, and as json where that is the format. */
typedef struct {
    bool open;
    char name[48];
    int n_columns;
    ShColumn column[SH_MOST_COLUMNS];
    const char *const *part; /* (n_parts): of a column v; views */
    int n_parts;
    char **cell; /* (n_rows * n_columns), owned; NULL in json */
    size_t n_cells, cap;
    json_t *rows;
} ShTable;

typedef struct {
    FILE *stream;
    FILE *log;     /* transcript; NULL: none is kept */
    FILE *shown;   /* leads to the stream what people look at; NULL until it is wanted */
    char begun[4]; /* a character of which more is to come through it */
    size_t n_begun;
    int cause;  /* errno of the first write that failed */
    bool piped; /* the stream leads to a shell command */
    ShOutputFormat format;
    ShFigures figures, pending; /* of the last command that set some; of the running one */
    const ShCommand *command;   /* the running one */
    json_t *object;             /* json: its answer in the making */
    bool tables;                /* csv: a table was printed */
    bool no_tables;             /* csv: neither tables nor figures are wanted */
    size_t about;               /* of the pending figures the first, that say what it is about */
    char *header;               /* csv: the columns that the stream has now; NULL: none yet */
    bool keeps;                 /* the figures of the command before stay */
    bool failed;                /* memory ran out while an answer was made */
    ShTable table;
    FILE *listing; /* what sh_listing returned, where it is not the stream: json, or paged */
    char *listing_text;
    size_t listing_size;
    bool progress_shown;
    double progress_time;
} ShOutput;

/* The statement that is being executed. */
typedef struct {
    const ShLexer *lexer;
    size_t from, to; /* tokens */
} ShStatement;

enum { SH_DEEPEST = 32 }; /* commands that run commands */

enum { SH_MOST_SAID = 8 }; /* texts that are said once */

struct ShSession {
    ShObject **object;
    size_t n, cap;
    ThOptions settings;
    ShOutput out;
    ShStatement now;
    ThRasp *rasp;        /* NULL until it is wanted */
    ShObject *library;   /* the name of RASP's library that a command was last about */
    const char *script;  /* the file that is being run; NULL: none */
    const char *loading; /* the file of definitions that is being loaded; NULL: none */
    bool interactive;    /* a prompt is up: errors do not end the session */
    bool keep_going;
    bool no_shell; /* the user's text may not be run by a shell */
    bool leaving;  /* quit was typed, */
    int status;    /* and an exit status, which this is 1 more than; 0: none */
    bool failed;   /* a command of a batch failed */
    bool broken_pipe;
    int depth;         /* of source and time inside each other */
    double limit;      /* seconds that the command that runs has in all; 0: none is set */
    const char **args; /* of the script: views, (n_args) */
    size_t n_args;
    ThText value;                   /* what sh_variable returned last */
    const struct ShTurn *turn;      /* of the innermost loop that runs; NULL: none */
    int bodies;                     /* of loops and conditions that run inside each other */
    ThTapeBounds bounds;            /* of all models: Ctrl-C and the time limit, and memory */
    size_t statements;              /* that the user has given, so far */
    const struct ShRanks *ranks;    /* the processes of mpirun; NULL: there is one */
    const char *said[SH_MOST_SAID]; /* by sh_say_once; NULL: none */
    struct ShPoint *point;          /* of a sweep, whose process this is; NULL: none */
};

/* session.c */
ShSession *sh_session_new(ThError *err);
void sh_session_free(ShSession *s);

/* settings.c */
extern const ThOptionSpec sh_settings[];
void sh_settings_bound(ShSession *s); /* sets the bounds of models by the settings */
bool sh_settings_set(ShSession *s, const char *name, const char *value, ThError *err);

/* output.c: around every command */
void sh_output_begin(ShSession *s, const ShCommand *command);
bool sh_output_end(ShSession *s, bool ok, ThError *err);
void sh_output_free(ShOutput *o);

/* Forgets the figures of the last command. */
void sh_output_forget(ShOutput *o);

/* At the prompt every line begins tables of its own. */
void sh_output_fresh(ShSession *s);

/* Prints an error as a json object among the answers. */
void sh_output_error(ShSession *s, const char *where, const ThError *err);

/* Adds a member to the json object of the running command; takes the value over. */
void sh_output_member(ShSession *s, const char *name, json_t *value);

/* log.c: the transcript; without one sh_log_text does nothing. */
bool sh_log_open(ShOutput *o, const char *path, ThError *err);
bool sh_log_close(ShOutput *o, ThError *err);
void sh_log_text(const ShOutput *o, const char *text, size_t n);

/* shown.c: returns a view, the stream that shows text on o->stream; flushed before that is used. */
FILE *sh_shown_stream(ShOutput *o);

/* Returns a view: o->stream, where csv and json go as they are; of a terminal, or where a log is
 * kept, the one above. */
FILE *sh_data_stream(ShOutput *o);

/* table.c: numbers and flags as the formats write them; texts are new, NULL if memory is out. */
json_t *sh_json_number(double x); /* null where it is not finite */
json_t *sh_json_value(const ShFigureValue *v);
char *sh_number_text(double x, ShOutputFormat format);
char *sh_integer_text(long long value);
const char *sh_flag_text(bool value, ShOutputFormat format);
void sh_csv_cell(FILE *out, const char *text, bool last); /* with what separates it from the next */
void sh_csv_figure(FILE *out, const ShFigureEntry *e, bool last);

/* Begins a table of csv: prints its columns, unless the stream has a table of these columns, which
 * then goes on.  Consumes the header, a line; NULL is out of memory. */
void sh_csv_begin(ShOutput *o, FILE *out, char *header);
void sh_row_values(ShSession *s, const json_t *values); /* a row of an array, a value a column */
void sh_table_free(ShTable *t);
TH_RELEASES(sh_table_free, ShTable)
TH_RELEASES(json_decref, json_t)
void sh_progress_erase(ShSession *s);
