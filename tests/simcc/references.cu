// SPDX-License-Identifier: MIT
// Texture and surface references, which CUDA 12 removed: bound to linear memory, pitched memory and arrays, filtered,
// normalized, in a kernel template and through a pointer.
#include <cstdio>

#if __CUDACC_VER_MAJOR__ >= 12 && !defined(__SIMCC__)
#error "this CUDA has no texture references"
#endif

texture<int, 1, cudaReadModeElementType> line;
texture<unsigned char, cudaTextureType1D, cudaReadModeNormalizedFloat> levels;
texture<float, 2> image(0, cudaFilterModeLinear, cudaAddressModeClamp);
static texture<uchar4, 2, cudaReadModeNormalizedFloat> pixels;
texture<float, 3, cudaReadModeElementType> volume;
texture<float, cudaTextureType2DLayered> layers;
surface<void, cudaSurfaceType2D> target;

template <typename T>
__global__ void from_linear(T* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch(line, i) * 2;
}

__global__ void normalized(float* out) { out[threadIdx.x] = tex1Dfetch(levels, threadIdx.x); }
__global__ void filtered(float* out) { out[threadIdx.x] = tex2D(image, threadIdx.x + 1.0f, 1.0f); }
__global__ void channels(float* out) {
    float4 pixel = tex2D(pixels, threadIdx.x, 0);
    out[threadIdx.x] = pixel.x + pixel.w;
}
__global__ void deep(float* out) { out[threadIdx.x] = tex3D(volume, threadIdx.x % 2, threadIdx.x / 2 % 2, threadIdx.x / 4); }
__global__ void layered(float* out) { out[threadIdx.x] = tex2DLayered(layers, threadIdx.x, 0, 1); }
__global__ void write(int n) {
    int i = threadIdx.x;
    float old;
    surf2Dread(&old, target, i * sizeof(float), 0);
    if (i < n) surf2Dwrite(old + 0.5f, target, i * sizeof(float), 0, cudaBoundaryModeClamp);
}

template <typename T>
void show(const char* what, const T* device, int n) {
    T host[8];
    cudaMemcpy(host, device, n * sizeof(T), cudaMemcpyDeviceToHost);
    printf("%s:", what);
    for (int i = 0; i < n; ++i) printf(" %g", static_cast<double>(host[i]));
    printf("\n");
}

int main() {
    float* out;
    cudaMalloc((void**)&out, 8 * sizeof(float));

    int ints[4] = {1, 2, 3, 4}, *d_ints, *d_out;
    cudaMalloc(&d_ints, sizeof ints);
    cudaMalloc(&d_out, sizeof ints);
    cudaMemcpy(d_ints, ints, sizeof ints, cudaMemcpyHostToDevice);
    cudaBindTexture(0, line, d_ints, sizeof ints);
    from_linear<<<1, 8>>>(d_out, 4);
    show("linear", d_out, 4);
    size_t offset = 0;
    cudaBindTexture(&offset, line, d_ints + 2);
    from_linear<<<1, 4>>>(d_out, 4);
    show("from the third on, with offset", d_out, 4);
    printf("offset %d\n", (int)offset);
    cudaUnbindTexture(line);

    unsigned char bytes[4] = {0, 51, 102, 255}, *d_bytes;
    cudaMalloc(&d_bytes, sizeof bytes);
    cudaMemcpy(d_bytes, bytes, sizeof bytes, cudaMemcpyHostToDevice);
    const textureReference* reference;
    cudaGetTextureReference(&reference, &levels);
    cudaChannelFormatDesc format = cudaCreateChannelDesc<unsigned char>();
    cudaBindTexture(&offset, reference, d_bytes, &format, sizeof bytes);
    normalized<<<1, 4>>>(out);
    show("normalized", out, 4);

    float texels[8] = {0, 10, 20, 30, 40, 50, 60, 70}, *pitched;
    size_t pitch;
    cudaMallocPitch(&pitched, &pitch, 4 * sizeof(float), 2);
    cudaMemcpy2D(pitched, pitch, texels, 4 * sizeof(float), 4 * sizeof(float), 2, cudaMemcpyHostToDevice);
    cudaBindTexture2D(0, image, pitched, image.channelDesc, 4, 2, pitch);
    filtered<<<1, 4>>>(out);
    show("filtered", out, 4);

    format = cudaCreateChannelDesc<float>();
    cudaArray* array;
    cudaMallocArray(&array, &format, 4, 2, cudaArraySurfaceLoadStore);
    cudaMemcpy2DToArray(array, 0, 0, texels, 4 * sizeof(float), 4 * sizeof(float), 2, cudaMemcpyHostToDevice);
    image.filterMode = cudaFilterModePoint;
    image.addressMode[0] = cudaAddressModeBorder;
    cudaBindTextureToArray(image, array, format);
    filtered<<<1, 4>>>(out);
    show("not filtered, with a border", out, 4);
    cudaBindSurfaceToArray(target, array);
    write<<<1, 4>>>(2);
    filtered<<<1, 4>>>(out);
    cudaMemcpy2DFromArray(texels, 16, array, 0, 0, 16, 1, cudaMemcpyDeviceToHost);
    printf("surface: %g %g %g %g\n", texels[0], texels[1], texels[2], texels[3]);

    uchar4 colors[2] = {{255, 0, 0, 51}, {51, 0, 0, 51}};
    cudaChannelFormatDesc color = cudaCreateChannelDesc<uchar4>();
    cudaArray_t picture;
    cudaMallocArray(&picture, &color, 2, 1);
    cudaMemcpy2DToArray(picture, 0, 0, colors, sizeof colors, sizeof colors, 1, cudaMemcpyHostToDevice);
    cudaBindTextureToArray(pixels, picture);
    channels<<<1, 2>>>(out);
    show("four channels", out, 2);

    float cube[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    for (int kind = 0; kind < 2; ++kind) {
        cudaArray_t blocks;
        cudaMalloc3DArray(&blocks, &format, make_cudaExtent(2, 2, 2), kind ? cudaArrayLayered : 0);
        cudaMemcpy3DParms copy = {};
        copy.srcPtr = make_cudaPitchedPtr(cube, 2 * sizeof(float), 2, 2);
        copy.dstArray = blocks;
        copy.extent = make_cudaExtent(2, 2, 2);
        copy.kind = cudaMemcpyHostToDevice;
        cudaMemcpy3D(&copy);
        if (kind == 0) {
            cudaBindTextureToArray(volume, blocks);
            deep<<<1, 8>>>(out);
            show("three dimensions", out, 8);
        } else {
            cudaBindTextureToArray(layers, blocks);
            layered<<<1, 2>>>(out);
            show("second layer", out, 2);
        }
    }
    from_linear<<<1, 4>>>(d_out, 4);
    show("unbound", d_out, 4);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
