// What a reduction does to two elements: for the kernels and for the host.
#pragma once

// An average is a sum that is divided at the end.
enum class Reduction { sum, product, minimum, maximum, average };
