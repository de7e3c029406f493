// The column plan goes through the model file and prepares new rows as the fitted ones were.
#include <glgnn/new_rows.h>
#include <glgnn/trainer.h>

#include "data/data.h"
#include "unit/data_test_util.h"

namespace glgnn {
namespace {

std::string table() {
  std::string text = "height,soil,planted,name,kind\n";
  for (int i = 0; i < 24; ++i) {
    const std::string height = i == 5 ? "" : std::to_string(1 + i % 7) + "." + std::to_string(i);
    text += height + "," +
            (i == 7       ? "chalk"
             : i % 2 == 0 ? "clay"
                          : "sand") +
            ",2024-01-" + std::to_string(10 + i % 9) + ",tree" + std::to_string(i) + "," +
            (i % 3 == 0 ? "oak" : "elm") + "\n";
  }
  return text;
}

TEST(ModelPlan, PreparesNewRowsAsTheFittedOnes) {
  const TempFolder folder;
  const std::string file = folder.write("t.csv", table());
  Dataset dataset = load_dataset(file, {.label = "kind"});
  Config config;
  config.mode = Mode::kPaper;
  config.k = 3;
  config.epochs = 2;
  config.hidden = 4;
  config.scaling = Scaling::kStandard;
  const Split split = make_split(dataset.labels, dataset.classes(), {}, 1);
  dataset.plan.scale = learn_scale(dataset.features, config.scaling);
  apply_scale(dataset.features, dataset.plan.scale);
  Problem problem;
  problem.features = &dataset.features;
  problem.labels = reveal_labels(dataset.labels, split.train);
  problem.train = split.train;
  problem.classes = dataset.classes();
  Model model = fit(problem, config, default_context()).model;
  keep_data(model, std::move(dataset), split);
  save_model(model, folder.path("m.glgnn"));

  const Model back = load_model(folder.path("m.glgnn"));
  ASSERT_EQ(back.plan.columns.size(), 5u);
  EXPECT_EQ(back.plan.columns[1].levels, (std::vector<std::string>{"clay", "sand"}));
  EXPECT_EQ(back.plan.columns[3].kind, ColumnKind::kIdentifier);
  EXPECT_EQ(back.plan.feature_names, back.feature_names);
  NewRows rows(file, back.plan, back.class_names, {.sparse = back.features.is_sparse});
  RowBlock block;
  ASSERT_TRUE(rows.next(block));
  ASSERT_EQ(block.rows(), back.features.rows());
  EXPECT_EQ(block.labels, back.labels);
  for (int64_t i = 0; i < back.features.dense.size(); ++i) {
    ASSERT_EQ(block.features.dense.data()[i], back.features.dense.data()[i]) << i;
  }
}

}  // namespace
}  // namespace glgnn
