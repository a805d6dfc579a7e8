// Part of cuda_runtime.h.
#pragma once
#define __HOST_DEFINES_H__  // programs test for it

#include "cuda_runtime.h"
