// SPDX-License-Identifier: MIT
// Texture fetches and constant loads, which are no global loads. One warp each.
#include <cstdio>

__constant__ float coefficients[64];
__device__ float factors[64];

__global__ void rows(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 1.5f);
}

__global__ void columns(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex2D<float>(texture, 1.5f, threadIdx.x + 0.5f);
}

__global__ void of_array(cudaTextureObject_t texture, float* out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 1.5f);
}

// A texel of 16 bytes is asked for once, not once for each of its parts.
__global__ void linear4(cudaTextureObject_t texture, float4* out) {
    out[threadIdx.x] = tex1Dfetch<float4>(texture, static_cast<int>(threadIdx.x));
}

__global__ void two(cudaTextureObject_t texture, float* out) {
    const float first = tex2D<float>(texture, threadIdx.x + 0.5f, 0.5f);
    out[threadIdx.x] = first + tex2D<float>(texture, 4 * threadIdx.x + 0.5f, 1.5f);
}

__global__ void on_surface(cudaSurfaceObject_t surface, float* out) {
    const int x = static_cast<int>(threadIdx.x * sizeof(float));
    const float read = surf2Dread<float>(surface, x, 0);
    surf2Dwrite(read, surface, x, 1);
    out[threadIdx.x] = read;
}

__global__ void uniform(float* out) { out[threadIdx.x] = coefficients[5]; }
__global__ void pairs(float* out) { out[threadIdx.x] = coefficients[threadIdx.x / 2]; }
__global__ void each(float* out) { out[threadIdx.x] = coefficients[threadIdx.x] * factors[threadIdx.x]; }

int main() {
    constexpr int width = 128, height = 32;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), format4 = cudaCreateChannelDesc<float4>();
    float *data = nullptr, *out = nullptr;
    size_t pitch = 0;
    if (cudaMallocPitch(&data, &pitch, width * sizeof(float), height) != cudaSuccess) return 1;
    cudaMemset2D(data, pitch, 0, pitch, height);
    cudaMalloc(&out, 512);
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, width, height, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, data, pitch, width * sizeof(float), height, cudaMemcpyDeviceToDevice);

    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t pitched = 0, opaque = 0, linear = 0;
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = data;
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = width;
    resource.res.pitch2D.height = height;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaCreateTextureObject(&pitched, &resource, &how, nullptr);
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaCreateTextureObject(&opaque, &resource, &how, nullptr);
    cudaSurfaceObject_t surface = 0;
    cudaCreateSurfaceObject(&surface, &resource);
    resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data;
    resource.res.linear.desc = format4;
    resource.res.linear.sizeInBytes = width * sizeof(float);
    cudaCreateTextureObject(&linear, &resource, &how, nullptr);
    const float zeros[64] = {};
    cudaMemcpyToSymbol(coefficients, zeros, sizeof zeros);

    rows<<<1, 32>>>(pitched, out);
    columns<<<1, 32>>>(pitched, out);
    of_array<<<1, 32>>>(opaque, out);
    linear4<<<1, 32>>>(linear, reinterpret_cast<float4*>(out));
    two<<<1, 32>>>(pitched, out);
    on_surface<<<1, 32>>>(surface, out);
    uniform<<<1, 32>>>(out);
    pairs<<<1, 32>>>(out);
    each<<<1, 32>>>(out);
    const cudaError_t error = cudaDeviceSynchronize();
    if (error != cudaSuccess) std::printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
