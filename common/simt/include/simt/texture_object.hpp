// SPDX-License-Identifier: MIT
// A texture or surface object: a description at the address in its handle.
#pragma once

#include "texture_types.h"

namespace simt {

struct TextureObject {
    char* data;           // the first texel
    size_t pitch, slice;  // bytes between rows, and between slices, layers or faces
    int extent[3];        // texels; 1 along unused axes
    size_t texel_bytes;
    bool is_array;  // on an array, where CUDA does not document the order of texels
    cudaChannelFormatDesc format;
    cudaTextureDesc how;  // addressing, filter, read mode
};

}  // namespace simt
