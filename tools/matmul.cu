// matmul: C = A B, from the textbook's kernel to the tensor cores, each step one idea, beside cuBLAS.
#include "tools/matmul_filter.cuh"

namespace BACKEND {
namespace {

std::vector<ProductShape> shapes_of(const Session& session) {
    const std::string& typed = session.options.sizes;
    return parse_shapes(!typed.empty()             ? typed
                        : session.device.simulated ? session.program.simulator_sizes
                                                   : session.program.sizes);
}

bool is_named(const Session& session, const std::string& variant) {
    const std::vector<std::string>& kernels = session.options.kernels;
    return std::find(kernels.begin(), kernels.end(), variant) != kernels.end();
}

// The CPU needs minutes where the GPU needs milliseconds: beyond this many operations it runs only when it is named.
constexpr double most_host_flop = 0x1p33;

template <typename Type>
void explain(const Session& session, const ProductShape& shape, const ProductMethod<typename Type::Element>& method) {
    const int capability = session.device.compute_capability;
    std::string why = "the most advanced kernel for this type that this device and build can run";
    if (method.name == "hopper")
        why = text("of its tiles, {} needs the fewest cycles: waves of {} blocks (the last one shared out where that "
                   "is faster), times the steps of {} along k",
                   method.tile, session.device.multiprocessors, 128 / sizeof(typename Type::Element));
    session.notice(text("{} {} on {} (compute capability {}.{}): fastest is {}, tile {}: {}", shape.name(),
                        name_of(Type::dtype), session.device.name, capability / 10, capability % 10, method.name,
                        method.tile, why));
}

template <typename Type>
void run_shape(Session& session, Bench& bench, const MethodFinder& finder, const ProductShape& shape) {
    Product<Type> product(session, shape);
    std::vector<Case> cases;
    for (const Variant* variant : session.selected()) {
        const std::string name = variant->name;
        if (variant->needs == Needs::host) {
            const bool missing = name == "openblas" && !product.has_openblas();
            if (missing && is_named(session, name))
                fail(Exit::unavailable, "openblas: libopenblas.so.0 is not installed, or has no {}",
                     name_of(Type::dtype));
            if (!missing && shape.flop() > most_host_flop && !is_named(session, name))
                session.detail(text("{} is left out at {}: it would take long; name it with --kernel to run it", name,
                                    shape.name()));
            else if (!missing) cases.push_back(product.host_case(*variant));
            continue;
        }
        const auto method = finder.find<Type>(name, shape.m, shape.n, shape.k);
        if (!method.launch) {
            if (is_named(session, name))
                fail(Exit::unavailable, "{} does not run here for {}", name, name_of(Type::dtype));
            session.detail(text("{} is left out: it does not run here for {}", name, name_of(Type::dtype)));
            continue;
        }
        if (name == "fastest" && session.own_flag("explain")) explain<Type>(session, shape, method);
        cases.push_back(product.device_case(*variant, method));
    }
    bench.run(cases);
}

void run(Session& session) {
    if (!session.options.operands.empty()) return run_matmul_filter(session);
    const std::vector<ProductShape> shapes = shapes_of(session);
    Bench bench(session);
    const MethodFinder finder(session);
    for (const ProductShape& shape : shapes)
        with_matmul_type(session.dtype(), [&](auto type) { run_shape<decltype(type)>(session, bench, finder, shape); });
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(matmul_program, run)
