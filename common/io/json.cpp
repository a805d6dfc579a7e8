#include "common/io/json.hpp"

#include <nlohmann/json.hpp>

std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_number(std::string_view fixed_point) { return nlohmann::json::parse(fixed_point).dump(); }
