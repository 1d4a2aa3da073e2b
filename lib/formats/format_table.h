/* format_table.h - for the files of the formats: the constants that formats.def names.
 *
 * Internal: for the library itself; not installed.
 */
#pragma once

#include "formats/format.h"

#define FORMAT(name) extern const ThFormat th_format_##name;
#include "formats/formats.def"
#undef FORMAT
