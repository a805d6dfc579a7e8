// SPDX-License-Identifier: MIT
// Surface types are declared with the texture types.
#pragma once
#define __SURFACE_TYPES_H__  // programs test for it

#include "texture_types.h"
