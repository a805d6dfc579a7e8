// SPDX-License-Identifier: MIT
#include "tools/plot/html.hpp"

#include "common/io/text.hpp"
#include "tools/plot/svg.hpp"
#include "tools/plot/words.hpp"

namespace plot {
namespace {

// Shows the titles in the picture at once, and next to the pointer. Without scripts, browsers show them after a second.
constexpr const char* hover = R"(<div id="row" hidden></div>
<script>
const row = document.getElementById("row");
for (const title of document.querySelectorAll("svg g title")) {
    const shape = title.parentNode, words = title.textContent;
    title.remove();
    shape.setAttribute("aria-label", words);
    shape.addEventListener("pointerenter", () => {
        row.textContent = words;
        row.hidden = false;
        shape.classList.add("under");
    });
    shape.addEventListener("pointerleave", () => { row.hidden = true; shape.classList.remove("under"); });
    shape.addEventListener("pointermove", (event) => {
        const right = event.clientX + 14 + row.offsetWidth > innerWidth;
        const low = event.clientY + 14 + row.offsetHeight > innerHeight;
        row.style.left = event.pageX + (right ? -14 - row.offsetWidth : 14) + "px";
        row.style.top = event.pageY + (low ? -14 - row.offsetHeight : 14) + "px";
    });
}
</script>
)";

constexpr const char* style = R"(body { font: 14px sans-serif; margin: 2em; color: #222; background: #fff; }
svg { max-width: 100%; height: auto; }
#row { position: absolute; white-space: pre; background: #fff; border: 1px solid #888; padding: 4px 8px;
    font-size: 12px; pointer-events: none; box-shadow: 0 1px 4px #0004; }
.under { stroke: #000; stroke-width: 1.5; }
)";

}  // namespace

std::string html_of(const Figure& figure, const std::optional<Size>& size) {
    return text(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n<title>{}</title>\n<style>\n{}</style>\n"
        "</head>\n<body>\n{}{}</body>\n</html>\n",
        xml(figure.title), style, svg_of(figure, size), hover);
}

}  // namespace plot
