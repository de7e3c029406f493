// The readers of data, graphs, splits and settings.
#include <glgnn/data.h>
#include <glgnn/error.h>
#include <glgnn/new_rows.h>
#include <zip.h>
#include <zlib.h>

#include <filesystem>

#include "data/formats.h"
#include "data/npz.h"
#include "fuzz/targets.h"
#include "setting_options.h"

namespace glgnn::fuzz {
namespace {

using Seeds = std::vector<std::string>;

const char* const kTable =
    "id,width,colour,seen,price,kind\n"
    "a,1.5,red,2024-05-17,\"1,234.50\",u\n"
    "b,2,blue,2024-06-01,\"2,000\",v\n"
    "c,,red,2023-01-31,10,u\n"
    "d,-3e2,green,2022-12-24,\"5\",v\n"
    "e,0.25,\"a \"\"b\"\"\nc\",NA,7,\n"
    "f,4,blue,2021-02-28,1.5,v\n";

// Reads the same in another way, which may fail where the first did not.
template <class Read>
void also(const Read& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

// Reads a table as it is, and once more with its last column as the labels.
void run_table(const std::string& path) {
  const Dataset dataset = load_dataset(path);
  if (dataset.plan.columns.empty()) return;
  also([&] { load_dataset(path, {.label = dataset.plan.columns.back().name}); });
}

void run_csv(std::string_view bytes) { run_table(write_input("x.csv", bytes)); }
Seeds csv_seeds() {
  return {kTable,
          "sep=;\na;b;k\n1;2;u\n3,5;4;v\n5;6;u\n",
          "\xEF\xBB\xBF"
          "a|b\r\n1|2\r\n3|4\r\n5|6\r\n",
          "\n\n  \na,b,,\n1,\xE4\xF6,,\n2,x,,\n3,\xE4\xF6,,\n",
          "n,when,amount\n1,17.05.2024,\"1.234,5 kg\"\n2,01.06.2024,\"2,5 kg\"\n3,02.06.2024,\"4 "
          "kg\"\n",
          "t,k\nit was broken when it came,u\nIt came and it was lovely,v\nbroken \xE2\x80\x93 it "
          "was open,u\n"};
}

void run_tsv(std::string_view bytes) { run_table(write_input("x.tsv", bytes)); }
Seeds tsv_seeds() {
  return {"a\tb\tk\n1\t2\tu\n3\t\tv\n5\t6\tu\n", "a\tb\tc\n1\t2\t\n\t\t\n2\t2\t1\n3\t\t2\n"};
}

std::string gz(const std::string& text) {
  const std::string path = input_path("seed.gz");
  gzFile const file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return bytes_of(path);
}

void run_gz(std::string_view bytes) { run_table(write_input("x.csv.gz", bytes)); }
Seeds gz_seeds() { return {gz(kTable), gz("a,b\n1,2\n3,4\n5,6\n") + gz("7,8\n")}; }

void run_svm(std::string_view bytes) { load_dataset(write_input("x.svm", bytes)); }
Seeds svm_seeds() {
  return {"1 1:0.5 3:2 # a\n-1 2:1\n+1 1:3 4:1e-3\n-1 qid:3 2:7\n",
          "? 0:1\n2 1:1 2:2\n3 0:4\n2\n3 2:1\n"};
}

void run_mtx(std::string_view bytes) { load_dataset(write_input("x.mtx", bytes)); }
Seeds mtx_seeds() {
  return {
      "%%MatrixMarket matrix coordinate real general\n% a\n4 3 4\n1 1 0.5\n2 3 1\n3 2 4\n4 1 2\n",
      "%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\n5\n6\n",
      "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 3\n"};
}

std::string npy(const std::string& type, const std::string& shape, const std::string& numbers,
                bool fortran = false) {
  std::string text = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") +
                     ", 'shape': " + shape + ", }";
  text.resize(117, ' ');
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + "\n" + numbers;
}

template <class T>
std::string raw(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

void run_npy(std::string_view bytes) {
  const std::string path = write_input("x.npy", bytes);
  load_dataset(path);
  also([&] { load_dataset(path, {.label = write_input("y.npy", bytes)}); });
}
Seeds npy_seeds() {
  const std::vector<float> f{0, 1, 2, 3, 4, 5, 6, 7};
  return {npy("<f4", "(4, 2)", raw(f)), npy("<f4", "(4, 2)", raw(f), true),
          npy(">i2", "(8, 2)", raw(f)), npy("|u1", "(32, 1)", raw(f)),
          npy("<f8", "(4, 1)", raw(f)), npy("<i4", "(8, 1)", raw(f)),
          npy("<f2", "(8, 2)", raw(f))};
}

std::string npz(const std::vector<NpzArray>& arrays) {
  const std::string path = input_path("seed.npz");
  write_npz(path, arrays);
  return bytes_of(path);
}

// The same arrays packed, as numpy.savez_compressed writes them.
std::string packed_npz() {
  const std::string path = input_path("seed.npz"),
                    x = npy("<f4", "(4, 2)", raw(std::vector<float>(8, 1))),
                    y = npy("<i4", "(4,)", raw(std::vector<int32_t>{0, 1, 0, 1}));
  std::filesystem::remove(path);
  int code = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE, &code);
  zip_file_add(archive, "X.npy", zip_source_buffer(archive, x.data(), x.size(), 0), 0);
  zip_file_add(archive, "y.npy", zip_source_buffer(archive, y.data(), y.size(), 0), 0);
  zip_close(archive);
  return bytes_of(path);
}

void run_npz(std::string_view bytes) { load_dataset(write_input("x.npz", bytes)); }
Seeds npz_seeds() {
  const std::string x = raw(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}),
                    labels = raw(std::vector<int32_t>{0, 1, 1, 0}),
                    starts = raw(std::vector<int32_t>{0, 1, 2, 4, 4}),
                    columns = raw(std::vector<int32_t>{0, 2, 1, 4}),
                    shape = raw(std::vector<int64_t>{4, 5});
  const std::string letters = raw(std::vector<uint32_t>{'u', 0xE4, 'u', 0xE4});
  return {npz({{"X", "<f4", {4, 2}, x}, {"y", "<i4", {4}, labels}}),
          npz({{"X", "<f4", {4, 2}, x}, {"y", "<U1", {4}, letters}}),
          npz({{"X", "<f4", {4, 2}, x}, {"y", "|S4", {4}, letters}}),
          npz({{"indptr", "<i4", {5}, starts},
               {"indices", "<i4", {4}, columns},
               {"data", "<f4", {4}, x.substr(0, 16)},
               {"shape", "<i8", {2}, shape}}),
          npz({{"indptr", "<i4", {6}, raw(std::vector<int32_t>{0, 1, 2, 3, 3, 4})},
               {"indices", "<i4", {4}, raw(std::vector<int32_t>{3, 0, 1, 0})},
               {"data", "<f4", {4}, x.substr(0, 16)},
               {"shape", "<i8", {2}, shape},
               {"format", "|S3", {}, "csc"}}),
          npz({{"row", "<i4", {4}, raw(std::vector<int32_t>{3, 0, 1, 0})},
               {"col", "<i4", {4}, columns},
               {"data", "<f4", {4}, x.substr(0, 16)},
               {"shape", "<i8", {2}, shape},
               {"format", "|S3", {}, "coo"}}),
          packed_npz()};
}

// Rows a to t, numbered 0 to 19, with two classes.
const Dataset& rows(bool named) {
  const auto make = [](bool with_ids) {
    std::string text = with_ids ? "id,x,k\n" : "x,k\n";
    for (int i = 0; i < 20; ++i) {
      if (with_ids) text += std::string(1, static_cast<char>('a' + i)) + ",";
      text += std::to_string(i * i % 7) + (i % 3 == 0 ? ",u\n" : ",v\n");
    }
    return load_dataset(write_input("rows.csv", text), {.label = "k", .id = with_ids ? "id" : ""});
  };
  static const Dataset with = make(true), without = make(false);
  return named ? with : without;
}

void run_graph(const std::string& name, std::string_view bytes) {
  const std::string path = write_input(name, bytes);
  Dataset with = rows(true), without = rows(false);
  also([&] { read_graph(without, path); });
  if (!without.has_graph) read_graph(with, path);
}

void run_edges(std::string_view bytes) { run_graph("g.csv", bytes); }
Seeds edges_seeds() {
  return {"source,target,weight\na,b,1\nb,c,0.5\nc,c,1\n", "# x\n0 1\n1 2\n2 19\n", "0\t1\n3\t4\n",
          "Source,Target,Type,Weight\na,b,Undirected,1\nc,d,Directed,2\n"};
}
void run_graphml(std::string_view bytes) { run_graph("g.graphml", bytes); }
Seeds graphml_seeds() {
  return {
      "<?xml version=\"1.0\"?><graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\"><key "
      "id=\"d0\" for=\"edge\" attr.name=\"weight\"/><graph><node id=\"a\"/><node id=\"b\"/>"
      "<edge source=\"a\" target=\"b\"><data key=\"d0\">0.5</data></edge></graph></graphml>",
      "<g:graphml xmlns:g=\"x\"><key id=\"n\" attr.name=\"name\"/><graph><node id=\"n0\"><data "
      "key=\"n\">c</data></node><node id=\"n1\"/><edge source=\"n0\" target=\"n1\"/></graph>"
      "</g:graphml>"};
}
void run_graph_mtx(std::string_view bytes) { run_graph("g.mtx", bytes); }
Seeds graph_mtx_seeds() {
  return {"%%MatrixMarket matrix coordinate real symmetric\n20 20 2\n2 1 0.5\n20 3 1\n"};
}
void run_graph_npy(std::string_view bytes) { run_graph("g.npy", bytes); }
Seeds graph_npy_seeds() { return {npy("<i4", "(2, 2)", raw(std::vector<int32_t>{0, 1, 3, 19}))}; }

void run_split(std::string_view bytes) {
  const std::string path = write_input("s.csv", bytes);
  Split split;
  also([&] { split = read_split(rows(false), path); });
  if (split.train.empty()) read_split(rows(true), path);
}
Seeds split_seeds() {
  return {"id,part\n0,train\n1,train\n2,val\n3,test\n", "part,id\ntrain,a\nval,b\ntest,t\n"};
}
void run_split_npz(std::string_view bytes) { read_split(rows(false), write_input("s.npz", bytes)); }
Seeds split_npz_seeds() {
  const std::string train = raw(std::vector<int32_t>{0, 1, 2}),
                    val = raw(std::vector<int32_t>{3, 4});
  return {npz({{"train", "<i4", {3}, train}, {"val", "<i4", {2}, val}})};
}

void run_labels(std::string_view bytes) {
  const std::string x = write_input("x.npy", npy("<f4", "(4, 2)", raw(std::vector<float>(8, 1))));
  load_dataset(x, {.label = write_input("y.txt", bytes)});
}
Seeds labels_seeds() { return {"u\nv\nu\nv\n", "1\r\n2.0\r\n?\r\n1.0"}; }

void run_card(std::string_view bytes) {
  std::filesystem::create_directory(input_path("set"));
  write_input("set/meta.json", bytes);
  read_card(input_path("set"));
}
Seeds card_seeds() {
  return {R"({"name": "x", "rows": 4, "features": 2, "scaling": "none", "paper_k": 3})"};
}

void run_settings(std::string_view bytes) {
  Config config;
  cli::read_config_file(config, write_input("settings", bytes));
}
Seeds settings_seeds() {
  return {R"({"mode": "paper", "k": 20, "seed": 3})", "# a\nk = 20\nmode = best\n"};
}

// Rows that come later, read by what the first table left.
void run_new_rows(std::string_view bytes) {
  static const Dataset known =
      load_dataset(write_input("known.csv", kTable), {.label = "kind", .id = "id"});
  NewRows found(write_input("new.csv", bytes), known.plan, known.class_names, {.block_rows = 2});
  for (RowBlock block; found.next(block);) {
  }
  found.notes();
}
Seeds new_rows_seeds() {
  return {kTable, "seen,width,colour,price\n2024-05-17,1,red,1\n,2,pink,3\n,,,\n"};
}

constexpr Target kTargets[] = {
    {"csv", run_csv, csv_seeds},
    {"tsv", run_tsv, tsv_seeds},
    {"gz", run_gz, gz_seeds},
    {"svm", run_svm, svm_seeds},
    {"mtx", run_mtx, mtx_seeds},
    {"npy", run_npy, npy_seeds},
    {"npz", run_npz, npz_seeds},
    {"edges", run_edges, edges_seeds},
    {"graphml", run_graphml, graphml_seeds},
    {"graph_mtx", run_graph_mtx, graph_mtx_seeds},
    {"graph_npy", run_graph_npy, graph_npy_seeds},
    {"split", run_split, split_seeds},
    {"split_npz", run_split_npz, split_npz_seeds},
    {"labels", run_labels, labels_seeds},
    {"card", run_card, card_seeds},
    {"settings", run_settings, settings_seeds},
    {"new_rows", run_new_rows, new_rows_seeds},
};

}  // namespace

std::span<const Target> reader_targets() { return kTargets; }

}  // namespace glgnn::fuzz
