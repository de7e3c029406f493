// From a table to predictions and the learned graph:  table_to_graph TABLE.csv LABEL-COLUMN
#include <glgnn/glgnn.h>

#include <iostream>

int main(int argc, char** argv) try {
  if (argc != 3) throw glgnn::Error(glgnn::ErrorKind::kUsage, "expected TABLE.csv LABEL-COLUMN");
  const glgnn::Dataset table = glgnn::load_dataset(argv[1], {.label = argv[2]});
  const glgnn::Split split = glgnn::make_split(table.labels, table.classes(), {.test = 0.3}, 0);
  const glgnn::Model model =
      glgnn::fit_dataset(table, split, glgnn::Config{}, glgnn::default_context()).model;

  const std::vector<int32_t> predicted = glgnn::predicted_classes(model.probabilities);
  for (size_t row = 0; row < predicted.size(); ++row) {
    std::cout << row << " " << model.class_names[predicted[row]] << "\n";
  }
  std::cout << "test accuracy " << glgnn::accuracy(model.probabilities, model.labels, model.test)
            << ", learned graph of " << model.fused_graph.nnz() << " weights\n";
  glgnn::write_graph(model, glgnn::GraphFormat::kGexf, "learned.gexf", {.top = 5});
  glgnn::save_model(model, "table.glgnn");

  // A file of rows never seen has the same columns; here it is the table once more.
  const glgnn::NewRowPredictor predictor(model, glgnn::default_context());
  glgnn::NewRows rows(argv[1], model.plan, model.class_names, {.sparse = model.features.is_sparse});
  size_t alike = 0;
  for (glgnn::RowBlock block; rows.next(block);) {
    const size_t first = static_cast<size_t>(rows.rows_read() - block.rows());
    const auto found = glgnn::predicted_classes(predictor.predict(block.features).probabilities);
    for (size_t i = 0; i < found.size(); ++i) alike += found[i] == predicted[first + i];
  }
  std::cout << "as new rows " << alike << " of " << rows.rows_read() << " predicted alike\n";
} catch (const glgnn::Error& error) {
  std::cerr << "table_to_graph: " << error.what() << "\n";
  return glgnn::exit_status(error.kind());
}
