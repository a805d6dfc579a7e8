// SPDX-License-Identifier: MIT
// cuFFT's functions. A plan gathers the elements of its layout into a dense array of complex numbers, transforms that,
// and scatters the result. Real transforms are complex ones of which half is stored.
#include <complex>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "common/simt/fft/transform.hpp"
#include "common/simt/include/cufftXt.h"
#include "common/simt/library/call.hpp"

namespace simt::fft {
namespace {

/// Where the elements of the transforms are.
struct Layout {
    std::vector<size_t> embedding;  ///< extents of the array around them; the first does not matter
    size_t stride = 1, distance = 0;

    size_t place(size_t transform, const size_t (&index)[3], size_t rank) const {
        size_t at = index[0];
        for (size_t d = 1; d < rank; ++d) at = at * embedding[d] + index[d];
        return transform * distance + at * stride;
    }
};

struct Shape {
    std::vector<size_t> extents;
    size_t batch = 1;
    cufftType type = CUFFT_C2C;
    bool has_layout = false;  ///< else it depends on whether input and output are the same
    Layout in, out;

    bool is_double() const { return (type & 0x40) != 0; }
    bool from_real() const { return type == CUFFT_R2C || type == CUFFT_D2Z; }
    bool to_real() const { return type == CUFFT_C2R || type == CUFFT_Z2D; }
    size_t rank() const { return extents.size(); }
    size_t elements() const {
        size_t product = batch;
        for (const size_t extent : extents) product *= extent;
        return product;
    }
    /// The extents of the side that is real (true) or complex.
    std::vector<size_t> stored(bool is_real) const {
        std::vector<size_t> result = extents;
        if (!is_real && (from_real() || to_real())) result.back() = result.back() / 2 + 1;
        return result;
    }
    size_t work_bytes() const { return elements() * (is_double() ? 16 : 8); }

    Layout layout(bool is_input, bool is_in_place) const {
        if (has_layout) return is_input ? in : out;
        const bool is_real = is_input ? from_real() : to_real();
        Layout dense;
        dense.embedding = stored(is_real);
        // (Rows of an array that holds both kinds have room for the complex ones, as FFTW's do.)
        if (is_real && is_in_place) dense.embedding.back() = 2 * (extents.back() / 2 + 1);
        dense.distance = 1;
        for (const size_t extent : dense.embedding) dense.distance *= extent;
        return dense;
    }
};

struct Plan {
    std::shared_ptr<Stream> stream;
    bool is_made = false;
    Shape shape;

    std::mutex mutex;  ///< guards what a running transform uses
    std::unique_ptr<Transform> transform;
    std::vector<Number> data;
};

class Plans {
public:
    int add(std::shared_ptr<Plan> plan) {
        const std::lock_guard lock(mutex_);
        plans_[++last_] = std::move(plan);
        return last_;
    }
    std::shared_ptr<Plan> find(int handle) {
        const std::lock_guard lock(mutex_);
        const auto found = plans_.find(handle);
        return found == plans_.end() ? nullptr : found->second;
    }
    bool remove(int handle) {
        const std::lock_guard lock(mutex_);
        return plans_.erase(handle) > 0;
    }

private:
    std::mutex mutex_;
    std::map<int, std::shared_ptr<Plan>> plans_;
    int last_ = 0;
};

Plans& plans() {
    static Plans& table = *new Plans;
    return table;
}

template <typename Body>
cufftResult with_plan(const char* name, cufftHandle handle, Body body) {
    return library::library_function(name, CUFFT_SETUP_FAILED, [&] {
        const auto plan = plans().find(handle);
        return plan ? body(plan) : CUFFT_INVALID_PLAN;
    });
}

// ---- making plans

bool is_type(cufftType type) {
    return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_Z2Z || type == CUFFT_D2Z ||
           type == CUFFT_Z2D;
}

// The shape of the arguments, or why there is none.
template <typename Int>
cufftResult make_shape(Shape& shape, int rank, const Int* n, const Int* inembed, Int istride, Int idist,
                       const Int* onembed, Int ostride, Int odist, cufftType type, Int batch) {
    if (rank < 1 || rank > 3 || !n) return CUFFT_INVALID_SIZE;
    if (!is_type(type)) return CUFFT_INVALID_TYPE;
    if (batch < 1) return CUFFT_INVALID_SIZE;
    for (int d = 0; d < rank; ++d) {
        if (n[d] < 1) return CUFFT_INVALID_SIZE;
        shape.extents.push_back(static_cast<size_t>(n[d]));
    }
    shape.type = type;
    shape.batch = static_cast<size_t>(batch);
    // (With only one of the two, the other side is dense, too.)
    shape.has_layout = inembed && onembed;
    if (!shape.has_layout) return CUFFT_SUCCESS;
    if (istride < 1 || ostride < 1 || idist < 0 || odist < 0) return CUFFT_INVALID_VALUE;
    for (int d = 0; d < rank; ++d) {
        shape.in.embedding.push_back(static_cast<size_t>(inembed[d]));
        shape.out.embedding.push_back(static_cast<size_t>(onembed[d]));
    }
    shape.in.stride = static_cast<size_t>(istride), shape.out.stride = static_cast<size_t>(ostride);
    shape.in.distance = static_cast<size_t>(idist), shape.out.distance = static_cast<size_t>(odist);
    return CUFFT_SUCCESS;
}

cufftResult make(const char* name, cufftHandle handle, const Shape& shape, size_t* bytes) {
    return with_plan(name, handle, [&](const std::shared_ptr<Plan>& plan) {
        if (plan->is_made) return CUFFT_INVALID_PLAN;
        plan->shape = shape;
        plan->is_made = true;
        if (bytes) *bytes = shape.work_bytes();
        return CUFFT_SUCCESS;
    });
}

cufftResult create(const char* name, cufftHandle* handle) {
    return library::library_function(name, CUFFT_SETUP_FAILED, [&] {
        if (!handle) return CUFFT_INVALID_VALUE;
        auto plan = std::make_shared<Plan>();
        plan->stream = find_stream(nullptr);
        *handle = plans().add(std::move(plan));
        return CUFFT_SUCCESS;
    });
}

cufftResult create_and_make(const char* name, cufftHandle* handle, cufftResult of_shape, const Shape& shape) {
    if (of_shape != CUFFT_SUCCESS) return of_shape;
    const cufftResult created = create(name, handle);
    return created == CUFFT_SUCCESS ? make(name, *handle, shape, nullptr) : created;
}

// The extents of a plan without a layout.
template <typename... Extents>
cufftResult dense_shape(Shape& shape, cufftType type, int batch, Extents... extents) {
    const int n[] = {extents...};
    return make_shape<int>(shape, static_cast<int>(sizeof...(extents)), n, nullptr, 1, 0, nullptr, 1, 0, type, batch);
}

cufftResult estimate(cufftResult of_shape, const Shape& shape, size_t* bytes) {
    if (of_shape != CUFFT_SUCCESS) return of_shape;
    if (!bytes) return CUFFT_INVALID_VALUE;
    *bytes = shape.work_bytes();
    return CUFFT_SUCCESS;
}

// ---- executing them

template <typename Use>
void for_each_index(const std::vector<size_t>& extents, Use use) {
    size_t index[3] = {}, count = 1;
    for (const size_t extent : extents) count *= extent;
    for (size_t i = 0; i < count; ++i) {
        use(index);
        for (size_t d = extents.size(); d-- > 0;) {
            if (++index[d] < extents[d]) break;
            index[d] = 0;
        }
    }
}

// The place in the dense array, which has all elements.
size_t dense_place(const Shape& shape, size_t transform, const size_t (&index)[3]) {
    size_t at = transform;
    for (size_t d = 0; d < shape.rank(); ++d) at = at * shape.extents[d] + index[d];
    return at;
}

template <typename Real>
void gather(const Shape& shape, const Layout& layout, const Real* in, std::vector<Number>& data) {
    data.resize(shape.elements());
    const size_t rank = shape.rank(), last = rank - 1;
    for (size_t t = 0; t < shape.batch; ++t) {
        for_each_index(shape.stored(shape.from_real()), [&](const size_t(&index)[3]) {
            const size_t from = layout.place(t, index, rank);
            const Number value = shape.from_real() ? Number(in[from], 0) : Number(in[2 * from], in[2 * from + 1]);
            data[dense_place(shape, t, index)] = value;
            if (!shape.to_real()) return;
            // The other half: the conjugates at the opposite indices. What its own opposite is, is real.
            size_t opposite[3] = {};
            for (size_t d = 0; d < rank; ++d) opposite[d] = index[d] == 0 ? 0 : shape.extents[d] - index[d];
            if (opposite[last] != index[last]) data[dense_place(shape, t, opposite)] = std::conj(value);
        });
    }
}

template <typename Real>
void scatter(const Shape& shape, const Layout& layout, const std::vector<Number>& data, Real* out) {
    for (size_t t = 0; t < shape.batch; ++t) {
        for_each_index(shape.stored(shape.to_real()), [&](const size_t(&index)[3]) {
            const size_t to = layout.place(t, index, shape.rank());
            const Number value = data[dense_place(shape, t, index)];
            if (shape.to_real()) {
                out[to] = static_cast<Real>(value.real());
            } else {
                out[2 * to] = static_cast<Real>(value.real()), out[2 * to + 1] = static_cast<Real>(value.imag());
            }
        });
    }
}

library::Buffer buffer(const char* name, const void* pointer, const Shape& shape, bool is_input, bool is_in_place) {
    const bool is_real = is_input ? shape.from_real() : shape.to_real();
    const Layout layout = shape.layout(is_input, is_in_place);
    size_t index[3] = {};
    const std::vector<size_t> extents = shape.stored(is_real);
    for (size_t d = 0; d < extents.size(); ++d) index[d] = extents[d] - 1;
    const size_t elements = layout.place(shape.batch - 1, index, shape.rank()) + 1;
    const size_t bytes = (is_real ? 1 : 2) * (shape.is_double() ? sizeof(double) : sizeof(float));
    return {name, pointer, elements * bytes, 1, 0, is_input ? library::Use::reads : library::Use::writes};
}

template <typename Real>
void run(Plan& plan, const Real* in, Real* out, int direction) {
    const std::lock_guard lock(plan.mutex);
    const bool is_in_place = in == out;
    if (!plan.transform) plan.transform = std::make_unique<Transform>(plan.shape.extents, plan.shape.batch);
    gather(plan.shape, plan.shape.layout(true, is_in_place), in, plan.data);
    plan.transform->run(plan.data, direction);
    scatter(plan.shape, plan.shape.layout(false, is_in_place), plan.data, out);
}

cufftResult execute(const char* name, cufftHandle handle, cufftType type, const void* in, void* out, int direction) {
    return with_plan(name, handle, [&](const std::shared_ptr<Plan>& plan) {
        if (!plan->is_made) return CUFFT_INVALID_PLAN;
        if (plan->shape.type != type || !in || !out || (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE)) {
            return CUFFT_INVALID_VALUE;
        }
        const cudaError_t error = library::submit(
            plan->stream, {name,
                           [=] {
                               return std::vector<library::Buffer>{buffer("idata", in, plan->shape, true, in == out),
                                                                   buffer("odata", out, plan->shape, false, in == out)};
                           },
                           [=] {
                               if (plan->shape.is_double()) {
                                   run(*plan, static_cast<const double*>(in), static_cast<double*>(out), direction);
                               } else {
                                   run(*plan, static_cast<const float*>(in), static_cast<float*>(out), direction);
                               }
                           }});
        return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
    });
}

}  // namespace
}  // namespace simt::fft

using namespace simt::fft;

#define LAYOUT rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch

// The forms that a plan has: how its shape follows from the arguments.
#define SIMT_FORMS(Form, PARAMETERS, shape_of)                                                     \
    cufftResult cufftPlan##Form(cufftHandle* plan, PARAMETERS) {                                   \
        Shape shape;                                                                               \
        const cufftResult result = shape_of;                                                       \
        return create_and_make("cufftPlan" #Form, plan, result, shape);                            \
    }                                                                                              \
    cufftResult cufftMakePlan##Form(cufftHandle plan, PARAMETERS, size_t* bytes) {                 \
        Shape shape;                                                                               \
        const cufftResult result = shape_of;                                                       \
        return result == CUFFT_SUCCESS ? make("cufftMakePlan" #Form, plan, shape, bytes) : result; \
    }                                                                                              \
    cufftResult cufftGetSize##Form(cufftHandle, PARAMETERS, size_t* bytes) {                       \
        Shape shape;                                                                               \
        return estimate(shape_of, shape, bytes);                                                   \
    }                                                                                              \
    cufftResult cufftEstimate##Form(PARAMETERS, size_t* bytes) {                                   \
        Shape shape;                                                                               \
        return estimate(shape_of, shape, bytes);                                                   \
    }
#define ONE int nx, cufftType type, int batch
#define TWO int nx, int ny, cufftType type
#define THREE int nx, int ny, int nz, cufftType type
SIMT_FORMS(1d, ONE, dense_shape(shape, type, batch, nx))
SIMT_FORMS(2d, TWO, dense_shape(shape, type, 1, nx, ny))
SIMT_FORMS(3d, THREE, dense_shape(shape, type, 1, nx, ny, nz))
SIMT_FORMS(Many, SIMT_FFT_LAYOUT(int), make_shape<int>(shape, LAYOUT))
#undef ONE
#undef TWO
#undef THREE
#undef SIMT_FORMS

cufftResult cufftMakePlanMany64(cufftHandle plan, SIMT_FFT_LAYOUT(long long), size_t* bytes) {
    Shape shape;
    const cufftResult result = make_shape<long long>(shape, LAYOUT);
    return result == CUFFT_SUCCESS ? make("cufftMakePlanMany64", plan, shape, bytes) : result;
}
cufftResult cufftGetSizeMany64(cufftHandle, SIMT_FFT_LAYOUT(long long), size_t* bytes) {
    Shape shape;
    return estimate(make_shape<long long>(shape, LAYOUT), shape, bytes);
}
#undef LAYOUT

cufftResult cufftXtMakePlanMany(cufftHandle plan, int rank, long long* n, long long* inembed, long long istride,
                                long long idist, cudaDataType inputtype, long long* onembed, long long ostride,
                                long long odist, cudaDataType outputtype, long long batch, size_t* bytes,
                                cudaDataType) {
    const std::pair<std::pair<cudaDataType, cudaDataType>, cufftType> known[] = {
        {{CUDA_C_32F, CUDA_C_32F}, CUFFT_C2C}, {{CUDA_R_32F, CUDA_C_32F}, CUFFT_R2C},
        {{CUDA_C_32F, CUDA_R_32F}, CUFFT_C2R}, {{CUDA_C_64F, CUDA_C_64F}, CUFFT_Z2Z},
        {{CUDA_R_64F, CUDA_C_64F}, CUFFT_D2Z}, {{CUDA_C_64F, CUDA_R_64F}, CUFFT_Z2D}};
    for (const auto& [types, type] : known) {
        if (types != std::make_pair(inputtype, outputtype)) continue;
        return cufftMakePlanMany64(plan, rank, n, inembed, istride, idist, onembed, ostride, odist, type, batch, bytes);
    }
    return CUFFT_NOT_SUPPORTED;
}

cufftResult cufftXtExec(cufftHandle handle, void* input, void* output, int direction) {
    const auto plan = plans().find(handle);
    if (!plan) return CUFFT_INVALID_PLAN;
    const Shape& shape = plan->shape;
    const int way = shape.from_real() ? CUFFT_FORWARD : shape.to_real() ? CUFFT_INVERSE : direction;
    return execute("cufftXtExec", handle, shape.type, input, output, way);
}

cufftResult cufftCreate(cufftHandle* handle) { return create("cufftCreate", handle); }

cufftResult cufftDestroy(cufftHandle handle) { return plans().remove(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN; }

cufftResult cufftGetSize(cufftHandle handle, size_t* bytes) {
    return with_plan("cufftGetSize", handle, [&](const std::shared_ptr<Plan>& plan) {
        if (!bytes) return CUFFT_INVALID_VALUE;
        *bytes = plan->is_made ? plan->shape.work_bytes() : 0;
        return CUFFT_SUCCESS;
    });
}

// (The work area is the plan's own in any case.)
cufftResult cufftSetWorkArea(cufftHandle handle, void*) {
    return with_plan("cufftSetWorkArea", handle, [](const std::shared_ptr<Plan>&) { return CUFFT_SUCCESS; });
}
cufftResult cufftSetAutoAllocation(cufftHandle handle, int) {
    return with_plan("cufftSetAutoAllocation", handle, [](const std::shared_ptr<Plan>&) { return CUFFT_SUCCESS; });
}

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream) {
    return with_plan("cufftSetStream", handle, [&](const std::shared_ptr<Plan>& plan) {
        auto found = simt::find_stream(stream);
        if (!found) return CUFFT_INVALID_VALUE;
        plan->stream = std::move(found);
        return CUFFT_SUCCESS;
    });
}

cufftResult cufftExecC2C(cufftHandle plan, cufftComplex* in, cufftComplex* out, int direction) {
    return execute("cufftExecC2C", plan, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle plan, cufftReal* in, cufftComplex* out) {
    return execute("cufftExecR2C", plan, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle plan, cufftComplex* in, cufftReal* out) {
    return execute("cufftExecC2R", plan, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2Z(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleComplex* out, int direction) {
    return execute("cufftExecZ2Z", plan, CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecD2Z(cufftHandle plan, cufftDoubleReal* in, cufftDoubleComplex* out) {
    return execute("cufftExecD2Z", plan, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecZ2D(cufftHandle plan, cufftDoubleComplex* in, cufftDoubleReal* out) {
    return execute("cufftExecZ2D", plan, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}

cufftResult cufftGetVersion(int* version) {
    if (!version) return CUFFT_INVALID_VALUE;
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}
cufftResult cufftGetProperty(libraryPropertyType type, int* value) {
    if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL) return CUFFT_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? CUFFT_VER_MAJOR : type == MINOR_VERSION ? CUFFT_VER_MINOR : CUFFT_VER_PATCH;
    return CUFFT_SUCCESS;
}
