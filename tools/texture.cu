// SPDX-License-Identifier: MIT
// texture: the same reads of a matrix through global memory, the read-only path, a texture on an array and a texture on
// pitched memory; and chains of loads from constant memory.
#include "common/cuda/passes.hpp"
#include "tools/texture/table.cuh"

#if HOST_PASS
#include <algorithm>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/cli/registration.cuh"
#include "tools/texture/chains.cuh"
#include "tools/texture/read_case.cuh"

namespace BACKEND {
namespace {

// A case for each selected path of one pattern.
template <typename T>
void append_cases(Session& session, const std::vector<const TextureVariant*>& variants, Experiment<T>& experiment,
                  const Reads& reads, Cases& cases) {
    for (const TextureVariant* variant : variants) {
        if (variant->pattern != reads.pattern) continue;
        const std::string reason = obstacle(experiment, *variant, reads);
        if (reason.empty()) cases.push_back(std::make_unique<ReadCase<T>>(session, *variant, experiment, reads));
        else session.notice(text("{}, {}: {}; left out", variant->name, reads.shape.name(), reason));
    }
}

template <typename T>
void run_shape(Session& session, Bench& bench, const std::vector<const TextureVariant*>& variants,
               const MatrixShape& shape, Texel texel, Cases& chains) {
    constexpr size_t most = size_t(std::numeric_limits<int>::max());
    if (shape.rows > most || shape.columns > most)
        fail(Exit::usage, "size '{}' is too large: a matrix has at most {} rows and as many columns", shape.name(),
             most);
    const auto& options = session.own<TextureOptions>();
    session.begin_step(text("generating a matrix of {}", shape.name()));
    Experiment<T> experiment(session, shape, texel);
    session.end_step();
    for (const BlockShape& block : options.blocks) {
        Cases cases;
        for (const Pattern* pattern : patterns)
            for (Addressing beyond : pattern->looks_beyond ? options.beyond : std::vector{Addressing::clamp})
                for (unsigned width : pattern->widths(options))
                    append_cases<T>(session, variants, experiment, {pattern, shape, width, block, beyond}, cases);
        std::move(chains.begin(), chains.end(), std::back_inserter(cases));
        chains.clear();
        bench.run(cases);
    }
}

void run(Session& session) {
    const auto& options = session.own<TextureOptions>();
    std::vector<const TextureVariant*> variants = session.selected<TextureVariant>();
    if (session.options.kernels.empty()) {
        const auto is_other = [](const TextureVariant* variant) { return !variant->is_of_tutorial(); };
        variants.erase(std::remove_if(variants.begin(), variants.end(), is_other), variants.end());
    }
    std::vector<Texel> elements = options.elements;
    if (elements.empty()) elements = {session.dtype() == DType::f16 ? Texel::f16 : Texel::f32};
    Bench bench(session);
    std::optional<ChainRuns> runs;
    Cases chains = chain_cases(session, runs);  // run once, with the first matrix
    const auto is_read = [](const TextureVariant* variant) { return variant->pattern != nullptr; };
    if (std::any_of(variants.begin(), variants.end(), is_read)) {
        for (const MatrixShape& shape : options.shapes.on(session.device)) {
            for (Texel texel : elements) {
                with_texel(texel, [&](auto of_type) {
                    run_shape<decltype(of_type)>(session, bench, variants, shape, texel, chains);
                });
            }
        }
    }
    if (!chains.empty()) bench.run(chains);
}

}  // namespace
}  // namespace BACKEND

GRIDUTILS_PROGRAM(texture_program, run)
#endif
