// Files of older versions: read, or refused with the name of the program that reads them. How a
// change of the model file is made is in docs/reliability.md.
#include <glgnn/error.h>
#include <glgnn/glgnn.h>
#include <gtest/gtest.h>

#include "core/archive.h"
#include "core/feature_rows.h"
#include "data_test_util.h"

namespace glgnn {
namespace {

std::string kept(const std::string& name) {
  return std::string(GLGNN_TEST_DIR) + "/unit/versions/" + name;
}

// Its first kilobyte: nothing after the header is read.
TEST(FileVersions, Version7NamesTheProgramThatReadsIt) {
  const TempFolder folder;
  EXPECT_TRUE(begins(folder.error_of(ErrorKind::kData, [] { load_model(kept("version7.glgnn")); }),
                     kept("version7.glgnn") +
                         ": was written by another version: found file version 7, expected "));
  EXPECT_TRUE(
      folder.error_of(ErrorKind::kData, [] { load_model(kept("version7.glgnn")); })
          .ends_with("; fit again, or read it with glgnn 0.1, which wrote files up to version 7"));
}

// Two classes of twelve rows that lie apart: whatever a later version computes, these are told.
void expect_usable(const std::string& name) {
  const Model model = load_model(kept(name));
  EXPECT_EQ(model.class_names, (std::vector<std::string>{"apple", "pear"}));
  EXPECT_EQ(accuracy(model.probabilities, model.labels, model.train), 1.0);
  const Features rows = rows_of(model.features, 0, model.features.rows());
  const Matrix p = NewRowPredictor(model, Context{1}).predict(rows).probabilities;
  EXPECT_EQ(accuracy(p, model.labels, model.train), 1.0);
  EXPECT_EQ(Explainer(model, Context{1}).explain(0).predicted, model.labels[0]);
}

TEST(FileVersions, Version9AndLaterAreRead) {
  for (const char* name : {"version9_best.glgnn", "version9_paper.glgnn", "version10_best.glgnn"}) {
    expect_usable(name);
  }
}

}  // namespace
}  // namespace glgnn
