// matmul: C = A B, from the textbook's kernel to the tensor cores, each step one idea, beside cuBLAS.
#include "common/cli/registration.cuh"
#include "tools/matmul/filter.cuh"

namespace BACKEND {
namespace {

bool is_named(const Session& session, const std::string& variant) {
    const std::vector<std::string>& kernels = session.options.kernels;
    return std::find(kernels.begin(), kernels.end(), variant) != kernels.end();
}

// The CPU needs minutes where the GPU needs milliseconds: beyond this many operations it runs only when it is named.
constexpr double most_host_flop = 0x1p33;

template <typename Type>
void explain(const Session& session, const ProductShape& shape, const ProductMethod<typename Type::Element>& method) {
    std::string why = "the most advanced kernel for this type that this device and build can run";
    if (method.name == "hopper")
        why = text("of its tiles, {} needs the fewest cycles: waves of {} blocks (the last one filled or shared out "
                   "where that is faster), times the steps of {} along k",
                   method.tile, session.device.multiprocessors, 128 / sizeof(typename Type::Element));
    session.notice(text("{} {} on {} (compute capability {}): fastest is {}, tile {}: {}", shape.name(),
                        name_of(Type::dtype), session.device.name, capability_text(session.device.compute_capability),
                        method.name, method.tile, why));
}

// A variant of the run, and for a device's how it is launched.
template <typename T>
struct Chosen {
    const Variant* variant = nullptr;
    ProductMethod<T> method = {};
};

// The selected variants that can run. What cannot is an error if it was named, else left out with a word.
template <typename Type>
std::vector<Chosen<typename Type::Element>> chosen_variants(Session& session, const MethodFinder& finder,
                                                            const ProductShape& shape) {
    using T = typename Type::Element;
    std::vector<Chosen<T>> chosen;
    const auto leave_out = [&](const std::string& name, const std::string& why) {
        if (is_named(session, name)) fail(Exit::unavailable, "{}: {}", name, why);
        session.detail(text("{} is left out: {}", name, why));
    };
    for (const Variant* variant : session.selected()) {
        const std::string name = variant->name;
        if (variant->needs == Needs::host) {
            if (name == "openblas" && !Product<Type>::has_openblas())
                leave_out(name, text("libopenblas.so.0 is not installed, or has no {}", name_of(Type::dtype)));
            else if (shape.flop() > most_host_flop && !is_named(session, name))
                session.detail(text("{} is left out at {}: it would take long; name it with --kernel to run it", name,
                                    shape.name()));
            else chosen.push_back({variant});
            continue;
        }
        const auto method = finder.find<Type>(name, shape.m, shape.n, shape.k);
        const double wanted = DeviceProduct<Type>::bytes(session, shape, method.workspace_bytes);
        if (!method.launch) leave_out(name, why_not<Type>(session.device));
        else if (method.workspace_bytes > 0 && !is_named(session, name) && wanted > free_device_bytes())
            leave_out(name, text("it needs {} beside A, B and C", human_bytes(double(method.workspace_bytes))));
        else chosen.push_back({variant, method});
    }
    return chosen;
}

template <typename Type>
void run_shape(Session& session, Bench& bench, const MethodFinder& finder, const ProductShape& shape) {
    const auto chosen = chosen_variants<Type>(session, finder, shape);
    size_t most_workspace = 0;
    for (const auto& one : chosen) most_workspace = std::max(most_workspace, one.method.workspace_bytes);
    Product<Type> product(session, shape, most_workspace);
    std::vector<Case> cases;
    for (const auto& [variant, method] : chosen) {
        if (method.launch && variant->name == std::string("fastest") && session.own<MatmulOptions>().explain)
            explain<Type>(session, shape, method);
        cases.push_back(method.launch ? product.device_case(*variant, method) : product.host_case(*variant));
    }
    bench.run(cases);
}

void run(Session& session) {
    if (!session.options.operands.empty()) return run_matmul_filter(session);
    const auto& asked = session.own<MatmulOptions>();
    if (asked.file_shape) fail(Exit::usage, "--shape is for files; --size gives the shapes of a benchmark");
    Bench bench(session);
    const MethodFinder finder(session);
    for (const ProductShape& shape : asked.shapes.on(session.device.simulated))
        with_matmul_type(session.dtype(), [&](auto type) { run_shape<decltype(type)>(session, bench, finder, shape); });
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(matmul_program, run)
