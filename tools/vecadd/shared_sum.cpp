// SPDX-License-Identifier: MIT
#include "tools/vecadd/shared_sum.hpp"

#include "common/gang/shared_input.hpp"
#include "common/io/readers.hpp"
#include "common/io/text.hpp"

void expect_sharable(Team& team, const std::vector<std::string>& operands, const NumberReader& a,
                     const NumberReader& b) {
    expect_shared(team, a, operands[0]);
    expect_shared(team, b, operands[1]);
    if (a.layout().fortran_order != b.layout().fortran_order)
        fail(Exit::usage,
             "one of {} and {} is in Fortran order, and one process brings both into one order: start one process, "
             "which may drive all devices",
             operands[0], operands[1]);
}

SharedSum::SharedSum(Session& session, const NumberLayout& layout, std::size_t count)
    : session_(session), layout_(layout) {
    if (session.options.format)
        fail(Exit::usage,
             "several processes write parts of a file in the format of the first input, and JSON is written from its "
             "beginning on: start one process, which may drive all devices");
    if (layout_.format == NumberFormat::npy) header_bytes_ = npy_header(layout_).size();
    const std::size_t bytes = header_bytes_ + count * size_of(layout_.dtype);
    Team& team = *session.options.team;
    const std::string own = team.speaks() ? session.output.make_parts(bytes) : "";
    const std::string path = team.gather(own).front();
    if (!team.speaks()) session.output.join_parts(session.options.output_path, path, bytes);
    team.gather("");  // all have the file open: a process that fails from now on removes it
}

void SharedSum::append(const Piece& sum, std::size_t first) {
    if (!begin_) begin_ = {first, sum.dtype};
    if (sum.dtype != begin_->dtype) refuse_types(first, begin_->dtype, sum.dtype);
    session_.output.write_part(header_bytes_ + first * size_of(sum.dtype),
                               {reinterpret_cast<const char*>(sum.bytes), sum.count * size_of(sum.dtype)});
}

void SharedSum::refuse_types(std::size_t first, DType before, DType dtype) const {
    fail(Exit::bad_input, "after {} elements of {} there are {}: give a --dtype for all of them", first,
         name_of(before), name_of(dtype));
}

void SharedSum::finish() {
    session_.output.end_parts();
    // The type is that of all parts, the first of which is the first process's.
    const std::string mine = begin_ ? text("{} {}", begin_->first, static_cast<int>(begin_->dtype)) : "";
    const std::vector<std::string> all = session_.options.team->gather(mine);
    std::optional<DType> dtype;
    for (const std::string& one : all) {
        if (one.empty()) continue;
        const DType other = DType(std::stoi(one.substr(one.find(' ') + 1)));
        if (dtype && *dtype != other) refuse_types(std::stoul(one), *dtype, other);
        dtype = other;
    }
    if (!session_.options.team->speaks() || header_bytes_ == 0) return;
    layout_.dtype = dtype.value_or(layout_.dtype);
    session_.output.write_part(0, npy_header(layout_));
}
