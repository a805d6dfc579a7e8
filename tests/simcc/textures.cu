// SPDX-License-Identifier: MIT
// Textures on arrays, pitched and linear memory, and surfaces: addressing, filtering, formats, and what a GPU refuses.
#include <cuda_fp16.h>

#include <cstdio>
#include <vector>

constexpr int width = 37, height = 5;

static int failures = 0;

static void expect(const char* what, bool holds) {
    if (!holds && failures++ < 5) std::printf("wrong: %s\n", what);
}

static cudaTextureDesc point_clamped(cudaTextureAddressMode mode = cudaAddressModeClamp) {
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = mode;
    how.readMode = cudaReadModeElementType;
    return how;
}

static cudaResourceDesc on_array(cudaArray_t array) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static cudaResourceDesc on_pitched(void* data, cudaChannelFormatDesc format, size_t columns, size_t rows,
                                   size_t pitch) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = data;
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = columns;
    resource.res.pitch2D.height = rows;
    resource.res.pitch2D.pitchInBytes = pitch;
    return resource;
}

static cudaResourceDesc on_linear(void* data, cudaChannelFormatDesc format, size_t bytes) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = bytes;
    return resource;
}

static cudaError_t create(cudaTextureObject_t& texture, const cudaResourceDesc& resource,
                          const cudaTextureDesc& how = point_clamped()) {
    return cudaCreateTextureObject(&texture, &resource, &how, nullptr);
}

// The texel at (x + dx, y + dy) for every x and y.
template <class T>
__global__ void read(cudaTextureObject_t texture, T* out, float dx, float dy) {
    out[blockIdx.x * blockDim.x + threadIdx.x] = tex2D<T>(texture, threadIdx.x + dx, blockIdx.x + dy);
}

template <class T>
__global__ void read_linear(cudaTextureObject_t texture, T* out, int offset) {
    out[threadIdx.x] = tex1Dfetch<T>(texture, static_cast<int>(threadIdx.x) + offset);
}

template <class T>
static std::vector<T> read_all(cudaTextureObject_t texture, float dx = 0.5f, float dy = 0.5f) {
    T* out = nullptr;
    std::vector<T> values(width * height);
    cudaMalloc(&out, sizeof(T) * values.size());
    read<T><<<height, width>>>(texture, out, dx, dy);
    expect("a launch", cudaMemcpy(values.data(), out, sizeof(T) * values.size(), cudaMemcpyDeviceToHost) == cudaSuccess);
    cudaFree(out);
    return values;
}

static void addressing(cudaTextureObject_t texture, const std::vector<float>& texels) {
    const std::vector<float> inside = read_all<float>(texture), beyond = read_all<float>(texture, -2.5f, 3.5f);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            expect("a texel", inside[y * width + x] == texels[y * width + x]);
            const int near_x = x < 3 ? 0 : x - 3, near_y = y + 3 < height ? y + 3 : height - 1;
            expect("a clamped texel", beyond[y * width + x] == texels[near_y * width + near_x]);
        }
    }
}

__global__ void read_depth(cudaTextureObject_t texture, float* out, float z) {
    out[threadIdx.x] = tex3D<float>(texture, threadIdx.x + 0.5f, 0.5f, z);
}

// Between the border and the first slice there is a mean of both.
static void three_dimensions() {
    const float texels[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaMalloc3DArray(&array, &floats, cudaExtent{2, 2, 2});
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = cudaPitchedPtr{const_cast<float*>(texels), 2 * sizeof(float), 2, 2};
    copy.dstArray = array;
    copy.extent = cudaExtent{2, 2, 2};
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    cudaTextureDesc how = point_clamped(cudaAddressModeBorder);
    how.filterMode = cudaFilterModeLinear;
    how.borderColor[0] = 9;
    cudaTextureObject_t texture = 0;
    create(texture, on_array(array), how);
    float *out = nullptr, seen[2] = {};
    cudaMalloc(&out, sizeof seen);
    const float depths[] = {0, 0.5f, 1, 2}, expected[] = {(9 + 1) / 2.f, 1, (1 + 5) / 2.f, (5 + 9) / 2.f};
    for (int i = 0; i < 4; ++i) {
        read_depth<<<1, 2>>>(texture, out, depths[i]);
        cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost);
        expect("a sample between slices", seen[0] == expected[i]);
    }
    cudaDestroyTextureObject(texture);
    cudaFreeArray(array);
    cudaFree(out);
}

// Element first + i becomes its own number.
__global__ void number_surface(cudaSurfaceObject_t surface, int first, cudaSurfaceBoundaryMode mode) {
    const int x = first + static_cast<int>(threadIdx.x);
    surf2Dwrite(static_cast<float>(x), surface, x * static_cast<int>(sizeof(float)), 0, mode);
}

__global__ void read_surface(cudaSurfaceObject_t surface, cudaSurfaceBoundaryMode mode, float* out) {
    const int right = static_cast<int>((threadIdx.x + 1) * sizeof(float));
    out[threadIdx.x] = surf2Dread<float>(surface, right, 0, mode);
}

// Beyond the edge a read gives zero or the last element, and a write has no effect or goes to the last element.
static void surfaces(cudaArray_t array) {
    const cudaResourceDesc resource = on_array(array);
    cudaSurfaceObject_t surface = 0;
    expect("a surface", cudaCreateSurfaceObject(&surface, &resource) == cudaSuccess);
    float *out = nullptr, seen[width] = {};
    cudaMalloc(&out, sizeof seen);
    for (const cudaSurfaceBoundaryMode mode : {cudaBoundaryModeZero, cudaBoundaryModeClamp}) {
        const bool clamps = mode == cudaBoundaryModeClamp;
        number_surface<<<1, width>>>(surface, 0, mode);
        number_surface<<<1, 1>>>(surface, width, mode);
        read_surface<<<1, width>>>(surface, mode, out);
        cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost);
        expect("elements of a surface", seen[0] == 1 && seen[width - 3] == width - 2);
        expect("the last element of a surface", seen[width - 2] == (clamps ? width : width - 1));
        expect("beyond a surface", seen[width - 1] == (clamps ? width : 0));
    }
    cudaDestroySurfaceObject(surface);
    cudaFree(out);
}

int main() {
    three_dimensions();
    std::vector<float> texels(width * height);
    for (size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<float>(i * i % 251);
    const size_t row_bytes = width * sizeof(float);
    const cudaChannelFormatDesc floats = cudaCreateChannelDesc<float>();

    // The same texels in an array and in pitched memory.
    cudaArray_t array = nullptr;
    expect("an array", cudaMallocArray(&array, &floats, width, height, cudaArraySurfaceLoadStore) == cudaSuccess);
    cudaMemcpy2DToArray(array, 0, 0, texels.data(), row_bytes, row_bytes, height, cudaMemcpyHostToDevice);
    float* pitched = nullptr;
    size_t pitch = 0;
    cudaMallocPitch(&pitched, &pitch, row_bytes, height);
    cudaMemcpy2D(pitched, pitch, texels.data(), row_bytes, row_bytes, height, cudaMemcpyHostToDevice);
    cudaTextureObject_t of_array = 0, of_pitched = 0, texture = 0;
    expect("on an array", create(of_array, on_array(array)) == cudaSuccess);
    expect("on pitched memory", create(of_pitched, on_pitched(pitched, floats, width, height, pitch)) == cudaSuccess);
    addressing(of_array, texels);
    addressing(of_pitched, texels);

    // Borders.
    cudaTextureDesc how = point_clamped(cudaAddressModeBorder);
    how.borderColor[0] = 7;
    create(texture, on_array(array), how);
    const std::vector<float> bordered = read_all<float>(texture, -0.5f, 0.5f);
    expect("a border", bordered[0] == 7 && bordered[1] == texels[0]);
    cudaDestroyTextureObject(texture);

    // Halfway between texel centers a filtered sample is the mean of four.
    how = point_clamped();
    how.filterMode = cudaFilterModeLinear;
    create(texture, on_pitched(pitched, floats, width, height, pitch), how);
    const std::vector<float> filtered = read_all<float>(texture, 1, 1);
    expect("a filtered sample", filtered[0] == (texels[0] + texels[1] + texels[width] + texels[width + 1]) / 4);
    cudaDestroyTextureObject(texture);

    // Halves are read as floats, bytes as normalized ones.
    std::vector<__half> halves(width * height);
    std::vector<signed char> bytes(width * height);
    for (size_t i = 0; i < halves.size(); ++i) halves[i] = __float2half(texels[i]);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<signed char>(i % 256 - 128);
    const cudaChannelFormatDesc of_half = cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat),
                                of_byte = cudaCreateChannelDesc<signed char>();
    void* small = nullptr;
    size_t small_pitch = 0;
    cudaMallocPitch(&small, &small_pitch, width * 2, height);
    cudaMemcpy2D(small, small_pitch, halves.data(), width * 2, width * 2, height, cudaMemcpyHostToDevice);
    create(texture, on_pitched(small, of_half, width, height, small_pitch));
    expect("halves", read_all<float>(texture) == texels);
    cudaDestroyTextureObject(texture);
    cudaMemcpy2D(small, small_pitch, bytes.data(), width, width, height, cudaMemcpyHostToDevice);
    how = point_clamped();
    how.readMode = cudaReadModeNormalizedFloat;
    create(texture, on_pitched(small, of_byte, width, height, small_pitch), how);
    const std::vector<float> normalized = read_all<float>(texture);
    for (size_t i = 0; i < bytes.size(); ++i)
        expect("a normalized byte", normalized[i] == fmaxf(static_cast<float>(bytes[i]) / 127, -1));
    cudaDestroyTextureObject(texture);

    // A linear texture ends at its last texel: beyond there are zeros, whatever the border is.
    float* out = nullptr;
    float linear[width] = {};
    cudaMalloc(&out, sizeof linear);
    how = point_clamped();
    how.borderColor[0] = 7;
    expect("on linear memory", create(texture, on_linear(pitched, floats, row_bytes), how) == cudaSuccess);
    read_linear<<<1, width>>>(texture, out, 2);
    cudaMemcpy(linear, out, sizeof linear, cudaMemcpyDeviceToHost);
    expect("a linear fetch", linear[0] == texels[2] && linear[width - 3] == texels[width - 1] && linear[width - 2] == 0);
    cudaDestroyTextureObject(texture);

    // What a GPU refuses.
    const auto refused = [&](const cudaResourceDesc& resource) { return create(texture, resource) == cudaErrorInvalidValue; };
    expect("an address between rows", refused(on_pitched(pitched + 1, floats, width, height, pitch)));
    expect("a pitch that is no multiple of 32", refused(on_pitched(pitched, floats, width, 1, pitch + 4)));
    expect("a pitch below the width", refused(on_pitched(pitched, floats, width, height, 128)));
    expect("too many columns", refused(on_pitched(pitched, floats, 131073, 1, 1 << 20)));
    expect("too many rows", refused(on_pitched(pitched, floats, width, 65001, pitch)));
    expect("no rows", refused(on_pitched(pitched, floats, width, 0, pitch)));
    expect("an unaligned address", refused(on_linear(pitched + 1, floats, 4)));
    cudaArray_t none = nullptr;
    expect("a wide array", cudaMallocArray(&none, &floats, 131073, 2) == cudaErrorInvalidValue);
    expect("a high array", cudaMallocArray(&none, &floats, 2, 65537) == cudaErrorInvalidValue);
    cudaGetLastError();

    surfaces(array);
    cudaDestroyTextureObject(of_array);
    cudaDestroyTextureObject(of_pitched);
    cudaFreeArray(array);
    cudaFree(pitched);
    cudaFree(small);
    cudaFree(out);
    std::printf("%d failures, %s\n", failures, cudaGetErrorName(cudaDeviceSynchronize()));
}
