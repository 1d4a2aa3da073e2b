/* records.h - the rows of a file of labelled data: tab-separated text, CSV or JSON lines.
 *
 * Evolving: what is declared here may change with a minor version; NEWS.md says so.
 */
#pragma once

#include "base/memory.h"

/* In the order of the option header. */
typedef enum { TH_TASK_HEADER_AUTO, TH_TASK_HEADER_YES, TH_TASK_HEADER_NO } ThTaskHeader;

/* The file, and which of its columns, or members of its objects, are meant. */
typedef struct {
    const char *path;                  /* its extension says how it is read */
    const char *input, *label, *other; /* of a row with two inputs; else NULL */
    const char *or_label; /* the column's name where none is called as label says; or NULL */
    bool bytes;           /* anything but a zero byte may stand in a row; else valid UTF-8 only */
    ThTaskHeader header;  /* whether the first row names the columns; auto: if it has the names.
                         Without a header they are the numbers of columns, or there are two */
    bool label_first;     /* of these: the label comes before the input */
    const char *skip;     /* of a folder: names of folders to leave out, with blanks between */
} ThTaskRecordShape;

/* Valid UTF-8 without control characters, or bytes; the columns say where it stood. */
typedef struct {
    char *input, *label, *other; /* other may be NULL */
    int line, input_col, label_col, other_col;
} ThTaskRecord;

/* Zero-initialised it is empty. */
typedef struct {
    ThTaskRecord *item;
    size_t n, cap;
} ThTaskRecords;

/* Reads a file by its extension: .tsv with tabs between columns and nothing quoted; .txt the same,
 * or two blanks and more in a row without a tab; .csv as RFC 4180 says; .jsonl, where text may be a
 * string, a number or a truth value, and an array of these stands for them with blanks between.
 * Empty lines are skipped.  Errors: TH_EUSAGE for another extension; TH_EIO; TH_ELIMIT beyond a
 * gigabyte; and TH_EVALUE with the line and column in the file.
 *
 * Of a folder the folders in it are classes and the files in these the inputs, whole, in the order
 * of their names; no other file is looked at, nor names that begin with a dot.  Only as bytes, else
 * TH_EUSAGE; TH_EVALUE for one that is empty or has a zero byte. */
bool th_task_records_read(ThTaskRecords *r, const ThTaskRecordShape *shape, ThError *err);

/* Whether a path names a folder; and reads one, of `most` bytes. */
bool th_task_is_folder(const char *path);
bool th_task_records_folder(ThTaskRecords *r, const ThTaskRecordShape *shape, size_t most,
                            ThError *err);

/* The same for n bytes that were read from the file, with a zero behind them. */
bool th_task_records_parse(ThTaskRecords *r, const char *text, size_t n,
                           const ThTaskRecordShape *shape, ThError *err);
void th_task_records_free(ThTaskRecords *r);
TH_RELEASES_VALUE(th_task_records_free, ThTaskRecords)

/* A cell of a row and where it stood; `text` is never NULL. */
typedef struct {
    char *text;
    int line, col;
} ThTaskCell;

/* What reads a file row by row gets the cells of each, borrowed; false and an error end the
 * reading.
 */
typedef bool (*ThTaskRow)(void *context, const ThTaskCell *cell, int n, ThError *err);

/* Gives all rows of a .csv, .tsv or .txt file to `row`, the names of its columns first.  Errors as
 * above; TH_EUSAGE for .jsonl, too. */
bool th_task_rows_read(const char *path, ThTaskRow row, void *context, ThError *err);
