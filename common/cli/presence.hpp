// SPDX-License-Identifier: MIT
// Guesses whether there is a GPU without starting a driver, which takes long.
#pragma once

// Whether "auto" will probably be the simulator.
bool seems_without_gpu();
