// SPDX-License-Identifier: MIT
// The functions of the driver API that simcc(1) lists, in a program that also uses the runtime.
#include <cuda.h>

#include <cstdio>
#include <cstring>

static int failures = 0;
#define EXPECT(condition) \
    if (!(condition)) ++failures, std::printf("wrong: %s\n", #condition)
#define FINE(call) EXPECT((call) == CUDA_SUCCESS)

__global__ void twice(int* p) { p[threadIdx.x] *= 2; }

int main() {
    int version = 0, count = 0, warp_size = 0;
    size_t bytes = 0, free_bytes = 0;
    char name[64] = "";
    CUdevice device = 7, current = 7;
    CUuuid uuid;
    FINE(cuInit(0));
    FINE(cuDriverGetVersion(&version));
    EXPECT(version == CUDA_VERSION);
    FINE(cuDeviceGetCount(&count));
    EXPECT(count == 1);
    FINE(cuDeviceGet(&device, 0));
    EXPECT(cuDeviceGet(&current, 5) == CUDA_ERROR_INVALID_DEVICE);
    FINE(cuDeviceGetAttribute(&warp_size, CU_DEVICE_ATTRIBUTE_WARP_SIZE, device));
    EXPECT(warp_size == 32);
    FINE(cuDeviceGetName(name, sizeof name, device));
    EXPECT(std::strlen(name) > 3);
    FINE(cuDeviceTotalMem(&bytes, device));
    EXPECT(bytes > 1 << 20);
    FINE(cuDeviceGetUuid(&uuid, device));

    CUcontext context = nullptr, created = nullptr;
    FINE(cuDevicePrimaryCtxRetain(&context, device));
    FINE(cuCtxSetCurrent(context));
    FINE(cuCtxGetDevice(&current));
    EXPECT(current == device);
    FINE(cuCtxCreate(&created, nullptr, 0, device));

    int values[32], back[32];
    for (int i = 0; i < 32; ++i) values[i] = i;
    CUdeviceptr a = 0, b = 0;
    FINE(cuMemGetInfo(&free_bytes, &bytes));
    EXPECT(free_bytes <= bytes);
    FINE(cuMemAlloc(&a, sizeof values));
    EXPECT(cuMemAlloc(&b, 0) == CUDA_ERROR_INVALID_VALUE);
    FINE(cuMemAlloc(&b, sizeof values));
    FINE(cuMemcpyHtoD(a, values, sizeof values));
    CUstream stream;
    CUevent start, stop;
    float milliseconds = -1;
    FINE(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    FINE(cuEventCreate(&start, CU_EVENT_DEFAULT));
    FINE(cuEventCreate(&stop, CU_EVENT_DEFAULT));
    FINE(cuEventRecord(start, stream));
    twice<<<1, 32, 0, stream>>>(reinterpret_cast<int*>(a));
    FINE(cuEventRecord(stop, stream));
    FINE(cuEventSynchronize(stop));
    FINE(cuStreamSynchronize(stream));
    FINE(cuEventElapsedTime(&milliseconds, start, stop));
    EXPECT(milliseconds >= 0);
    FINE(cuMemcpyDtoD(b, a, sizeof values));
    FINE(cuMemcpyDtoH(back, b, sizeof values));
    for (int i = 0; i < 32; ++i) EXPECT(back[i] == 2 * i);
    FINE(cuMemsetD8(b, 1, sizeof values));
    FINE(cuMemcpyDtoH(back, b, sizeof values));
    EXPECT(back[31] == 0x01010101);
    FINE(cuCtxSynchronize());
    FINE(cuMemFree(a));
    FINE(cuMemFree(b));
    FINE(cuEventDestroy(start));
    FINE(cuEventDestroy(stop));
    FINE(cuStreamDestroy(stream));

    const char* text = nullptr;
    FINE(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text));
    EXPECT(!std::strcmp(text, "CUDA_ERROR_OUT_OF_MEMORY"));
    FINE(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text));
    EXPECT(!std::strcmp(text, "out of memory"));
    FINE(cuCtxDestroy(created));
    FINE(cuDevicePrimaryCtxRelease(device));
    std::printf("%d failures\n", failures);
}
