// SPDX-License-Identifier: MIT
#pragma once
#define CUBLAS_V2_H_  // programs test for it

#include "cublas_api.h"
#if defined(__cplusplus) && __cplusplus >= 201103L
#include "simt/cublas_64.hpp"
#endif
