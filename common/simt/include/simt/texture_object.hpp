// What a texture or surface object is: a description that lies where its handle points.
#pragma once

#include "texture_types.h"

namespace simt {

struct TextureObject {
    char* data;            // the first texel
    size_t pitch, slice;   // bytes between rows, and between slices, layers or faces
    int extent[3];         // texels; 1 along axes that are not there
    size_t texel_bytes;
    cudaChannelFormatDesc format;
    cudaTextureDesc how;   // addressing, filter, read mode
};

}  // namespace simt
