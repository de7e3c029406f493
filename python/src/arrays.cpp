#include "arrays.h"

#include <glgnn/error.h>

#include <cmath>
#include <memory>
#include <string>

namespace glgnn::python {
namespace {

namespace py = pybind11;

float to_float32(double value, int64_t row, int64_t column) {
  const auto narrow = static_cast<float>(value);
  if (std::isfinite(narrow)) return narrow;
  throw Error(ErrorKind::kData,
              "row " + std::to_string(row) + ", column " + std::to_string(column) +
                  ": a number cannot be kept: found " + std::to_string(value) +
                  ", expected one that fits float32 (at most 3.4e38); scale or repair the column");
}

template <class T>
Matrix dense_from(const py::array& rows) {
  const auto array = py::array_t<T>::ensure(rows);
  const auto in = array.template unchecked<2>();
  Matrix out(in.shape(0), in.shape(1));
  for (int64_t i = 0; i < out.rows(); ++i) {
    for (int64_t j = 0; j < out.cols(); ++j) out[i][j] = to_float32(in(i, j), i, j);
  }
  return out;
}

Csr csr_from(const py::tuple& parts, int64_t columns) {
  auto pattern = std::make_shared<Pattern>();
  Csr csr;
  csr.values = to_vector<float>(parts[0].cast<py::array>());
  pattern->col = to_vector<int32_t>(parts[1].cast<py::array>());
  pattern->row_ptr = to_vector<int64_t>(parts[2].cast<py::array>());
  pattern->rows = static_cast<int64_t>(pattern->row_ptr.size()) - 1;
  pattern->cols = columns;
  for (int64_t i = 0; i < pattern->rows; ++i) {
    for (int64_t e = pattern->row_ptr[i]; e < pattern->row_ptr[i + 1]; ++e) {
      csr.values[e] = to_float32(csr.values[e], i, pattern->col[e]);
    }
  }
  csr.pattern = std::move(pattern);
  return csr;
}

}  // namespace

Features features_from(const py::object& rows) {
  Features features;
  if (py::isinstance<py::tuple>(rows)) {
    const auto parts = rows.cast<py::tuple>();
    features.is_sparse = true;
    features.sparse = csr_from(parts, parts[3].cast<int64_t>());
    return features;
  }
  const auto array = rows.cast<py::array>();
  const bool is_double = array.dtype().kind() == 'f' && array.itemsize() == sizeof(double);
  features.dense = is_double ? dense_from<double>(array) : dense_from<float>(array);
  return features;
}

Csr graph_from(const py::tuple& graph) {
  const int64_t rows = static_cast<int64_t>(graph[2].cast<py::array>().size()) - 1;
  return csr_from(graph, rows);
}

py::array_t<float> to_array(const Matrix& matrix) {
  return py::array_t<float>({matrix.rows(), matrix.cols()}, matrix.data());
}

py::tuple to_tuple(const Csr& csr) {
  return py::make_tuple(to_array(csr.values), to_array(csr.pattern->col),
                        to_array(csr.pattern->row_ptr));
}

}  // namespace glgnn::python
