// SPDX-License-Identifier: MIT
#pragma once
#define CUBLAS_V2_H_  // programs test for it

#include "cublas_api.h"
