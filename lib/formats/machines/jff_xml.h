/* jff_xml.h - the elements of JFLAP's files.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "formats/format.h"

/* Of libxml/tree.h. */
typedef struct _xmlDoc xmlDoc;
typedef struct _xmlNode xmlNode;

/* Returns new, to be freed with xmlFreeDoc. */
xmlDoc *th_jff_parse(const char *text, size_t size, ThError *err);

/* An error at an element.  Returns false, always. */
bool th_jff_fail(ThError *err, const xmlNode *n, const char *what);

bool th_jff_is_element(const xmlNode *n, const char *name);
xmlNode *th_jff_child(const xmlNode *n, const char *name); /* the first of a name; NULL: none */

/* Returns new: the text of an element, "" where it is NULL.  Blanks at the ends belong to the
 * layout, unless there is nothing else. */
char *th_jff_content(const xmlNode *n, ThError *err);

/* Sets *value to the text of an attribute, new; false where it is not there. */
bool th_jff_attribute(xmlNode *n, const char *name, char **value, ThError *err);
