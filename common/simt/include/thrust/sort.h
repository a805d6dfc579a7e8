// SPDX-License-Identifier: MIT
// On a GPU this header brings execution policies and more along, and programs rely on it.
#pragma once
#include <thrust/execution_policy.h>
#include <thrust/extrema.h>
#include <thrust/sequence.h>

#include_next <thrust/sort.h>
