#include "formats/machines/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/intern.h"
#include "base/memory.h"

enum { MOST_NODES = 1 << 23, MOST_DEPTH = 100 };

typedef struct {
    ThYaml *y;
    ThIntern anchors;
    int *anchored; /* (anchors): node */
    size_t anchored_cap;
    int open[MOST_DEPTH]; /* the lists and maps that are not closed yet */
    int last[MOST_DEPTH]; /* their last entry, or -1 */
    int depth;
    ThError *err;
} Builder;

static bool fail_mark(const Builder *b, yaml_mark_t at, const char *what)
{
    return th_fail_at(b->err, TH_EPARSE, (int)at.line + 1, (int)at.column + 1, "%s", what);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

/* Hangs a node behind the last of what is open. */
static bool attach(Builder *b, int node)
{
    ThYaml *y = b->y;
    if (b->depth == 0)
        return true;
    if (y->n_entries >= 2 * (size_t)MOST_NODES)
        return th_fail(b->err, TH_ELIMIT, "the file holds too many nodes");
    if (!th_grow(&y->entry, &y->entry_cap, y->n_entries + 1, sizeof *y->entry, b->err))
        return false;
    int at = (int)y->n_entries++, *last = &b->last[b->depth - 1];
    y->entry[at] = (ThYamlEntry){node, -1};
    if (*last < 0)
        y->node[b->open[b->depth - 1]].first = at;
    else
        y->entry[*last].next = at;
    *last = at;
    return true;
}

static bool remember(Builder *b, const yaml_char_t *anchor, int node)
{
    size_t index;
    if (!anchor)
        return true;
    const char *name = (const char *)anchor;
    if (!th_intern(&b->anchors, name, strlen(name), &index, b->err) ||
        !th_grow(&b->anchored, &b->anchored_cap, b->anchors.n, sizeof *b->anchored, b->err))
        return false;
    b->anchored[index] = node;
    return true;
}

static bool add_node(Builder *b, ThYamlKind kind, yaml_mark_t at, const yaml_char_t *anchor)
{
    ThYaml *y = b->y;
    if (y->n >= MOST_NODES)
        return th_fail_at(b->err, TH_ELIMIT, (int)at.line + 1, (int)at.column + 1,
                          "the file holds more than %d nodes", MOST_NODES);
    if (!th_grow(&y->node, &y->node_cap, y->n + 1, sizeof *y->node, b->err))
        return false;
    int node = (int)y->n++;
    y->node[node] = (ThYamlNode){
        .kind = kind, .line = (int)at.line + 1, .col = (int)at.column + 1, .first = -1};
    if (!attach(b, node) || !remember(b, anchor, node))
        return false;
    if (kind == TH_YAML_SCALAR)
        return true;
    if (b->depth == MOST_DEPTH)
        return fail_mark(b, at, "lists and maps are nested too deeply");
    b->open[b->depth] = node;
    b->last[b->depth++] = -1;
    return true;
}

static bool add_scalar(Builder *b, const yaml_event_t *e)
{
    const char *value = (const char *)e->data.scalar.value;
    size_t n = e->data.scalar.length;
    if (!add_node(b, TH_YAML_SCALAR, e->start_mark, e->data.scalar.anchor))
        return false;
    ThYamlNode *node = &b->y->node[b->y->n - 1];
    if (memchr(value, '\0', n))
        return fail_mark(b, e->start_mark, "a zero character");
    node->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->text = b->y->text.size;
    node->n = n;
    th_text_add_bytes(&b->y->text, value, n);
    th_text_add_bytes(&b->y->text, "", 1);
    return !b->y->text.failed || th_fail(b->err, TH_ENOMEM, "out of memory for a YAML file");
}

static bool add_alias(Builder *b, const yaml_event_t *e)
{
    const char *name = (const char *)e->data.alias.anchor;
    size_t i = th_intern_find(&b->anchors, name, strlen(name));
    if (i == SIZE_MAX || !b->anchored)
        return fail_mark(b, e->start_mark, "an alias without an anchor before it");
    for (int k = 0; k < b->depth; k++)
        if (b->open[k] == b->anchored[i])
            return fail_mark(b, e->start_mark, "an alias of what it stands in");
    return attach(b, b->anchored[i]);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* *done: the document has ended. */
static bool take(Builder *b, const yaml_event_t *e, int *documents, bool *done)
{
    switch (e->type) {
    case YAML_STREAM_END_EVENT:
        *done = true;
        return b->y->n > 0 || th_fail_at(b->err, TH_EPARSE, 1, 1, "the file is empty");
    case YAML_DOCUMENT_START_EVENT:
        return ++*documents == 1 || fail_mark(b, e->start_mark, "a second document");
    case YAML_SCALAR_EVENT:
        return add_scalar(b, e);
    case YAML_ALIAS_EVENT:
        return add_alias(b, e);
    case YAML_SEQUENCE_START_EVENT:
        return add_node(b, TH_YAML_LIST, e->start_mark, e->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return add_node(b, TH_YAML_MAP, e->start_mark, e->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        b->depth--;
        return true;
    default:
        return true;
    }
}

static bool fail_parser(const Builder *b, const yaml_parser_t *p)
{
    const char *what = p->problem ? p->problem : "not YAML";
    if (p->error == YAML_MEMORY_ERROR)
        return th_fail(b->err, TH_ENOMEM, "out of memory for a YAML file");
    /* An error of encoding has an offset only. */
    if (p->error == YAML_READER_ERROR)
        return th_fail_at(b->err, TH_EPARSE, (int)p->mark.line + 1, (int)p->mark.column + 1, "%s",
                          what);
    return fail_mark(b, p->problem_mark, what);
}

bool th_yaml_read(ThYaml *y, const char *text, size_t size, ThError *err)
{
    ThError own = {0};
    Builder b = {.y = y, .err = err ? err : &own};
    yaml_parser_t parser;
    yaml_event_t event;
    bool ok = true, done = false;
    int documents = 0;
    if (!yaml_parser_initialize(&parser))
        return th_fail(err, TH_ENOMEM, "out of memory for a YAML parser");
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, size);
    while (ok && !done) {
        if (!yaml_parser_parse(&parser, &event)) {
            ok = fail_parser(&b, &parser);
            break;
        }
        ok = take(&b, &event, &documents, &done);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&parser);
    th_intern_free(&b.anchors);
    free(b.anchored);
    return ok;
}

void th_yaml_free(ThYaml *y)
{
    free(y->node);
    free(y->entry);
    th_text_free(&y->text);
    *y = (ThYaml){0};
}

const char *th_yaml_text(const ThYaml *y, int node)
{
    const ThYamlNode *n = &y->node[node];
    return n->kind == TH_YAML_SCALAR ? y->text.data + n->text : "";
}
