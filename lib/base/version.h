/* version.h - which tapehead this is.
 *
 * Stable: what is declared here keeps its meaning until the next major version.
 */
#pragma once

#define TH_VERSION "0.1.0"

/* 10000 major + 100 minor + patch, to compare with: #if TH_VERSION_NUMBER >= 100 */
#define TH_VERSION_NUMBER 100
