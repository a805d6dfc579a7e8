// A benchmark of products on several devices.
#pragma once

#include <cstdio>
#include <string>
#include <vector>

#include "tools/matmul/gang/product.cuh"

namespace BACKEND {

// Below the human table, else on standard error.
inline void show(const Session& session, const std::string& picture) {
    if (session.format() == Format::human) session.output.write(picture);
    else std::fputs(picture.c_str(), stderr);
}

// A product, or with --weak one of so many rows for each device: on one device, and on all of them.
inline void run_gang_shape(Session& session, Bench& bench, const ProductShape& shape,
                           std::vector<Timeline>& timelines) {
    for (const std::vector<DeviceInfo>& devices : gangs_of(session.gang, session.options)) {
        Gang gang(devices, session.options);
        ProductShape whole = shape;
        if (session.options.weak) whole = within_limits({shape.m * gang.size(), shape.n, shape.k});
        GangProduct product(session, gang, whole);
        std::vector<Case> cases = product.cases();
        bench.run(cases);
        if (!session.own<MatmulOptions>().draws() || gang.size() == 1) continue;
        for (const Case& one : cases) {
            if (!one.flushes) continue;  // a library's, which shows nothing of what it does
            timelines.push_back(product.run_once(one));
            if (session.own<MatmulOptions>().timeline) show(session, draw_timeline(timelines.back()));
        }
    }
}

// Options that need --gang, or do not go with it.
inline void check_gang_options(const Session& session) {
    const auto& asked = session.own<MatmulOptions>();
    const bool tiles = asked.split == GangSplit::tiles;
    if (asked.split && !session.options.gang)
        fail(Exit::usage, "--split says what each of several devices computes: add --gang, or leave it out");
    if (asked.panel && !tiles) fail(Exit::usage, "--panel is for tiles: add --split tiles, or leave it out");
    if (asked.draws() && !tiles)
        fail(Exit::usage, "--timeline and --trace show how tiles travel: add --split tiles, or leave them out");
    if (!session.options.gang) return;
    if (asked.form.batch || asked.form.transposed.any())
        fail(Exit::usage, "--gang multiplies two matrices that lie as they are: leave --batch and --transpose out");
    if (asked.tile == "all" || asked.tile.find(',') != asked.tile.npos)
        fail(Exit::usage, "--gang runs a variant with one tile, and --tile {} are several: name one", asked.tile);
}

}  // namespace BACKEND
