// SPDX-License-Identifier: MIT
// Loads the module that the first argument names, and launches its kernels in every way of the driver API.
#include <cuda.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

static int failures = 0;
#define EXPECT(condition) \
    if (!(condition)) ++failures, std::printf("line %d is wrong: %s\n", __LINE__, #condition)
#define FINE(call) EXPECT((call) == CUDA_SUCCESS)

struct Pair {
    double a;
    char b;
};

/// As programs load PTX: a string that ends at its first null character, with logs.
static void load_text(const char* ptx) {
    char log[64] = "not read", errors[64] = "nor this";
    CUjit_option options[] = {CU_JIT_INFO_LOG_BUFFER, CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES, CU_JIT_ERROR_LOG_BUFFER,
                              CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void* const size = reinterpret_cast<void*>(sizeof log);
    void* values[] = {log, size, errors, size};
    CUmodule module;
    CUfunction scale;
    FINE(cuModuleLoadDataEx(&module, std::string(ptx).c_str(), 4, options, values));
    EXPECT(std::strstr(log, "not read") == nullptr && errors[0] == 0);
    FINE(cuModuleGetFunction(&scale, module, "scale"));
    FINE(cuModuleUnload(module));
    CUlinkState state;
    void* whole;
    size_t bytes;
    FINE(cuLinkCreate(4, options, values, &state));
    FINE(cuLinkAddData(state, CU_JIT_INPUT_PTX, const_cast<char*>(ptx), std::strlen(ptx) + 1, "ptx", 0, nullptr, nullptr));
    FINE(cuLinkComplete(state, &whole, &bytes));
    FINE(cuModuleLoadData(&module, whole));
    FINE(cuLinkDestroy(state));
    FINE(cuModuleGetFunction(&scale, module, "scale"));
    FINE(cuModuleUnload(module));
}

int main(int, char** arguments) {
    CUdevice device;
    CUcontext context, popped;
    CUmodule module, second;
    CUdeviceptr x;
    EXPECT(cuMemAlloc(&x, 4) == CUDA_ERROR_NOT_INITIALIZED);
    FINE(cuInit(0));
    EXPECT(cuMemAlloc(&x, 4) == CUDA_ERROR_INVALID_CONTEXT);
    FINE(cuDeviceGet(&device, 0));
    FINE(cuDevicePrimaryCtxRetain(&context, device));
    FINE(cuCtxPushCurrent(context));
    FINE(cuCtxGetCurrent(&popped));
    EXPECT(popped == context);

    FINE(cuModuleLoad(&module, arguments[1]));
    std::ifstream file(arguments[1], std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(file), {}};
    FINE(cuModuleLoadData(&second, image.data()));
    EXPECT(cuModuleLoad(&second, "nowhere.cubin") == CUDA_ERROR_FILE_NOT_FOUND);
    if (std::string(arguments[1]).find(".ptx") != std::string::npos) {
        load_text(image.c_str());
        EXPECT(std::strlen(image.c_str()) == image.size());
    }

    CUfunction scale, reverse, store, none;
    FINE(cuModuleGetFunction(&scale, module, "scale"));
    FINE(cuModuleGetFunction(&reverse, module, "reverse"));
    FINE(cuModuleGetFunction(&store, module, "_Z5storeIiEvPT_S0_"));
    EXPECT(cuModuleGetFunction(&none, module, "malloc") == CUDA_ERROR_NOT_FOUND);
    CUdeviceptr factors, calls;
    size_t bytes = 0;
    FINE(cuModuleGetGlobal(&factors, &bytes, module, "factors"));
    EXPECT(bytes == 16);
    FINE(cuModuleGetGlobal(&calls, &bytes, module, "calls"));
    EXPECT(bytes == 4);
    EXPECT(cuModuleGetGlobal(&x, &bytes, module, "absent") == CUDA_ERROR_NOT_FOUND);

    // A kernel's parameters, by their addresses and in a buffer.
    const float host_factors[4] = {1, 2, 3, 4};
    FINE(cuMemcpyHtoD(factors, host_factors, sizeof host_factors));
    float host[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    int n = 8;
    Pair pair = {0.5, 1};
    FINE(cuMemAlloc(&x, sizeof host));
    FINE(cuMemcpyHtoD(x, host, sizeof host));
    void* parameters[] = {&x, &n, &pair};
    FINE(cuLaunchKernel(scale, 2, 1, 1, 4, 1, 1, 0, nullptr, parameters, nullptr));
    struct {
        CUdeviceptr x;
        int n;
        Pair pair;
    } buffer = {x, n, pair};
    size_t buffer_bytes = sizeof buffer;
    void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &buffer_bytes,
                     CU_LAUNCH_PARAM_END};
    FINE(cuLaunchKernel(scale, 2, 1, 1, 4, 1, 1, 0, nullptr, nullptr, extra));
    buffer_bytes = 8;
    EXPECT(cuLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, nullptr, nullptr, extra) == CUDA_ERROR_INVALID_VALUE);
    EXPECT(cuLaunchKernel(scale, 1, 1, 1, 4, 1, 1, 0, nullptr, nullptr, nullptr) == CUDA_ERROR_INVALID_VALUE);
    FINE(cuMemcpyDtoH(host, x, sizeof host));
    std::printf("%g %g %g %g %g\n", host[0], host[1], host[2], host[3], host[7]);
    int count = 0;
    FINE(cuMemcpyDtoH(&count, calls, sizeof count));
    EXPECT(count == 5);
    FINE(cuModuleGetGlobal(&calls, &bytes, second, "calls"));
    FINE(cuMemcpyDtoH(&count, calls, sizeof count));
    EXPECT(count == 3);  // each module has its own

    // Shared memory, static and dynamic, and the kernel's properties.
    int value = 0, numbers[32];
    for (int i = 0; i < 32; ++i) numbers[i] = i;
    CUdeviceptr y;
    FINE(cuMemAllocManaged(&y, sizeof numbers, CU_MEM_ATTACH_GLOBAL));
    FINE(cuMemcpyHtoD(y, numbers, sizeof numbers));
    FINE(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, reverse));
    EXPECT(value >= 128);
    FINE(cuFuncGetAttribute(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, reverse));
    EXPECT(value == 64);
    void* of_reverse[] = {&y};
    CUlaunchConfig configuration = {};
    configuration.gridDimX = configuration.gridDimY = configuration.gridDimZ = 1;
    configuration.blockDimX = 32, configuration.blockDimY = configuration.blockDimZ = 1;
    configuration.sharedMemBytes = sizeof numbers;
    FINE(cuLaunchKernelEx(&configuration, reverse, of_reverse, nullptr));
    FINE(cuMemcpyDtoH(numbers, y, sizeof numbers));
    std::printf("%d %d %d\n", numbers[0], numbers[1], numbers[31]);
    EXPECT(cuLaunchKernel(reverse, 1, 1, 1, 65, 1, 1, 512, nullptr, of_reverse, nullptr) == CUDA_ERROR_INVALID_VALUE);
    int seven = 7;
    void* of_store[] = {&y, &seven};
    FINE(cuLaunchCooperativeKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, of_store));
    FINE(cuCtxSynchronize());
    EXPECT(*reinterpret_cast<int*>(y) == 7);
    int blocks = 0, threads = 0;
    FINE(cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
    EXPECT(blocks > 0);
    FINE(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, scale, nullptr, 0, 128));
    EXPECT(threads == 128);

    // Fills and rectangles.
    unsigned short halves[8];
    FINE(cuMemsetD16(x, 0x1234, 8));
    FINE(cuMemsetD32(x + 8, 7, 1));
    FINE(cuMemcpyDtoH(halves, x, sizeof halves));
    std::printf("%x %d %x\n", halves[0], halves[4], halves[6]);
    CUDA_MEMCPY2D rectangle = {};
    rectangle.srcMemoryType = CU_MEMORYTYPE_DEVICE, rectangle.srcDevice = x, rectangle.srcPitch = 8;
    rectangle.srcXInBytes = 4, rectangle.srcY = 1;
    rectangle.dstMemoryType = CU_MEMORYTYPE_HOST, rectangle.dstHost = halves, rectangle.dstPitch = 4;
    rectangle.WidthInBytes = 4, rectangle.Height = 1;
    std::memset(halves, 0, sizeof halves);
    FINE(cuMemcpy2D(&rectangle));
    EXPECT(halves[0] == 0x1234 && halves[2] == 0);
    unsigned type = 0;
    FINE(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, x + 4));
    EXPECT(type == CU_MEMORYTYPE_DEVICE);

    // Memory that the program maps itself, at two addresses.
    CUmemAllocationProp properties = {};
    properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    size_t step = 0;
    FINE(cuMemGetAllocationGranularity(&step, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CUdeviceptr room;
    CUmemGenericAllocationHandle memory;
    CUmemAccessDesc access = {properties.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    FINE(cuMemAddressReserve(&room, 2 * step, 0, 0, 0));
    properties.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_GENERIC;
    FINE(cuMemCreate(&memory, step, &properties, 0));
    CUmemAllocationProp has = {};
    FINE(cuMemGetAllocationPropertiesFromHandle(&has, memory));
    EXPECT(has.location.id == properties.location.id && has.allocFlags.compressionType == CU_MEM_ALLOCATION_COMP_NONE);
    FINE(cuMemMap(room, step, 0, memory, 0));
    FINE(cuMemMap(room + step, step, 0, memory, 0));
    FINE(cuMemSetAccess(room, 2 * step, &access, 1));
    void* of_room[] = {&room, &seven};
    FINE(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, of_room, nullptr));
    FINE(cuMemcpyDtoH(&value, room + step, sizeof value));
    EXPECT(value == 7);
    FINE(cuMemUnmap(room, 2 * step));
    FINE(cuMemRelease(memory));
    FINE(cuMemAddressFree(room, 2 * step));

    const char* text = nullptr;
    FINE(cuGetErrorName(CUDA_ERROR_NOT_FOUND, &text));
    EXPECT(std::strcmp(text, "CUDA_ERROR_NOT_FOUND") == 0);
    FINE(cuModuleUnload(second));
    EXPECT(cuModuleGetFunction(&none, second, "scale") == CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuModuleLoadData(&second, ".version 8.0\n.target sm_70\n.address_size 64\n                       ") != CUDA_SUCCESS);
    FINE(cuCtxPopCurrent(&popped));
    FINE(cuDevicePrimaryCtxRelease(device));
    std::printf("%d failures\n", failures);
    return failures != 0;
}
