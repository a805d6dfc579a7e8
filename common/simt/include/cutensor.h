// SPDX-License-Identifier: MIT
#include "simt/absent.h"
