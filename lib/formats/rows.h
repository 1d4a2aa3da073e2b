/* rows.h - for the files of the formats: the constants that formats.def names. */
#ifndef TH_FORMATS_ROWS_H
#define TH_FORMATS_ROWS_H

#include "formats/format.h"

#define FORMAT(name) extern const ShFormat th_format_##name;
#include "formats/formats.def"
#undef FORMAT

#endif
