#include "data/other_files.h"

#include <algorithm>
#include <array>

#include "data/message.h"

namespace glgnn {
namespace {

using namespace std::string_view_literals;

struct OtherKind {
  std::string_view what;
  std::string_view extension;  // empty where the name tells nothing
  std::string_view begin;      // empty where the bytes tell nothing
  std::string_view repair;
};

constexpr std::string_view kSheet = "save the sheet as \"CSV UTF-8\" in the program that shows it",
                           kUnpack = "unpack it";

constexpr std::array kKinds{
    OtherKind{"a Parquet file", ".parquet", "PAR1",
              "write it as CSV, in Python: pandas.read_parquet(FILE).to_csv(\"table.csv\", "
              "index=False)"},
    OtherKind{"a Feather file", ".feather", "ARROW1",
              "write it as CSV, in Python: pandas.read_feather(FILE).to_csv(\"table.csv\", "
              "index=False)"},
    OtherKind{"an HDF5 file", ".h5", "\x89HDF",
              "write its table as CSV, in Python: "
              "pandas.read_hdf(FILE).to_csv(\"table.csv\", index=False)"},
    OtherKind{"an SQLite database", ".sqlite", "SQLite format 3",
              "write a table of it as CSV: sqlite3 -header -csv FILE \"select * from TABLE\" > "
              "table.csv"},
    OtherKind{"R's data", ".rdata", "RDX",
              "write the table as CSV, in R: write.csv(table, \"table.csv\", row.names = FALSE)"},
    OtherKind{"R's data", ".rds", "X\n\0"sv,
              "write the table as CSV, in R: write.csv(readRDS(FILE), \"table.csv\", row.names = "
              "FALSE)"},
    OtherKind{"a Python pickle", ".pkl", "\x80",
              "write its table as CSV, in Python: pandas.read_pickle(FILE).to_csv(\"table.csv\", "
              "index=False)"},
    OtherKind{"a NumPy array (.npy)", "", "\x93NUMPY", "rename it, so that it ends in .npy"},
    OtherKind{"an old file of Office (.xls)", ".xls", "\xD0\xCF\x11\xE0", kSheet},
    OtherKind{"a spreadsheet (.xlsx)", ".xlsx", "", kSheet},
    OtherKind{"a spreadsheet (.ods)", ".ods", "", kSheet},
    OtherKind{"NumPy arrays (.npz)", "", "", "rename it, so that it ends in .npz"},
    OtherKind{"a zip archive", ".zip", "PK\x03\x04", kUnpack},
    OtherKind{"a .bz2 file", ".bz2", "BZh", kUnpack},
    OtherKind{"an .xz file", ".xz",
              "\xFD"
              "7zXZ",
              kUnpack},
    OtherKind{"a .zst file", ".zst", "\x28\xB5\x2F\xFD", kUnpack},
    OtherKind{"a .7z archive", ".7z", "7z\xBC\xAF", kUnpack},
    OtherKind{"a .tar archive", ".tar", "", kUnpack},
    OtherKind{"a PDF", ".pdf", "%PDF", "write its table as CSV"},
};

// Text has none of these, by which "PAR1" may begin a file, too.
bool is_control(char c) {
  constexpr std::string_view kOfText = "\t\n\v\f\r\x1A\x1B";
  return static_cast<unsigned char>(c) < 0x20 && kOfText.find(c) == std::string_view::npos;
}

// Which kind of zip archive it is, by the name of its first member.
std::string_view kind_of_zip(std::string_view begin) {
  constexpr size_t kName = 30, kLongest = 100;
  const std::string_view name = begin.substr(std::min(kName, begin.size()), kLongest);
  for (const std::string_view start : {"[Content_Types]", "xl/", "_rels/", "docProps/"}) {
    if (name.starts_with(start)) return "a spreadsheet (.xlsx)";
  }
  if (name.starts_with("mimetype")) return "a spreadsheet (.ods)";
  return name.find(".npy") != std::string_view::npos ? "NumPy arrays (.npz)" : "a zip archive";
}

std::string_view kind_of(std::string_view begin) {
  constexpr size_t kTarMark = 257;
  if (begin.size() > kTarMark && begin.substr(kTarMark).starts_with("ustar")) {
    return "a .tar archive";
  }
  for (const OtherKind& kind : kKinds) {
    if (kind.begin.empty() || !begin.starts_with(kind.begin)) continue;
    return kind.what == "a zip archive" ? kind_of_zip(begin) : kind.what;
  }
  return "";
}

}  // namespace

void check_is_text(std::string_view begin, const std::filesystem::path& path) {
  if (std::ranges::none_of(begin, is_control)) return;
  const std::string_view what = kind_of(begin);
  const auto kind = std::ranges::find(kKinds, what, &OtherKind::what);
  if (kind == kKinds.end()) return;
  fail(ErrorKind::kData, {path},
       {"not a text file", std::string(what), "rows of text", std::string(kind->repair)});
}

std::string how_to_convert(std::string_view extension) {
  const auto kind = std::ranges::find(kKinds, extension, &OtherKind::extension);
  return extension.empty() || kind == kKinds.end() ? "" : std::string(kind->repair);
}

}  // namespace glgnn
