// Cases of what a network of attention is made of.
#include <string>
#include <utility>

#include "check.h"
#include "kernels/attention.h"
#include "make.h"

namespace glgnn::op_check {
namespace {

constexpr const char* kNoGradient = "the network is trained elsewhere and only asked here";

Case row_products_case(std::string name, int64_t rows, int64_t inner, int64_t cols) {
  const auto run = [=](auto& r, auto&& kernel) {
    kernel(view(r.out[0], rows, cols), view(std::as_const(r.in[0]), rows, inner),
           view(std::as_const(r.in[1]), inner, cols));
  };
  return {.name = std::move(name),
          .in = {{"x", uniform(9, rows * inner)}, {"w", uniform(10, inner * cols)}},
          .out = {{"y", rows * cols}},
          .forward = [=]<class T>(Run<T>& r) { run(r, ref::row_products<T>); },
          .backends = {{"cpu", [=](Run<float>& r, int) { run(r, cpu::row_products); }}},
          .no_gradient = kNoGradient,
          .forward_work = {.flops = 2.0 * static_cast<double>(rows * inner * cols)}};
}

Case layer_norm_case(std::string name, int64_t rows, int64_t cols) {
  const auto x = [=](auto& r) { return view(std::as_const(r.in[0]), rows, cols); };
  return {.name = std::move(name),
          .in = {{"x", uniform(1, rows * cols, -3, 5)},
                 {"gain", uniform(2, cols)},
                 {"offset", uniform(3, cols)}},
          .out = {{"y", rows * cols}},
          .forward =
              [=]<class T>(Run<T>& r) {
                ref::layer_norm<T>(view(r.out[0], rows, cols), x(r), r.in[1].data(),
                                   r.in[2].data());
              },
          .backends = {{"cpu",
                        [=](Run<float>& r, int) {
                          cpu::layer_norm(view(r.out[0], rows, cols), x(r), r.in[1].data(),
                                          r.in[2].data());
                        }}},
          .no_gradient = kNoGradient,
          .forward_work = {.bytes = 8.0 * static_cast<double>(rows * cols)}};
}

Case gelu_case(std::string name, int64_t rows, int64_t cols, double largest) {
  const auto run = [=](auto& r, auto&& kernel) {
    r.out[0] = r.in[0];
    kernel(view(r.out[0], rows, cols), r.in[1].data());
  };
  return {.name = std::move(name),
          .in = {{"x", uniform(4, rows * cols, -largest, largest)}, {"offset", uniform(5, cols)}},
          .out = {{"y", rows * cols}},
          .forward = [=]<class T>(Run<T>& r) { run(r, ref::gelu<T>); },
          .backends = {{"cpu", [=](Run<float>& r, int) { run(r, cpu::gelu); }}},
          .no_gradient = kNoGradient,
          .forward_work = {.bytes = 8.0 * static_cast<double>(rows * cols)}};
}

struct Sizes {
  int64_t rows, heard, width, heads;
};

Case attend_case(std::string name, Sizes s, double largest = 1) {
  const auto run = [s](auto& r, auto&& kernel) {
    kernel(view(r.out[0], s.rows, s.width), view(std::as_const(r.in[0]), s.rows, s.width),
           view(std::as_const(r.in[1]), s.width, s.heard),
           view(std::as_const(r.in[2]), s.heard, s.width), s.heads);
  };
  return {.name = std::move(name),
          .in = {{"q", uniform(6, s.rows * s.width, -largest, largest)},
                 {"k", uniform(7, s.heard * s.width, -largest, largest)},
                 {"v", uniform(8, s.heard * s.width)}},
          .out = {{"out", s.rows * s.width}},
          .forward = [=]<class T>(Run<T>& r) { run(r, ref::attend<T>); },
          .backends = {{"cpu", [=](Run<float>& r, int) { run(r, cpu::attend); }}},
          .no_gradient = kNoGradient,
          .forward_work = {.flops = 4.0 * static_cast<double>(s.rows * s.heard * s.width)}};
}

std::vector<Case> row_products_cases() {
  return {row_products_case("one row", 1, 12, 7), row_products_case("odd", 7, 5, 53),
          row_products_case("network", 66, 96, 192)};
}
std::vector<Case> row_products_bench() {
  return {row_products_case("10000 cells", 10000, 96, 192)};
}

std::vector<Case> layer_norm_cases() {
  return {layer_norm_case("one row", 1, 5), layer_norm_case("odd", 7, 33),
          layer_norm_case("network", 64, 96)};
}
std::vector<Case> layer_norm_bench() { return {layer_norm_case("10000 cells", 10000, 96)}; }

std::vector<Case> gelu_cases() {
  return {gelu_case("one row", 1, 5, 2), gelu_case("large numbers", 5, 19, 40),
          gelu_case("network", 64, 192, 4)};
}
std::vector<Case> gelu_bench() { return {gelu_case("10000 cells", 10000, 192, 4)}; }

std::vector<Case> attend_cases() {
  return {attend_case("one heard", {3, 1, 8, 2}), attend_case("odd", {5, 13, 9, 3}),
          attend_case("sure", {4, 21, 32, 1}, 6), attend_case("network", {32, 77, 96, 3})};
}
std::vector<Case> attend_bench() { return {attend_case("100 labels", {1000, 100, 96, 3})}; }

}  // namespace

std::vector<Op> attention_ops() {
  return {{"row_products", row_products_cases, row_products_bench},
          {"layer_norm", layer_norm_cases, layer_norm_bench},
          {"gelu", gelu_cases, gelu_bench},
          {"attend", attend_cases, attend_bench}};
}

}  // namespace glgnn::op_check
