// SPDX-License-Identifier: MIT
// make: alone (nothing else is compiled again when the revision changes)
#include "common/measure/version.hpp"

#include "build/version.hpp"

const char* const gridutils_version = GRIDUTILS_VERSION " (" GRIDUTILS_REVISION ")";
const char* const version_of_rows = GRIDUTILS_VERSION "+" GRIDUTILS_REVISION;
