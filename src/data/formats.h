// One function per kind of input; readers.cpp chooses among them.
#pragma once

#include <glgnn/dataset.h>

#include <filesystem>
#include <string>
#include <vector>

#include "data/data.h"
#include "data/npz.h"

namespace glgnn {

Dataset read_table(const std::filesystem::path& path, const LoadOptions& options);    // table.cpp
Dataset read_npy_set(const std::filesystem::path& path, const LoadOptions& options);  // arrays.cpp
Dataset read_npz_set(const std::filesystem::path& path, const LoadOptions& options);  // arrays.cpp
Dataset read_mtx_set(const std::filesystem::path& path, const LoadOptions& options);  // arrays.cpp
Dataset read_svmlight(const std::filesystem::path& path,
                      const LoadOptions& options);  // svmlight.cpp
Dataset read_folder(const std::filesystem::path& folder, const LoadOptions& options);  // folder.cpp

// The extension whose reader a file needs: by its name, or by the format that the user names
// (kUsage where there is none). readers.cpp
std::string reader_extension(const std::filesystem::path& path, const std::string& format);

// The same for a stream, which may have no extension: text with commas. readers.cpp
std::string stream_extension(const std::filesystem::path& path, const std::string& format);

// meta.json of a folder; a card with only the folder's name if there is none. folder.cpp
DatasetCard read_card(const std::filesystem::path& folder);

// Reads the edges between the dataset's rows into its graph. edge_list.cpp
void read_graph(Dataset& dataset, const std::filesystem::path& path);

// Reads one split of the dataset's rows. split_file.cpp
Split read_split(const Dataset& dataset, const std::filesystem::path& path);

// The split stored as train<suffix>, val<suffix> and test<suffix>. Without val nothing validates;
// without test every other labelled row tests. split_file.cpp
Split read_npz_split(const Npz& npz, const Dataset& dataset, const std::string& suffix);

}  // namespace glgnn
