// SPDX-License-Identifier: MIT
// Which build of gridutils this is. The Makefile says which version, and how it finds the revision.
#pragma once

extern const char* const gridutils_version;  // "0.2.0 (fa770ee01234)"
extern const char* const version_of_rows;    // the same as one word, "0.2.0+fa770ee01234"
