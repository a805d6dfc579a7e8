// SPDX-License-Identifier: MIT
// The rules of the programming guide's "Texture Fetching": address modes, linear filtering with weights of 8 fractional
// bits, bytes read as fractions; and what a launch writes through a surface, the next one reads through a texture.
#include <cstdio>

constexpr int width = 4, first = -5, last = 9, count = last - first + 1;

static int failures = 0;

static void expect(const char* what, int place, float got, float wanted) {
    if (!(got == wanted) && failures++ < 5) std::printf("wrong: %s, %d: %g, not %g\n", what, place, got, wanted);
}

static cudaTextureObject_t texture_on(cudaArray_t array, cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                                      bool normalized, cudaTextureReadMode as = cudaReadModeElementType) {
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = mode;
    how.filterMode = filter;
    how.readMode = as;
    how.normalizedCoords = normalized;
    how.borderColor[0] = 7 * 256;
    cudaTextureObject_t texture = 0;
    if (cudaCreateTextureObject(&texture, &resource, &how, nullptr) != cudaSuccess) ++failures;
    return texture;
}

// Around texels first to last, `offset` from each one's center.
__global__ void sample(cudaTextureObject_t texture, float offset, float scale, bool is_row, float* out) {
    const float at = (first + static_cast<int>(threadIdx.x) + 0.5f + offset) * scale;
    out[threadIdx.x] = is_row ? tex2D<float>(texture, at, 0.5f * scale) : tex2D<float>(texture, 0.5f * scale, at);
}

// The matrix is square, with texel 256 x in its first row and 256 y in its first column. `texels`: the number of the
// texel that is read at first, ..., last; 7 is the border.
static void modes(const char* what, cudaArray_t array, cudaTextureAddressMode mode, bool normalized,
                  const char (&texels)[count + 1]) {
    const float scale = normalized ? 1.0f / width : 1;
    float *out = nullptr, seen[count];
    cudaMalloc(&out, sizeof seen);
    for (const bool is_row : {true, false}) {
        const cudaTextureObject_t point = texture_on(array, mode, cudaFilterModePoint, normalized),
                                  linear = texture_on(array, mode, cudaFilterModeLinear, normalized);
        for (const float offset : {-0.4f, 0.f, 0.4f}) {
            sample<<<1, count>>>(point, offset, scale, is_row, out);
            cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost);
            for (int i = 0; i < count; ++i) expect(what, first + i, seen[i], 256.f * (texels[i] - '0'));
        }
        // 0.3 is 77 / 256, and 0.501 is 128 / 256, in 8 fractional bits. So all results are whole numbers.
        for (const int weight : {0, 77, 128}) {
            sample<<<1, count>>>(linear, weight == 77 ? 0.3f : weight == 128 ? 0.501f : 0.f, scale, is_row, out);
            cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost);
            for (int i = 0; i + 1 < count; ++i)
                expect(what, first + i, seen[i],
                       static_cast<float>((256 - weight) * (texels[i] - '0') + weight * (texels[i + 1] - '0')));
        }
        cudaDestroyTextureObject(point);
        cudaDestroyTextureObject(linear);
    }
    cudaFree(out);
}

__global__ void write_bytes(cudaSurfaceObject_t surface) {
    const int x = static_cast<int>(threadIdx.x), y = static_cast<int>(blockIdx.x);
    const auto byte = [](int value) { return static_cast<unsigned char>(value); };
    surf2Dwrite(make_uchar4(byte(x), byte(y), byte(255 - x), byte(51 * y)), surface, 4 * x, y);
}

__global__ void read_fractions(cudaTextureObject_t texture, float4* out) {
    out[blockIdx.x * width + threadIdx.x] = tex2D<float4>(texture, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
}

// Between two texels, a mean of fractions.
__global__ void read_between(cudaTextureObject_t texture, float* out) { *out = tex2D<float4>(texture, 0.5f, 1).w; }

static void bytes() {
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<uchar4>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, width, width, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t surface = 0;
    cudaCreateSurfaceObject(&surface, &resource);
    write_bytes<<<width, width>>>(surface);
    const cudaTextureObject_t point = texture_on(array, cudaAddressModeClamp, cudaFilterModePoint, false,
                                                 cudaReadModeNormalizedFloat),
                              linear = texture_on(array, cudaAddressModeClamp, cudaFilterModeLinear, false,
                                                  cudaReadModeNormalizedFloat);
    float4 *out = nullptr, seen[width * width];
    float *mean = nullptr, seen_mean = 0;
    cudaMalloc(&out, sizeof seen);
    cudaMalloc(&mean, sizeof seen_mean);
    read_fractions<<<width, width>>>(point, out);
    read_between<<<1, 1>>>(linear, mean);
    cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost);
    cudaMemcpy(&seen_mean, mean, sizeof seen_mean, cudaMemcpyDeviceToHost);
    for (int i = 0; i < width * width; ++i) {
        const int x = i % width, y = i / width;
        expect("x", i, seen[i].x, x / 255.f);
        expect("y", i, seen[i].y, y / 255.f);
        expect("z", i, seen[i].z, (255 - x) / 255.f);
        expect("w", i, seen[i].w, y / 5.f);
    }
    expect("a mean of fractions", 0, seen_mean, 0.1f);
    // Integers as they are have no mean.
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t none = 0;
    if (cudaCreateTextureObject(&none, &resource, &how, nullptr) != cudaErrorInvalidFilterSetting) ++failures;
    cudaGetLastError();
    cudaDestroyTextureObject(point);
    cudaDestroyTextureObject(linear);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(array);
    cudaFree(out);
    cudaFree(mean);
}

int main() {
    float texels[width][width] = {};
    for (int i = 0; i < width; ++i) texels[0][i] = texels[i][0] = 256.f * i;
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array = nullptr;
    cudaMallocArray(&array, &format, width, width);
    cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels[0], sizeof texels[0], width, cudaMemcpyHostToDevice);
    modes("clamp", array, cudaAddressModeClamp, true, "000000123333333");
    modes("border", array, cudaAddressModeBorder, true, "777770123777777");
    modes("wrap", array, cudaAddressModeWrap, true, "301230123012301");
    modes("mirror", array, cudaAddressModeMirror, true, "332100123321001");
    // In coordinates of texels wrap and mirror are clamp.
    modes("clamp in texels", array, cudaAddressModeClamp, false, "000000123333333");
    modes("border in texels", array, cudaAddressModeBorder, false, "777770123777777");
    modes("wrap in texels", array, cudaAddressModeWrap, false, "000000123333333");
    modes("mirror in texels", array, cudaAddressModeMirror, false, "000000123333333");
    bytes();
    cudaFreeArray(array);
    std::printf("%d failures, %s\n", failures, cudaGetErrorName(cudaDeviceSynchronize()));
}
