#include "data/npz.h"

#include <zip.h>

#include <new>

#include "data/file.h"
#include "data/limits.h"

namespace glgnn {
namespace {

[[noreturn]] void damaged(const Place& place, const std::string& found) {
  fail(ErrorKind::kData, place,
       {"truncated or damaged .npz archive", found, "a zip archive of arrays",
        "write it again with numpy.savez_compressed"});
}

[[noreturn]] void damaged(const Place& place, zip_error_t& error) {
  if (zip_error_code_zip(&error) == ZIP_ER_MEMORY) throw std::bad_alloc();
  damaged(place, zip_error_strerror(&error));
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
  if (code == ZIP_ER_MEMORY) throw std::bad_alloc();
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
  if (!file) damaged(place, *zip_get_error(archive_.get()));
  std::error_code gone;
  const uintmax_t size = std::filesystem::file_size(path_, gone);
  const int64_t packed = gone ? 0 : static_cast<int64_t>(size);
  // Piece by piece: the size that the archive states may be damaged too, and is not to be trusted.
  std::string bytes, piece(size_t{1} << 20, '\0');
  zip_int64_t got = 0;
  while ((got = zip_fread(file.get(), piece.data(), piece.size())) > 0) {
    check_unpacked(static_cast<int64_t>(bytes.size()) + got, packed, place,
                   "write it with numpy.savez, which does not pack, or as a sparse matrix with "
                   "scipy.sparse.save_npz");
    bytes.append(piece, 0, static_cast<size_t>(got));
  }
  if (got < 0) damaged(place, *zip_file_get_error(file.get()));
  return parse_npy(bytes, place);
}

}  // namespace glgnn
