// The report as one file that opens in a browser without a network.
#pragma once

#include <glgnn/context.h>
#include <glgnn/model.h>

#include <string>
#include <string_view>

namespace glgnn {

// Whether this build has the page (option GLGNN_PAGE).
bool has_page();

// kUnsupported, with how to get it, where the build has none.
void require_page();

// The whole HTML text for a model with its data (keep_data); see require_page().
std::string report_page(const Model& model, const Context& context = default_context());

// `page` with `json` in the place for the data, so that no text in it can end the script it is in.
std::string page_with_data(std::string_view page, const std::string& json);

}  // namespace glgnn
