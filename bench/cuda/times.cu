// glgnn-bench-cuda Z N D K REPEATS OUT: choosing K neighbours of the N x D floats of the file Z on
// the GPU, with the log-sum-exp, and its gradient. Prints JSON: seconds of each repeat (rows on the
// device, packing counted), the same from the host's memory and back, peak device memory, whether
// all repeats had the same bits. OUT.col, OUT.lse, OUT.d_z: the results, for bench/cuda/run.py to
// check.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "core/cuda/device.h"
#include "kernels/cuda/choose.cuh"

namespace glgnn::cuda {
namespace {

template <class T>
std::vector<T> to_host(const DeviceArray<T>& from) {
  std::vector<T> out(from.size());
  from.copy_to(out.data());
  return out;
}

template <class T>
void write(const std::string& path, const std::vector<T>& numbers) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(numbers.data()),
             static_cast<std::streamsize>(numbers.size() * sizeof(T)));
}

template <class Work>
double seconds_of(Work&& work) {
  check(cudaStreamSynchronize(stream()), "waiting");
  const auto begin = std::chrono::steady_clock::now();
  work();
  check(cudaStreamSynchronize(stream()), "waiting");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void print_list(const char* name, const std::vector<double>& seconds) {
  std::printf("\"%s\": [", name);
  for (size_t r = 0; r < seconds.size(); ++r) std::printf("%s%.6f", r ? ", " : "", seconds[r]);
  std::printf("], ");
}

struct Times {
  std::vector<double> choose_only, forward, backward;
  bool same_bits = true;
};

int run(const std::string& file, int64_t n, int64_t d, int k, int repeats, const std::string& out) {
  std::vector<float> z(n * d), d_lse(n);
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(z.data()),
          static_cast<std::streamsize>(z.size() * sizeof(float)));
  if (!in) return std::fprintf(stderr, "%s: expected %lld floats\n", file.c_str(), 1LL * n * d), 1;
  for (int64_t i = 0; i < n; ++i) d_lse[i] = (i % 7 - 3.0f) / static_cast<float>(n);

  const DeviceArray<float> numbers(z.data(), n * d), d_sums(d_lse.data(), n);
  const DeviceRows rows{.rows = n, .cols = d, .dense = numbers.data()};
  const DeviceArray<int32_t> col(n * k);
  const DeviceArray<int64_t> count(n);
  const DeviceArray<float> lse(n);
  DeviceArray<float> d_z(n * d);
  Times times;
  std::vector<int32_t> first_col;
  std::vector<float> first_lse, first_d_z;
  reset_peak_memory();
  for (int r = 0; r <= repeats; ++r) {  // the first warms up
    const double choose_only =
        seconds_of([&] { choose(col.data(), count.data(), nullptr, pack_rows(rows), {.k = k}); });
    const double forward = seconds_of(
        [&] { choose(col.data(), count.data(), lse.data(), pack_rows(rows), {.k = k}); });
    d_z.fill_bytes(0);
    const double backward = seconds_of(
        [&] { lse_backward(d_z.data(), d_sums.data(), rows, pack_rows(rows), lse.data(), false); });
    const auto now_col = to_host(col);
    const auto now_lse = to_host(lse), now_d_z = to_host(d_z);
    if (r == 0) {
      first_col = now_col;
      first_lse = now_lse;
      first_d_z = now_d_z;
      continue;
    }
    times.same_bits &= now_col == first_col && now_lse == first_lse && now_d_z == first_d_z;
    times.choose_only.push_back(choose_only);
    times.forward.push_back(forward);
    times.backward.push_back(backward);
  }
  const int64_t peak = peak_memory();
  std::vector<int64_t> counts(n);
  const double from_host = seconds_of([&] {
    cuda::graph_learn_choose(first_col.data(), counts.data(), first_lse.data(),
                             ZDense<float>{{z.data(), n, d}}, {}, {.k = k});
  });
  std::printf("{\"rows\": %lld, \"features\": %lld, \"k\": %d, ", 1LL * n, 1LL * d, k);
  print_list("choose_seconds", times.choose_only);
  print_list("forward_seconds", times.forward);
  print_list("backward_seconds", times.backward);
  std::printf("\"forward_from_host_seconds\": %.6f, \"device_bytes\": %lld, \"same_bits\": %s}\n",
              from_host, 1LL * peak, times.same_bits ? "true" : "false");
  write(out + ".col", first_col);
  write(out + ".lse", first_lse);
  write(out + ".d_z", first_d_z);
  return 0;
}

}  // namespace
}  // namespace glgnn::cuda

int main(int argc, char** argv) {
  if (argc != 7) return std::fprintf(stderr, "glgnn-bench-cuda Z N D K REPEATS OUT\n"), 2;
  try {
    return glgnn::cuda::run(argv[1], std::atoll(argv[2]), std::atoll(argv[3]), std::atoi(argv[4]),
                            std::atoi(argv[5]), argv[6]);
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 5;
  }
}
