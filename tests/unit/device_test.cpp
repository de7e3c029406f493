// What is said where there is no GPU to run on.
#include "core/cuda/device.h"

#include <glgnn/context.h>
#include <glgnn/error.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kernels/graph_learn.h"
#include "kernels/nearest_rows.h"
#include "kernels/paper_training.h"
#include "kernels/propagate.h"

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

TEST(Device, AutomaticallyTheProcessorForASmallTable) {
  const Context found = resolve_device({3, Device::kAuto}, 178, 13);
  EXPECT_EQ(found.device, Device::kCpu);
  EXPECT_EQ(found.threads, 3);
  EXPECT_EQ(device_text(found), "cpu");
  EXPECT_EQ(found.with_threads(2).threads, 2);
}

TEST(Device, AreNamedByTheWordsOfTheOption) {
  EXPECT_EQ(device_named("cpu"), Device::kCpu);
  EXPECT_EQ(device_named("cuda"), Device::kCuda);
  EXPECT_EQ(device_named("auto"), Device::kAuto);
  try {
    device_named("gpu");
    FAIL() << "took gpu for a device";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_NE(std::string(error.what()).find("cpu, cuda or auto"), std::string::npos);
  }
}

TEST(Device, WithoutOneAskingForItIsRefusedAndAutoIsTheProcessor) {
  if (cuda::find_device()) GTEST_SKIP() << "there is one";
  constexpr int64_t kManyRows = 1'000'000;
  expect_refused([&] { resolve_device({1, Device::kCuda}, kManyRows, 64); });
  EXPECT_EQ(resolve_device({1, Device::kAuto}, kManyRows, 64).device, Device::kCpu);
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
  const std::vector<int64_t> row_ptr{0, 0};
  expect_refused([&] { cuda::HeldGraph({1, 1, row_ptr.data(), col.data()}, z.data()); });
  expect_refused([&] { cuda::HeldPaper({.x = {z.data(), 3, 2}}, {}, {}, 0); });
}

}  // namespace
}  // namespace glgnn
