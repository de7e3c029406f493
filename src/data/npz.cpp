#include "data/npz.h"

#include <glgnn/error.h>
#include <zip.h>

#include <algorithm>
#include <memory>
#include <new>

#include "core/new_file.h"
#include "data/file.h"
#include "data/message.h"

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
  std::vector<std::string> sorted = names();
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    fail(ErrorKind::kData, {path},
         {"two arrays have the same name", *twice, "each name once",
          "write it again with numpy.savez_compressed"});
  }
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
  constexpr int64_t kSmallest = 1 << 12, kLargest = 1 << 20;
  std::string bytes, piece(static_cast<size_t>(std::clamp(packed, kSmallest, kLargest)), '\0');
  zip_int64_t got = 0;
  while ((got = zip_fread(file.get(), piece.data(), piece.size())) > 0) {
    check_unpacked(static_cast<int64_t>(bytes.size()) + got, packed, place,
                   "write it with numpy.savez, which does not pack, or as a sparse matrix with "
                   "scipy.sparse.save_npz");
    bytes.append(piece, 0, static_cast<size_t>(got));
  }
  if (got < 0) damaged(place, *zip_file_get_error(file.get()));
  return parse_npy(std::move(bytes), place);
}

namespace {

[[noreturn]] void cannot_write(const std::filesystem::path& path, const std::string& why) {
  throw Error(
      ErrorKind::kIo,
      path.string() + ": cannot be written (what was there before stays as it was): " + why);
}

void add_array(zip_t* archive, const NpzArray& array, const std::string& header,
               const std::filesystem::path& path) {
  zip_buffer_fragment_t parts[2] = {
      {reinterpret_cast<zip_uint8_t*>(const_cast<char*>(header.data())), header.size()},
      {reinterpret_cast<zip_uint8_t*>(const_cast<char*>(array.bytes.data())), array.bytes.size()}};
  zip_source_t* const source =
      zip_source_buffer_fragment(archive, parts, array.bytes.empty() ? 1 : 2, 0);
  if (source == nullptr) cannot_write(path, zip_strerror(archive));
  const zip_int64_t entry =
      zip_file_add(archive, (array.name + ".npy").c_str(), source, ZIP_FL_ENC_UTF_8);
  if (entry < 0) {
    zip_source_free(source);
    cannot_write(path, zip_strerror(archive));
  }
  const auto index = static_cast<zip_uint64_t>(entry);
  // Numbers like these hardly shrink, and a fixed date makes the same graph the same file.
  constexpr zip_uint16_t kMidnight = 0, kFirstOf1980 = (1 << 5) | 1;
  zip_set_file_compression(archive, index, ZIP_CM_STORE, 0);
  zip_file_set_dostime(archive, index, kMidnight, kFirstOf1980, 0);
}

}  // namespace

std::string npy_header(const std::string& type, const std::vector<int64_t>& shape) {
  std::string sizes;
  for (const int64_t size : shape) sizes += std::to_string(size) + ",";
  std::string text =
      "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + sizes + "), }";
  constexpr size_t kBefore = 10, kAlignment = 64;
  while ((kBefore + text.size() + 1) % kAlignment != 0) text += ' ';
  text += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

void write_npz(const std::filesystem::path& path, std::span<const NpzArray> arrays) {
  if (std::filesystem::exists(path) && !std::filesystem::is_regular_file(path)) {
    throw Error(ErrorKind::kIo,
                path.string() + ": found " +
                    (std::filesystem::is_directory(path) ? "a folder" : "a device") +
                    ", expected a file to write; choose another place");
  }
  const std::string beside = name_beside(path.string());
  int code = 0;
  std::unique_ptr<zip_t, void (*)(zip_t*)> archive(
      zip_open(beside.c_str(), ZIP_CREATE | ZIP_EXCL, &code), zip_discard);
  if (!archive) {
    zip_error_t error;
    zip_error_init_with_code(&error, code);
    const std::string why = zip_error_strerror(&error);
    zip_error_fini(&error);
    cannot_write(path, why);
  }
  std::vector<std::string> headers;
  for (const NpzArray& array : arrays) headers.push_back(npy_header(array.type, array.shape));
  for (size_t i = 0; i < arrays.size(); ++i) add_array(archive.get(), arrays[i], headers[i], path);
  if (zip_close(archive.get()) != 0) cannot_write(path, zip_strerror(archive.get()));
  static_cast<void>(archive.release());  // closed
  sync_file(beside);
  put_in_place(beside, path.string());
}

}  // namespace glgnn
