// Where the rows of a graph lie when it is drawn: rows that are predicted alike and joined lie near
// each other, and no two on the same spot.
#pragma once

#include <glgnn/csr.h>
#include <glgnn/matrix.h>

#include <vector>

namespace glgnn {

struct MapPoint {
  float x = 0, y = 0;
};

// One place for each row, within the unit square; cost linear in rows and edges, the same bits
// every time.
std::vector<MapPoint> layout_rows(const Csr& graph, const Matrix& probabilities);

}  // namespace glgnn
