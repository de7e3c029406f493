#include "arrays.h"

#include <glgnn/error.h>
#include <pybind11/stl.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>

#include "core/validate.h"

namespace glgnn::python {
namespace {

namespace py = pybind11;

float to_float32(double value, int64_t row, int64_t column) {
  const auto narrow = static_cast<float>(value);
  if (std::isfinite(narrow)) return narrow;
  char found[32];
  std::snprintf(found, sizeof found, "%g", value);
  throw Error(ErrorKind::kData,
              "row " + std::to_string(row) + ", column " + std::to_string(column) +
                  ": a number cannot be kept: found " + found +
                  ", expected one that fits float32 (at most 3.4e38); scale or repair the column");
}

template <class T>
Matrix dense_from(const py::array& rows, std::vector<Rounding>* rounding) {
  const auto array = py::array_t<T>::ensure(rows);
  const auto in = array.template unchecked<2>();
  Matrix out(in.shape(0), in.shape(1));
  if (rounding != nullptr) rounding->resize(static_cast<size_t>(out.cols()));
  for (int64_t i = 0; i < out.rows(); ++i) {
    for (int64_t j = 0; j < out.cols(); ++j) {
      out[i][j] = to_float32(in(i, j), i, j);
      if (rounding != nullptr) (*rounding)[static_cast<size_t>(j)].add(in(i, j));
    }
  }
  return out;
}

bool lies_row_by_row(const py::array& array) {
  constexpr auto kAligned = py::detail::npy_api::NPY_ARRAY_ALIGNED_;
  return py::isinstance<py::array_t<float, py::array::c_style>>(array) &&
         (array.flags() & kAligned) != 0;
}

// The array is given back under Python's lock, whichever thread lets go of it last.
Matrix share_rows(const py::array& array) {
  const auto let_go = [](const py::array* kept) {
    const py::gil_scoped_acquire lock;
    delete kept;
  };
  const std::shared_ptr<const py::array> keep(new py::array(array), let_go);
  const auto* const numbers = static_cast<const float*>(array.data());
  return Matrix::share({keep, numbers}, array.shape(0), array.shape(1));
}

template <class T>
py::array_t<T> show_numbers(std::vector<py::ssize_t> shape, const T* numbers,
                            const py::object& owner) {
  py::array_t<T> array(std::move(shape), numbers, owner);
  array.attr("flags").attr("writeable") = false;
  return array;
}

template <class T>
py::array_t<T> show_list(const std::vector<T>& list, const py::object& owner) {
  return show_numbers({static_cast<py::ssize_t>(list.size())}, list.data(), owner);
}

Csr csr_from(const py::tuple& parts, int64_t columns) {
  auto pattern = std::make_shared<Pattern>();
  Csr csr;
  csr.values = to_vector<float>(parts[0].cast<py::array>());
  pattern->col = to_vector<int32_t>(parts[1].cast<py::array>());
  pattern->row_ptr = to_vector<int64_t>(parts[2].cast<py::array>());
  pattern->rows = static_cast<int64_t>(pattern->row_ptr.size()) - 1;
  pattern->cols = columns;
  check_pattern("sparse matrix", *pattern);
  check_count("sparse matrix, values", static_cast<int64_t>(csr.values.size()), pattern->nnz());
  for (int64_t i = 0; i < pattern->rows; ++i) {
    for (int64_t e = pattern->row_ptr[i]; e < pattern->row_ptr[i + 1]; ++e) {
      csr.values[e] = to_float32(csr.values[e], i, pattern->col[e]);
    }
  }
  csr.pattern = std::move(pattern);
  return csr;
}

}  // namespace

Features features_from(const py::object& rows, std::vector<Rounding>* rounding) {
  Features features;
  if (py::isinstance<py::tuple>(rows)) {
    const auto parts = rows.cast<py::tuple>();
    features.is_sparse = true;
    features.sparse = csr_from(parts, parts[3].cast<int64_t>());
    return features;
  }
  const auto array = rows.cast<py::array>();
  if (lies_row_by_row(array)) {
    features.dense = share_rows(array);
    return features;
  }
  const bool is_double = array.dtype().kind() == 'f' && array.itemsize() == sizeof(double);
  features.dense =
      is_double ? dense_from<double>(array, rounding) : dense_from<float>(array, nullptr);
  return features;
}

TableColumns::TableColumns(const py::list& columns) {
  for (const py::handle& given : columns) {
    const auto parts = given.cast<py::tuple>();
    FrameColumn column{.name = parts[0].cast<std::string>()};
    if (parts[2].cast<bool>()) column.wish = ColumnWish::kCategorical;
    column.is_text = py::isinstance<py::list>(parts[1]);
    if (column.is_text) {
      column.texts = parts[1].cast<std::vector<std::string>>();
      frame_.rows = static_cast<int64_t>(column.texts.size());
    } else {
      kept_.push_back(py::array_t<double, py::array::c_style>::ensure(parts[1]));
      column.numbers = {kept_.back().data(), static_cast<size_t>(kept_.back().size())};
      frame_.rows = kept_.back().size();
    }
    frame_.columns.push_back(std::move(column));
  }
}

Csr graph_from(const py::tuple& graph) {
  const int64_t rows = static_cast<int64_t>(graph[2].cast<py::array>().size()) - 1;
  return csr_from(graph, rows);
}

py::array_t<float> to_array(const Matrix& matrix) {
  return py::array_t<float>({matrix.rows(), matrix.cols()}, matrix.data());
}

py::array_t<float> show_array(const Matrix& matrix, const py::object& owner) {
  return show_numbers({matrix.rows(), matrix.cols()}, matrix.data(), owner);
}

py::tuple show_tuple(const Csr& csr, const py::object& owner) {
  return py::make_tuple(show_list(csr.values, owner), show_list(csr.pattern->col, owner),
                        show_list(csr.pattern->row_ptr, owner));
}

}  // namespace glgnn::python
