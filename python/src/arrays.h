// Between NumPy arrays and the library's matrices.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/dataset.h>
#include <pybind11/numpy.h>

#include <cstdint>
#include <vector>

#include "data/cells.h"

namespace glgnn::python {

// Rows of float32 or float64 in any order of memory, or the tuple (data, indices, indptr, columns)
// of a SciPy CSR matrix with ascending indices. float32 rows that lie one after the other are read
// where they are, and kept alive; others are copied once, straight from the array. `rounding` gets
// how much float32 rounds each column of float64.
Features features_from(const pybind11::object& rows, std::vector<Rounding>* rounding = nullptr);

// A table's columns as the package gives them: (name, values, is categorical), where values are a
// float64 array, NaN for a gap, or a list of texts. Keeps the arrays alive.
class TableColumns {
 public:
  explicit TableColumns(const pybind11::list& columns);

  const Frame& frame() const { return frame_; }

 private:
  Frame frame_;
  std::vector<pybind11::array_t<double>> kept_;
};

// A square graph from the tuple (data, indices, indptr) of a symmetric CSR matrix.
Csr graph_from(const pybind11::tuple& graph);

pybind11::array_t<float> to_array(const Matrix& matrix);

// Arrays to read that show memory of the library, which `owner` keeps alive.
pybind11::array_t<float> show_array(const Matrix& matrix, const pybind11::object& owner);
pybind11::tuple show_tuple(const Csr& csr, const pybind11::object& owner);  // data, indices, indptr

template <class T>
pybind11::array_t<T> to_array(const std::vector<T>& list) {
  return pybind11::array_t<T>(static_cast<pybind11::ssize_t>(list.size()), list.data());
}

template <class T>
std::vector<T> to_vector(const pybind11::array& array) {
  constexpr int kForm = pybind11::array::c_style | pybind11::array::forcecast;
  const auto cast = pybind11::array_t<T, kForm>::ensure(array);
  if (!cast) throw pybind11::error_already_set();
  return {cast.data(), cast.data() + cast.size()};
}

}  // namespace glgnn::python
