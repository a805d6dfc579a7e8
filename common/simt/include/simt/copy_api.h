// SPDX-License-Identifier: MIT
// The runtime API for copying and filling memory. Widths are in bytes, except that cudaMemcpy3D counts elements if an
// array takes part. A range outside its allocation, or a pointer on the wrong side, gives cudaErrorInvalidValue.
#pragma once

#include "driver_types.h"
#include "simt/declare.h"

SIMT_API(cudaMemcpy, void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpyAsync, void* to, const void* from, size_t bytes, enum cudaMemcpyKind kind,
         cudaStream_t stream = nullptr);
SIMT_API(cudaMemcpy2D, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
         enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpy2DAsync, void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
         size_t height, enum cudaMemcpyKind kind, cudaStream_t stream = nullptr);
SIMT_API(cudaMemcpy3D, const struct cudaMemcpy3DParms* parameters);
SIMT_API(cudaMemcpy3DAsync, const struct cudaMemcpy3DParms* parameters, cudaStream_t stream = nullptr);
SIMT_API(cudaMemcpy3DPeer, const struct cudaMemcpy3DPeerParms* parameters);
SIMT_API(cudaMemcpy3DPeerAsync, const struct cudaMemcpy3DPeerParms* parameters, cudaStream_t stream = nullptr);
SIMT_API(cudaMemcpyPeer, void* to, int to_device, const void* from, int from_device, size_t bytes);
SIMT_API(cudaMemcpyPeerAsync, void* to, int to_device, const void* from, int from_device, size_t bytes,
         cudaStream_t stream = nullptr);

SIMT_API(cudaMemcpyToSymbol, const void* symbol, const void* from, size_t bytes, size_t offset = 0,
         enum cudaMemcpyKind kind = cudaMemcpyHostToDevice);
SIMT_API(cudaMemcpyFromSymbol, void* to, const void* symbol, size_t bytes, size_t offset = 0,
         enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost);
SIMT_API(cudaMemcpyToSymbolAsync, const void* symbol, const void* from, size_t bytes, size_t offset,
         enum cudaMemcpyKind kind, cudaStream_t stream = nullptr);
SIMT_API(cudaMemcpyFromSymbolAsync, void* to, const void* symbol, size_t bytes, size_t offset,
         enum cudaMemcpyKind kind, cudaStream_t stream = nullptr);

SIMT_API(cudaMemset, void* to, int value, size_t bytes);
SIMT_API(cudaMemsetAsync, void* to, int value, size_t bytes, cudaStream_t stream = nullptr);
SIMT_API(cudaMemset2D, void* to, size_t pitch, int value, size_t width, size_t height);
SIMT_API(cudaMemset2DAsync, void* to, size_t pitch, int value, size_t width, size_t height,
         cudaStream_t stream = nullptr);
SIMT_API(cudaMemset3D, struct cudaPitchedPtr to, int value, struct cudaExtent extent);
SIMT_API(cudaMemset3DAsync, struct cudaPitchedPtr to, int value, struct cudaExtent extent,
         cudaStream_t stream = nullptr);

// Arrays: x_bytes and width are bytes, y and height are rows.
SIMT_API(cudaMemcpy2DToArray, cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch, size_t width,
         size_t height, enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpy2DToArrayAsync, cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t pitch,
         size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream = nullptr);
SIMT_API(cudaMemcpy2DFromArray, void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y, size_t width,
         size_t height, enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpy2DFromArrayAsync, void* to, size_t pitch, cudaArray_const_t from, size_t x_bytes, size_t y,
         size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream = nullptr);
SIMT_API(cudaMemcpy2DArrayToArray, cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
         size_t from_x_bytes, size_t from_y, size_t width, size_t height,
         enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);
SIMT_API(cudaMemcpyToArray, cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t bytes,
         enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpyFromArray, void* to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes,
         enum cudaMemcpyKind kind);
SIMT_API(cudaMemcpyToArrayAsync, cudaArray_t to, size_t x_bytes, size_t y, const void* from, size_t bytes,
         enum cudaMemcpyKind kind, cudaStream_t stream = nullptr);
SIMT_API(cudaMemcpyFromArrayAsync, void* to, cudaArray_const_t from, size_t x_bytes, size_t y, size_t bytes,
         enum cudaMemcpyKind kind, cudaStream_t stream = nullptr);
SIMT_API(cudaMemcpyArrayToArray, cudaArray_t to, size_t to_x_bytes, size_t to_y, cudaArray_const_t from,
         size_t from_x_bytes, size_t from_y, size_t bytes, enum cudaMemcpyKind kind = cudaMemcpyDeviceToDevice);
