// Included before CUB's headers: leaves out element types and ranges for profilers that no program here uses. They take
// half of the time that these headers cost the compiler.
#pragma once

#define CCCL_DISABLE_FP16_SUPPORT
#define CCCL_DISABLE_BF16_SUPPORT
#define CCCL_DISABLE_NVTX
