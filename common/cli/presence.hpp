// Whether there is a GPU, as far as it can be told without starting a driver, which takes long.
#pragma once

// Whether "auto" is likely to be the simulator.
bool seems_without_gpu();
