// SPDX-License-Identifier: MIT
// Pointers to host memory that reach kernels within objects: every access fails; what kernels take of `new` is theirs.
#include <cstdio>
#include <cstdlib>

struct Plain {
    int n;
    float* data;
};
template <class T>
class View {
public:
    View(T* data, int n) : n_(n), data_(data) {}
    __device__ T get(int i) const { return data_[i]; }

private:
    const int n_;
    T* const data_;
};
struct Nested : Plain {
    struct Inner {
        const float *first, *rows[2];
    };
    Inner inner;
    unsigned flag : 1;
};
struct Made {
    int* list;
    int* last;
};

__global__ void plain(Plain p, float* out) { *out = p.data[1]; }
__global__ void view(View<float> v, float* out) { *out = v.get(1); }
__global__ void nested(Nested n, int which, float* out) {
    *out = which == 0 ? n.data[1] : which == 1 ? n.inner.first[1] : n.inner.rows[1][1];
}
__global__ void unused(Nested n, float* out) { *out = n.data ? 5 : 6; }
__device__ int* kept;
__global__ void make(Made* made) {
    made->list = new int[3];
    made->last = made->list + 2;
    made->list[2] = 7;
    kept = new int(8);
}
__global__ void use(Made made, int* p, float* out) {
    *out = *made.last + (p ? *p : *kept);
    if (!p) delete[] made.list, delete kept;
}

float* out;
void tell(const char* what) {
    const cudaError_t error = cudaDeviceSynchronize();
    printf("%s: ", what);
    if (error != cudaSuccess) {
        printf("%s\n", cudaGetErrorName(error));
        exit(0);
    }
    printf("%g\n", *out);
}

int main(int, char** arguments) {
    const int chosen = atoi(arguments[1]);
    Made* made;
    cudaMallocManaged(&out, sizeof(float));
    cudaMallocManaged(&made, sizeof(Made));
    float* const host = static_cast<float*>(calloc(2, sizeof(float)));
    float* device;
    cudaMalloc(&device, 2 * sizeof(float));
    cudaMemset(device, 0, 2 * sizeof(float));
    make<<<1, 1>>>(made);
    cudaDeviceSynchronize();

    Nested all{{2, device}, {device, {device, device}}, 1};
    plain<<<1, 1>>>(all, out), tell("plain");
    view<<<1, 1>>>(View<float>(device, 2), out), tell("view");
    nested<<<1, 1>>>(all, 2, out), tell("nested");
    use<<<1, 1>>>(*made, made->list + 2, out), tell("made by a kernel");
    all.data = host;
    unused<<<1, 1>>>(all, out), tell("unused");
    if (chosen == 0) plain<<<1, 1>>>(Plain{2, host}, out), tell("host, plain");
    if (chosen == 1) view<<<1, 1>>>(View<float>(host, 2), out), tell("host, view");
    if (chosen == 2) nested<<<1, 1>>>(all, 0, out), tell("host, base");
    all.inner = {host, {host, host}};
    if (chosen == 3) nested<<<1, 1>>>(all, 1, out), tell("host, inner");
    if (chosen == 4) nested<<<1, 1>>>(all, 2, out), tell("host, array");
    int* const taken = new int[1000];
    if (chosen == 5) use<<<1, 1>>>(*made, taken, out), tell("host, new");
    use<<<1, 1>>>(*made, nullptr, out), tell("deleted");
}
