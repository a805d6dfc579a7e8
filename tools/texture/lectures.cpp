// SPDX-License-Identifier: MIT
// The six tables of textures against global memory in a conference tutorial (CUDA and Applications to Task-based
// Programming, Eurographics 2021), on three GPUs, and the cycles of a load that it gives for constant memory. (Its
// "GiB/s" are 10^9 bytes per second: 2^26 bytes in 0.1505 ms are 445.9 of these. Where its tables say Texture and Texture Array, its slides of the same figures say cudaArray and cudaMallocPitch.)
#include <cstddef>
#include <string_view>

#include "common/measure/lectures.hpp"

namespace {

constexpr const char* gpus[] = {"GTX 1080 Ti", "TITAN V", "RTX 2080 Ti"};

struct TableRow {
    const char *name, *variant, *where, *option;
    const char *ms[3], *gbyte_per_s[3];  // on these GPUs
};

// Both follow from time and bandwidth; so do the 11 reads of a filter, and the 10 of a random sample, where ours takes 8.
constexpr double bytes = 1 << 26;
double bytes_per_texel(std::string_view where) { return where == "p_texel=float4" ? 16 : 4; }

Lectures tables() {
    static constexpr TableRow rows[] = {
        // clang-format off
        {"RowAfterRow: Const Array", "row-global", "p_texel=f32|uchar4", "", {"0.2499", "0.1505", "0.1368"}, {"268.6", "445.9", "490.6"}},
        {"RowAfterRow: Const Array Restrict", "row-restrict", "p_texel=f32|uchar4", "", {"0.2468", "0.1444", "0.1384"}, {"271.9", "464.8", "484.9"}},
        {"RowAfterRow: Texture", "row-texture-array", "p_texel=f32|uchar4", "", {"0.345", "0.1731", "0.1679"}, {"194.5", "387.8", "399.8"}},
        {"ColumnAfterColumn: Const Array", "column-global", "p_texel=f32|uchar4", "", {"1.032", "0.2498", "1.579"}, {"65.02", "268.6", "42.51"}},
        {"ColumnAfterColumn: Const Array Restrict", "column-restrict", "p_texel=f32|uchar4", "", {"0.964", "0.2478", "1.567"}, {"69.57", "270.8", "42.83"}},
        {"ColumnAfterColumn: Texture", "column-texture-array", "p_texel=f32|uchar4", "", {"0.469", "0.1823", "0.1996"}, {"143", "368.2", "336.1"}},
        {"RowAfterRow Cache <2>: Const Array", "neighbors-global", "p_width=2 p_texel=f32|uchar4", "--neighbors=2", {"0.2772", "0.1669", "0.18"}, {"242.1", "402.1", "372.9"}},
        {"RowAfterRow Cache <2>: Const Array Restrict", "neighbors-restrict", "p_width=2 p_texel=f32|uchar4", "--neighbors=2", {"0.2898", "0.1731", "0.1844"}, {"231.6", "387.8", "364"}},
        {"RowAfterRow Cache <2>: Texture", "neighbors-texture-array", "p_width=2 p_texel=f32|uchar4", "--neighbors=2", {"0.2827", "0.1751", "0.1865"}, {"237.4", "383.3", "359.8"}},
        {"RowAfterRow Cache <4>: Const Array", "neighbors-global", "p_width=4 p_texel=f32|uchar4", "--neighbors=4", {"0.2829", "0.1475", "0.1558"}, {"237.2", "455.1", "430.7"}},
        {"RowAfterRow Cache <4>: Const Array Restrict", "neighbors-restrict", "p_width=4 p_texel=f32|uchar4", "--neighbors=4", {"0.2374", "0.1464", "0.1556"}, {"282.7", "458.3", "431.2"}},
        {"RowAfterRow Cache <4>: Texture", "neighbors-texture-array", "p_width=4 p_texel=f32|uchar4", "--neighbors=4", {"0.2593", "0.1526", "0.1575"}, {"258.8", "439.8", "426.2"}},
        {"RowAfterRow Cache <8>: Const Array", "neighbors-global", "p_width=8 p_texel=f32|uchar4", "--neighbors=8", {"0.5497", "0.1331", "0.1457"}, {"122.1", "504.1", "460.5"}},
        {"RowAfterRow Cache <8>: Const Array Restrict", "neighbors-restrict", "p_width=8 p_texel=f32|uchar4", "--neighbors=8", {"0.217", "0.1342", "0.1454"}, {"309.3", "500.2", "461.4"}},
        {"RowAfterRow Cache <8>: Texture", "neighbors-texture-array", "p_width=8 p_texel=f32|uchar4", "--neighbors=8", {"0.3922", "0.1853", "0.1971"}, {"171.1", "362.1", "340.6"}},
        {"ColumnAfterColumn Cache <2>: Const Array", "neighbors-column-global", "p_width=2 p_texel=f32|uchar4", "--neighbors=2", {"0.9069", "0.3839", "0.4526"}, {"73.99", "174.8", "148.3"}},
        {"ColumnAfterColumn Cache <2>: Const Array Restrict", "neighbors-column-restrict", "p_width=2 p_texel=f32|uchar4", "--neighbors=2", {"0.8982", "0.383", "0.451"}, {"74.72", "175.2", "148.8"}},
        {"ColumnAfterColumn Cache <2>: Texture", "neighbors-column-texture-array", "p_width=2 p_texel=f32|uchar4", "--neighbors=2", {"0.2977", "0.1772", "0.2069"}, {"225.4", "387.8", "324.3"}},
        {"ColumnAfterColumn Cache <4>: Const Array", "neighbors-column-global", "p_width=4 p_texel=f32|uchar4", "--neighbors=4", {"0.901", "0.3758", "0.4154"}, {"74.49", "178.6", "161.6"}},
        {"ColumnAfterColumn Cache <4>: Const Array Restrict", "neighbors-column-restrict", "p_width=4 p_texel=f32|uchar4", "--neighbors=4", {"0.898", "0.3758", "0.4135"}, {"74.74", "178.6", "162.3"}},
        {"ColumnAfterColumn Cache <4>: Texture", "neighbors-column-texture-array", "p_width=4 p_texel=f32|uchar4", "--neighbors=4", {"0.3859", "0.1997", "0.184"}, {"173.9", "336.1", "364.8"}},
        {"ColumnAfterColumn Cache <8>: Const Array", "neighbors-column-global", "p_width=8 p_texel=f32|uchar4", "--neighbors=8", {"0.9358", "0.5069", "0.4832"}, {"71.71", "132.4", "138.9"}},
        {"ColumnAfterColumn Cache <8>: Const Array Restrict", "neighbors-column-restrict", "p_width=8 p_texel=f32|uchar4", "--neighbors=8", {"0.9337", "0.51", "0.4791"}, {"71.87", "131.6", "140.1"}},
        {"ColumnAfterColumn Cache <8>: Texture", "neighbors-column-texture-array", "p_width=8 p_texel=f32|uchar4", "--neighbors=8", {"0.4895", "0.1956", "0.2091"}, {"137.1", "343.1", "321"}},
        {"Sliding Row: Const Array", "slide-row-global", "p_texel=float4", "", {"0.254", "0.1454", "0.145"}, {"264.2", "461.5", "462.7"}},
        {"Sliding Row: Const Array Pitched", "slide-row-pitched", "p_texel=float4", "", {"0.254", "0.1444", "0.1452"}, {"264.2", "464.8", "462.1"}},
        {"Sliding Row: Texture", "slide-row-texture-array", "p_texel=float4", "", {"0.2552", "0.1546", "0.1372"}, {"263", "434", "489.2"}},
        {"Sliding Row: Texture Array", "slide-row-texture-pitch", "p_texel=float4", "", {"0.2614", "0.1587", "0.1495"}, {"256.7", "422.8", "448.9"}},
        {"Sliding Column: Const Array", "slide-column-global", "p_texel=float4", "", {"0.5101", "0.1526", "0.208"}, {"131.6", "439.8", "322.6"}},
        {"Sliding Column: Const Array Pitched", "slide-column-pitched", "p_texel=float4", "", {"0.51", "0.1516", "0.2123"}, {"131.6", "442.8", "316.1"}},
        {"Sliding Column: Texture", "slide-column-texture-array", "p_texel=float4", "", {"0.253", "0.1546", "0.1372"}, {"265.3", "434.1", "489.2"}},
        {"Sliding Column: Texture Array", "slide-column-texture-pitch", "p_texel=float4", "", {"0.2805", "0.1567", "0.1443"}, {"239.2", "428.3", "465.2"}},
        {"FilterX: Const Array", "filter-x-global", "p_width=11 p_texel=f32|uchar4", "--width=11", {"1.126", "0.4608", "0.5302"}, {"655.4", "1602", "1392"}},
        {"FilterX: Const Array Pitched", "filter-x-pitched", "p_width=11 p_texel=f32|uchar4", "--width=11", {"1.125", "0.4588", "0.529"}, {"656.4", "1609", "1237"}},
        {"FilterX: Texture", "filter-x-texture-array", "p_width=11 p_texel=f32|uchar4", "--width=11", {"0.7414", "0.5324", "0.6846"}, {"955.7", "1386", "1078"}},
        {"FilterX: Texture Array", "filter-x-texture-pitch", "p_width=11 p_texel=f32|uchar4", "--width=11", {"0.7415", "0.5304", "0.6918"}, {"955.5", "1392", "1067"}},
        {"FilterY: Const Array", "filter-y-global", "p_width=11 p_texel=f32|uchar4", "--width=11", {"0.8999", "0.4731", "0.5975"}, {"820.3", "1560", "1235"}},
        {"FilterY: Const Array Pitched", "filter-y-pitched", "p_width=11 p_texel=f32|uchar4", "--width=11", {"0.8994", "0.4731", "0.5965"}, {"820.8", "1560", "1237"}},
        {"FilterY: Texture", "filter-y-texture-array", "p_width=11 p_texel=f32|uchar4", "--width=11", {"0.7229", "0.5233", "0.6922"}, {"1021", "1411", "1066"}},
        {"FilterY: Texture Array", "filter-y-texture-pitch", "p_width=11 p_texel=f32|uchar4", "--width=11", {"0.7332", "0.5274", "0.7141"}, {"1007", "1400", "1034"}},
        {"ReadRandom: Const Array", "random-global", "p_texel=f32|uchar4", "", {"2.394", "0.6615", "0.7749"}, {"280.4", "1014", "866.1"}},
        {"ReadRandom: Const Array Pitched", "random-pitched", "p_texel=f32|uchar4", "", {"2.392", "0.6615", "0.774"}, {"280.5", "1014", "867"}},
        {"ReadRandom: Texture", "random-texture-array", "p_texel=f32|uchar4", "", {"1.484", "0.5734", "0.7436"}, {"452.3", "1170", "902.5"}},
        {"ReadRandom: Texture Array", "random-texture-pitch", "p_texel=f32|uchar4", "", {"1.483", "0.5683", "0.7492"}, {"452.6", "1181", "895.8"}},
        // clang-format on
    };
    Lectures lectures;
    for (const TableRow& row : rows)
        for (const std::size_t gpu : {1, 0, 2})  // the TITAN V is shown unless another is asked for
            lectures.push_back({"tutorial",
                                row.name,
                                row.variant,
                                row.where,
                                gpus[gpu],
                                bytes / bytes_per_texel(row.where),
                                {{"ms", row.ms[gpu]}, {"gbyte_per_s", row.gbyte_per_s[gpu]}},
                                row.option});
    const auto add_load = [&](const char* name, const char* variant, const char* cycles) {
        lectures.push_back({"tutorial", name, variant, "", "", 0, {{"cycles", cycles}}});
    };
    add_load("c_array[0]", "constant-uniform", "24");
    add_load("c_array[blockIdx.x]", "constant-block", "24");
    add_load("c_array[threadIdx.x]", "constant-thread", "35");
    add_load("d_array[blockIdx.x]", "global-block", "24");
    add_load("d_array[threadIdx.x]", "global-thread", "26");
    add_load("dc_array[blockIdx.x]", "restrict-block", "23");
    add_load("dc_array[threadIdx.x]", "restrict-thread", "24");
    const auto add_kernel = [&](const char* name, const char* variant) {
        lectures.push_back({"tutorial", name, variant});
    };
    add_kernel("deviceLoadRowAfterRow", "row-global");
    add_kernel("deviceLoadColumnAfterColumn", "column-global");
    add_kernel("deviceLoadRowAfterRowOffset", "neighbors-global");
    add_kernel("deviceLoadColAfterColOffset", "neighbors-column-global");
    add_kernel("globalFilterX", "filter-x-global");
    add_kernel("globalFilterX", "filter-y-global");
    add_kernel("deviceReadRandom", "random-global");
    return lectures;
}

}  // namespace

const Lectures lectures = tables();
