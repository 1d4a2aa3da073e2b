#include "formats/machines/jff_xml.h"

#include <libxml/parser.h>
#include <libxml/tree.h>

bool th_jff_fail(ThError *err, const xmlNode *n, const char *what)
{
    long line = xmlGetLineNo(n);
    return th_fail_at(err, TH_EPARSE, line > 0 ? (int)line : 1, 1, "%s", what);
}

bool th_jff_is_element(const xmlNode *n, const char *name)
{
    return n->type == XML_ELEMENT_NODE && strcmp((const char *)n->name, name) == 0;
}

xmlNode *th_jff_child(const xmlNode *n, const char *name)
{
    for (xmlNode *c = n->children; c; c = c->next)
        if (th_jff_is_element(c, name))
            return c;
    return NULL;
}

char *th_jff_content(const xmlNode *n, ThError *err)
{
    xmlChar *text = n ? xmlNodeGetContent(n) : NULL;
    char *copy = th_strdup(text ? (const char *)text : "", err);
    xmlFree(text);
    if (!copy)
        return NULL;
    char *from = copy + strspn(copy, " \t\r\n"), *end = from + strlen(from);
    while (end > from && strchr(" \t\r\n", end[-1]))
        end--;
    if (end == from && n && copy[0] == ' ' && copy[1] == '\0')
        return copy;
    memmove(copy, from, (size_t)(end - from));
    copy[end - from] = '\0';
    return copy;
}

bool th_jff_attribute(xmlNode *n, const char *name, char **value, ThError *err)
{
    xmlChar *text = xmlGetProp(n, (const xmlChar *)name);
    *value = text ? th_strdup((const char *)text, err) : NULL;
    xmlFree(text);
    return *value != NULL;
}

/* The first error of the parser; its words end with a line end. */
static void on_error(void *context, xmlErrorPtr e)
{
    const xmlParserCtxt *parser = context;
    const char *said = e->message ? e->message : "not XML";
    if (e->level >= XML_ERR_ERROR)
        th_fail_at(parser->_private, TH_EPARSE, e->line > 0 ? e->line : 1,
                   e->int2 > 0 ? e->int2 : 1, "%.*s", (int)strcspn(said, "\n"), said);
}

xmlDoc *th_jff_parse(const char *text, size_t size, ThError *err)
{
    enum { OPTIONS = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING };
    ThError first = {0};
    if (size > INT32_MAX)
        return th_null(th_fail(err, TH_ELIMIT, "the file is too large"));
    xmlParserCtxt *context = xmlNewParserCtxt();
    if (!context)
        return th_null(th_fail(err, TH_ENOMEM, "out of memory for an XML parser"));
    context->_private = &first;
    context->sax->serror = on_error;
    xmlDoc *doc = xmlCtxtReadMemory(context, text, (int)size, NULL, NULL, OPTIONS);
    if (!doc)
        th_fail_at(err, TH_EPARSE, first.line ? first.line : 1, first.line ? first.col : 1, "%s",
                   first.code ? first.msg : "not XML");
    xmlFreeParserCtxt(context);
    return doc;
}
