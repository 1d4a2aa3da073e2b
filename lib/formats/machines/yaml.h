/* yaml.h - a YAML document as a compact tree: nodes by number, an alias being the node that it
 * names.  Only what files of machines need: no tags, no merge keys.
 *
 * Internal: for the library itself; not installed.
 */
#ifndef TH_FORMATS_MACHINES_YAML_H
#define TH_FORMATS_MACHINES_YAML_H

#include "base/error.h"
#include "base/text.h"

typedef enum { TH_YAML_SCALAR, TH_YAML_LIST, TH_YAML_MAP } ThYamlKind;

typedef struct {
    ThYamlKind kind;
    int line, col;  /* from 1 */
    bool plain;     /* a scalar without quotes */
    int first;      /* entry: a list's first item, a map's first key, whose value is the next entry;
                       -1: empty */
    size_t text, n; /* of a scalar: where it is in text, and its bytes */
} ThYamlNode;

/* An entry of a list or map: nodes shared by aliases may stand in several. */
typedef struct {
    int node, next;
} ThYamlEntry;

typedef struct {
    ThYamlNode *node; /* 0 is the root */
    size_t n, node_cap;
    ThYamlEntry *entry; /* what first and next number */
    size_t n_entries, entry_cap;
    ThText text;
} ThYaml;

/* Zero-initialised it is empty.  TH_EPARSE with line and column; TH_ELIMIT beyond 2^23 nodes. */
bool th_yaml_read(ThYaml *y, const char *text, size_t size, ThError *err);
void th_yaml_free(ThYaml *y);

/* The scalar's text, n bytes with a zero behind them; "" for other nodes. */
const char *th_yaml_text(const ThYaml *y, int node);

#endif
