// Surface types are declared with the texture types.
#pragma once

#include "texture_types.h"
