// SPDX-License-Identifier: MIT
#pragma once
// What both the command line and the kernels know about a convolution.

/// What lies beyond the ends of the signal: zeros, its first and last element, or the signal again. valid: nothing is
/// needed beyond them, so the output is shorter.
enum class Border { zero, clamp, wrap, valid };

/// The most weights: as f64 they fill half of constant memory.
constexpr unsigned largest_width = 4095;
