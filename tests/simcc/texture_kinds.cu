// SPDX-License-Identifier: MIT
// Gathered texels, gradients and levels of detail of every kind of texture, and fetches that tell whether texels are
// resident: textures have one level, and all of it.
#include <cstdio>

constexpr int width = 4, height = 4, layers = 6;

__global__ void flat(cudaTextureObject_t texture, cudaTextureObject_t pairs, int* wrong) {
    const auto is = [&](float4 v, float a, float b, float c, float d) {
        *wrong += v.x != a || v.y != b || v.z != c || v.w != d;
    };
    // Texel (x, y) holds 10 y + x. Around (2, 2) lie columns and rows 1 and 2.
    is(tex2Dgather<float4>(texture, 2, 2), 21, 22, 12, 11);
    is(tex2Dgather<float4>(texture, 2.4f, 1.6f, 0), 21, 22, 12, 11);
    is(tex2Dgather<float4>(texture, 0, 0), 0, 0, 0, 0);
    is(tex2Dgather<float4>(texture, 4, 4), 33, 33, 33, 33);
    is(tex2Dgather<float4>(texture, 2, 2, 1), 0, 0, 0, 0);
    const int4 first = tex2Dgather<int4>(pairs, 2, 2), second = tex2Dgather<int4>(pairs, 2, 2, 1);
    *wrong += first.x != 21 || first.y != 22 || first.z != 12 || first.w != 11;
    *wrong += second.x != -21 || second.y != -22 || second.z != -12 || second.w != -11;
    bool resident = false;
    is(tex2Dgather<float4>(texture, 2, 2, &resident, 0), 21, 22, 12, 11);
    *wrong += !resident;
    float4 stored;
    tex2Dgather(&stored, texture, 3.f, 2.f);
    is(stored, 22, 23, 13, 12);
    tex2Dgather(&stored, texture, 3.f, 1.f, &(resident = false));
    is(stored, 12, 13, 3, 2);
    *wrong += !resident;
    const float2 slope = make_float2(3, 4);
    float value;
    *wrong += tex2DGrad<float>(texture, 1.5f, 2.5f, slope, slope) != 21;
    *wrong += tex2DGrad<float>(texture, 1.5f, 2.5f, slope, slope, &resident) != 21;
    *wrong += tex2D<float>(texture, 2, 2, &(resident = false)) != 16.5f || !resident;
    *wrong += tex2DLod<float>(texture, 2, 2, 5.f, &(resident = false)) != 16.5f || !resident;
    tex2DLod(&value, texture, 1.5f, 1.5f, 2.f);
    *wrong += value != 11;
    tex2DGrad(&value, texture, 3.5f, 1.5f, slope, slope);
    *wrong += value != 13;
}

__global__ void deep(cudaTextureObject_t stack, cudaTextureObject_t volume, cudaTextureObject_t cube,
                     cudaTextureObject_t line, int* wrong) {
    const float2 slope = make_float2(1, 0);
    const float4 slopes = make_float4(1, 0, 0, 0);
    bool resident = false;
    float value;
    for (int layer = 0; layer < layers; ++layer) {
        const float texel = 100 * layer + 21;
        *wrong += tex2DLayered<float>(stack, 1.5f, 2.5f, layer, &(resident = false)) != texel || !resident;
        *wrong += tex2DLayeredLod<float>(stack, 1.5f, 2.5f, layer, 1.f) != texel;
        *wrong += tex2DLayeredGrad<float>(stack, 1.5f, 2.5f, layer, slope, slope) != texel;
        tex2DLayeredLod(&value, stack, 1.5f, 2.5f, layer, 1.f, &resident);
        *wrong += value != texel;
        *wrong += tex3D<float>(volume, 1.5f, 2.5f, layer + .5f, &(resident = false)) != texel || !resident;
        *wrong += tex3DGrad<float>(volume, 1.5f, 2.5f, layer + .5f, slopes, slopes) != texel;
        *wrong += tex3DLod<float>(volume, 1.5f, 2.5f, layer + .5f, 2.f, &resident) != texel;
    }
    // The middle of the face towards -y, which is the fourth: between texels 11, 12, 21 and 22.
    *wrong += texCubemap<float>(cube, 0, -1, 0) != 316.5f || texCubemapLod<float>(cube, 0, -1, 0, 1) != 316.5f;
    *wrong += texCubemapGrad<float>(cube, 0, -1, 0, slopes, slopes) != 316.5f;
    *wrong += tex1D<float>(line, 2.5f) != 2 || tex1DLod<float>(line, 2.5f, 1.f) != 2;
    *wrong += tex1DGrad<float>(line, 2.5f, 1.f, 1.f) != 2;
    tex1DGrad(&value, line, 1.5f, 1.f, 1.f);
    *wrong += value != 1;
}

template <typename T>
cudaTextureObject_t texture_of(const T* texels, cudaExtent extent, unsigned flags) {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t array;
    cudaMalloc3DArray(&array, &format, extent, flags);
    cudaMemcpy3DParms copy = {};
    const size_t rows = extent.height ? extent.height : 1, slices = extent.depth ? extent.depth : 1;
    copy.srcPtr = make_cudaPitchedPtr(const_cast<T*>(texels), extent.width * sizeof(T), extent.width, rows);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(extent.width, rows, slices);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    for (cudaTextureAddressMode& mode : how.addressMode) mode = cudaAddressModeClamp;
    how.filterMode = sizeof(T) == sizeof(float) ? cudaFilterModeLinear : cudaFilterModePoint;
    cudaTextureObject_t texture = 0;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    return texture;
}

int main() {
    float texels[layers][height][width];
    int2 pairs[height][width];
    for (int z = 0; z < layers; ++z) {
        for (int y = 0; y < height; ++y) {
            for (int x = 0; x < width; ++x) {
                texels[z][y][x] = 100 * z + 10 * y + x;
                pairs[y][x] = make_int2(10 * y + x, -10 * y - x);
            }
        }
    }
    int* wrong;
    cudaMallocManaged(&wrong, sizeof *wrong);
    *wrong = 0;
    const cudaExtent plane = make_cudaExtent(width, height, 0), stack = make_cudaExtent(width, height, layers);
    flat<<<1, 1>>>(texture_of(&texels[0][0][0], plane, cudaArrayTextureGather),
                   texture_of(&pairs[0][0], plane, cudaArrayTextureGather), wrong);
    deep<<<1, 1>>>(texture_of(&texels[0][0][0], stack, cudaArrayLayered), texture_of(&texels[0][0][0], stack, 0),
                   texture_of(&texels[0][0][0], stack, cudaArrayCubemap),
                   texture_of(&texels[0][0][0], make_cudaExtent(width, 0, 0), 0), wrong);
    printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
    printf(" %d\n", *wrong);
}
