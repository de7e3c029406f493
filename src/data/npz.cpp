#include "data/npz.h"

#include <zip.h>

#include "data/file.h"

namespace glgnn {
namespace {

[[noreturn]] void damaged(const Place& place, const std::string& found) {
  fail(ErrorKind::kData, place,
       {"truncated or damaged .npz archive", found, "a zip archive of arrays",
        "write it again with numpy.savez_compressed"});
}

std::string error_text(int code) {
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  std::string text = zip_error_strerror(&error);
  zip_error_fini(&error);
  return text;
}

}  // namespace

Npz::Npz(const std::filesystem::path& path) : path_(path) {
  require_file(path);
  int code = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (archive == nullptr) damaged({path}, error_text(code));
  archive_ = std::shared_ptr<zip>(archive, zip_discard);
}

std::vector<std::string> Npz::names() const {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* const entry = zip_get_name(archive_.get(), static_cast<zip_uint64_t>(i), 0);
    std::string name = entry == nullptr ? "" : entry;
    if (name.ends_with(".npy")) names.push_back(name.substr(0, name.size() - 4));
  }
  return names;
}

bool Npz::has(const std::string& name) const {
  return zip_name_locate(archive_.get(), (name + ".npy").c_str(), 0) >= 0;
}

NpyArray Npz::read(const std::string& name) const {
  if (!has(name)) {
    fail(ErrorKind::kData, {path_},
         {"array " + quote(name) + " is missing", "arrays " + listed(names(), 8),
          "an array of that name", "add it with numpy.savez_compressed"});
  }
  const Place place{path_.string() + " (" + name + ")"};
  const std::unique_ptr<zip_file_t, int (*)(zip_file_t*)> file(
      zip_fopen(archive_.get(), (name + ".npy").c_str(), 0), zip_fclose);
  if (!file) damaged(place, zip_strerror(archive_.get()));
  // Piece by piece: the size that the archive states may be damaged too, and is not to be trusted.
  std::string bytes, piece(size_t{1} << 20, '\0');
  zip_int64_t got = 0;
  while ((got = zip_fread(file.get(), piece.data(), piece.size())) > 0) {
    bytes.append(piece, 0, static_cast<size_t>(got));
  }
  if (got < 0) damaged(place, zip_file_strerror(file.get()));
  return parse_npy(bytes, place);
}

}  // namespace glgnn
