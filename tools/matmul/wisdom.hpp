// SPDX-License-Identifier: MIT
// What `fastest` has measured: the best plan of each product on each device, as FFTW's wisdom. A file is a CSV table, to
// which runs add rows; of rows with the same key the last one counts:
//     wisdom,device,dtype,transposed,products,shape,plan,ns
//     1,NVIDIA H200/132,f32,none,1,4096x4096x4096,hopper:128x256x32:stream-k,2580000
#pragma once

#include <map>
#include <string>

class Wisdom {
public:
    // `path`: a file of this form, which need not exist; "" for the user's, matmul-wisdom.csv in
    // $XDG_CACHE_HOME/gridutils or ~/.cache/gridutils.
    explicit Wisdom(const std::string& path);

    // Why the file is not used, neither read nor written: it is no such table, or cannot be read. "" if it is used.
    const std::string& obstacle() const { return obstacle_; }

    // The plan that was the fastest for this key (the columns from `device` to `shape`); "" if nobody has measured it.
    std::string plan_of(const std::string& key) const;

    // Adds a row unless the last one for the key names the same plan. Returns why it could not; "" if it could. A user's
    // own file that cannot be written is no reason to complain.
    std::string remember(const std::string& key, const std::string& plan, double ns);

private:
    void read();

    std::string path_, obstacle_;
    bool is_named_;
    std::map<std::string, std::string> plans_;
};
