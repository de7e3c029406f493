// What is said where there is no GPU to run on.
#include "core/cuda/device.h"

#include <glgnn/error.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/graph_learn.h"
#include "kernels/nearest_rows.h"

namespace glgnn {
namespace {

template <class Call>
void expect_refused(Call&& call) {
  try {
    call();
    FAIL() << "ran on a device that is not there";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), cuda::compiled() ? ErrorKind::kDevice : ErrorKind::kUnsupported);
    const std::string text = error.what();
    EXPECT_NE(text.find("processor"), std::string::npos) << text;
    if (cuda::compiled()) return;
    EXPECT_NE(text.find("make cuda"), std::string::npos) << text;
  }
}

TEST(Device, WithoutOneEveryKernelSaysWhatToDo) {
  std::string why;
  if (cuda::find_device(&why)) GTEST_SKIP() << "there is one";
  EXPECT_FALSE(why.empty());
  std::vector<float> z(6, 1.0f), lse(3), d_z(6);
  std::vector<int32_t> col(3, -7);
  std::vector<int64_t> count(3);
  const ZDense<float> rows{{z.data(), 3, 2}};
  expect_refused([&] { cuda::nearest_rows(col.data(), {z.data(), 3, 2}, 1); });
  expect_refused(
      [&] { cuda::graph_learn_choose(col.data(), count.data(), lse.data(), rows, {}, {.k = 1}); });
  expect_refused([&] {
    cuda::graph_learn_lse_backward({d_z.data(), 3, 2}, lse.data(), rows, lse.data(), false);
  });
  EXPECT_EQ(col, std::vector<int32_t>(3, -7));
}

}  // namespace
}  // namespace glgnn
