// Files that ask for more than they can mean, and inputs that are no files.
#include <fcntl.h>
#include <glgnn/data.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>
#include <zlib.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "core/available_memory.h"
#include "data/message.h"
#include "data_test_util.h"

namespace glgnn {
namespace {

std::string npy(const std::string& shape, const std::string& numbers = "") {
  std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
  text.resize(118 - 1, ' ');
  text += '\n';
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + text + numbers;
}

void write_gz(const std::string& path, const std::vector<std::string>& pieces) {
  gzFile const file = gzopen(path.c_str(), "wb1");
  for (const std::string& piece : pieces) {
    gzwrite(file, piece.data(), static_cast<unsigned>(piece.size()));
  }
  gzclose(file);
}

std::string line_number(const std::string& text, const std::string& name) {
  EXPECT_TRUE(text.starts_with(name + ":")) << text;
  return text.substr(name.size() + 1, text.find(':', name.size() + 1) - name.size() - 1);
}

class MemoryLimit {  // what the program takes as free
 public:
  explicit MemoryLimit(const char* megabytes) { setenv("GLGNN_MEMORY_LIMIT_MB", megabytes, 1); }
  ~MemoryLimit() { unsetenv("GLGNN_MEMORY_LIMIT_MB"); }
};

TEST(DataLimits, LabelsThatAreTooLargeAreCalledSo) {
  const TempFolder folder;
  const std::string large("\xCA\xF2\x49\x71", 4), one("\x00\x00\x80\x3F", 4);  // 1e30 and 1
  folder.write("x.npy", npy("(2, 1)", one + large));
  folder.write("y.npy", npy("(2,)", one + large));
  const auto read = [&] { load_dataset(folder.path("x.npy"), {.label = folder.path("y.npy")}); };
  EXPECT_TRUE(begins(folder.error_of(ErrorKind::kData, read), "y.npy: element 1 is too large:"));
}

TEST(DataLimits, MessagesAreShort) {
  const TempFolder folder;
  const std::string path = folder.write("t.csv", std::string(5000, 'x') + ",b\n1,2\n3,4\n");
  const auto read = [&] { load_dataset(path, {.label = "k"}); };
  EXPECT_LT(folder.error_of(ErrorKind::kUsage, read).size(), 500u);
}

TEST(DataLimits, SparseFilesThatClaimManyColumns) {
  const TempFolder folder;
  const auto error = [&](const std::string& name, const std::string& text) {
    const std::string path = folder.write(name, text);
    return folder.error_of(ErrorKind::kData, [&] { load_dataset(path); });
  };
  EXPECT_EQ(error("x.svm", "1 1:1\n2 2:1\n1 67108864:1\n"),
            "x.svm: more columns than so few entries can mean: found \"67108864 columns, entries: "
            "3\", expected at most 1048576, or 64 for each entry; number the columns that occur "
            "from 1 on, without gaps");
  EXPECT_TRUE(begins(error("y.svm", "1 1:1\n2 0:1\n1 2147483646:1\n"),
                     "y.svm: more columns than so few entries can mean: found \"2147483647 c"));
  EXPECT_TRUE(begins(error("z.svm", "1 1:1\n2 2:1\n1 2147483647:1\n"), "z.svm:3: not a feature"));
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_TRUE(begins(error("x.mtx", head + "3 67108864 1\n1 1 1\n"),
                     "x.mtx: more columns than so few entries can mean"));
  EXPECT_TRUE(begins(error("y.mtx", head + "20000 4 1\n1 1 1\n"),
                     "y.mtx: more rows than so few entries can mean"));
  EXPECT_TRUE(
      begins(error("z.mtx", head + "3 4 9000000000\n1 1 1\n"), "z.mtx:3: the file ends too early"));
}

TEST(DataLimits, ManyColumnsThatAreMeant) {
  const TempFolder folder;
  const std::string hashed = folder.write("x.svm", "1 1:1\n2 2:1\n1 1048576:1\n");
  EXPECT_EQ(load_dataset(hashed).features.cols(), 1048576);
}

TEST(DataLimits, ArraysWithoutNumbers) {
  const TempFolder folder;
  for (const char* shape : {"(0, 1152921504606846976)", "(4611686018427387904, 0)", "(0, 0)"}) {
    const std::string path = folder.write("x.npy", npy(shape));
    EXPECT_TRUE(begins(folder.error_of(ErrorKind::kData, [&] { load_dataset(path); }),
                       "x.npy: an array without numbers: found \"shape " + std::string(shape)));
  }
}

TEST(DataLimits, ALineThatUnpacksToFarMore) {
  const MemoryLimit none("0");
  const TempFolder folder;
  const std::string path = folder.path("x.csv.gz");
  write_gz(path, std::vector<std::string>(66, std::string(1 << 20, 'a')));
  EXPECT_EQ(folder.error_of(ErrorKind::kData, [&] { load_dataset(path); }),
            "x.csv.gz: a small file that unpacks to a large one: found \"more than 64 MB of 0 "
            "MB\", expected at most 64 MB, 200 times its size or a part of 1/16 of the free "
            "memory; unpack it with gunzip first");
}

TEST(DataLimits, ALongLineWhereMemoryIsFree) {
  const MemoryLimit much("1000000");
  const TempFolder folder;
  const std::string path = folder.path("x.csv.gz");
  write_gz(path, std::vector<std::string>(66, std::string(1 << 20, 'a')));
  EXPECT_EQ(folder.error_of(ErrorKind::kData, [&] { load_dataset(path); }),
            "x.csv.gz:1: a line too long: found \"more than 64 MB\", expected lines of at most 64 "
            "MB in a packed file; unpack the file with gunzip if the line is meant so");
}

TEST(DataLimits, AnArrayThatUnpacksToFarMore) {
  const MemoryLimit none("0");
  const TempFolder folder;
  const std::string path = folder.path("x.npz");
  const std::string numbers = npy("(5, 3460000)", std::string(5 * 3460000 * 4, '\0'));
  int code = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE, &code);
  zip_file_add(archive, "X.npy", zip_source_buffer(archive, numbers.data(), numbers.size(), 0), 0);
  ASSERT_EQ(zip_close(archive), 0);
  EXPECT_TRUE(begins(folder.error_of(ErrorKind::kData, [&] { load_dataset(path); }),
                     "x.npz (X): a small file that unpacks to a large one: found \"more than 64"));
}

TEST(DataLimits, FeaturesThatDoNotFitIntoMemory) {
  const MemoryLimit little("20");
  const Place place{"x.csv"};
  check_cells(1000, 1000, place);
  EXPECT_EQ(TempFolder().error_of(ErrorKind::kData, [&] { check_cells(10000, 1000, place); }),
            "x.csv: the features do not fit into memory: found \"10000 rows of 1000 features, 38 "
            "MB\", expected at most the 20 MB that are free; leave out rows or columns, or give a "
            "sparse matrix (.svm, or .npz by scipy)");
}

// Loads a file with 20 MB of memory, and ends as the program would.
void load_with_little_memory(const std::string& path) {
  std::ifstream in("/proc/self/statm");
  rlim_t used = 0;
  in >> used;
  const rlim_t limit = used * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (20 << 20);
  const rlimit limits{limit, limit};
  setrlimit(RLIMIT_AS, &limits);
  try {
    load_dataset(path);
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(exit_status(error.kind()));
  }
  std::_Exit(0);
}

TEST(DataLimits, OutOfMemoryIsNotADamagedFile) {
#ifdef GLGNN_SANITIZED
  GTEST_SKIP() << "the sanitizers need the whole address space";
#endif
  const TempFolder folder;
  const std::string array = folder.write("x.npy", npy("(3, 5000000)", std::string(60000000, 0)));
  EXPECT_EXIT(load_with_little_memory(array), testing::ExitedWithCode(3),
              "x.npy: out of memory while reading: found \"[0-9]+ MB free\"");
  std::string text = "a,b\n";
  for (int row = 0; row < 600000; ++row) text += "1.5,2\n";
  EXPECT_EXIT(load_with_little_memory(folder.write("x.csv", text)), testing::ExitedWithCode(3),
              "x.csv: out of memory while reading");
  // A line that the parsers in C have to hold.
  EXPECT_EXIT(load_with_little_memory(folder.write("y.csv", "a," + std::string(12000000, 'b'))),
              testing::ExitedWithCode(3), "y.csv: out of memory while reading");
}

TEST(DataLimits, ALineOfTabsAtTheEnd) {
  const TempFolder folder;
  const std::string table = folder.write("t.csv", "a,y\n1,u\n2,v\n3,u\n4,v\n");
  const std::string edges = folder.write("e.tsv", "0\t1\n\t\t\t");
  EXPECT_TRUE(begins(folder.error_of(ErrorKind::kData,
                                     [&] { load_dataset(table, {.label = "y", .graph = edges}); }),
                     "e.tsv:2: not an edge: found \"4 fields\""));
}

TEST(DataLimits, OnlyTheNameOfTheSeparator) {
  const TempFolder folder;
  const std::string path = folder.write("t.csv", "sep=;\n");
  EXPECT_EQ(folder.error_of(ErrorKind::kData, [&] { load_dataset(path); }),
            "t.csv: empty file: found \"no line with the names of columns\", expected rows of "
            "text; check that the file was written completely");
}

TEST(DataLimits, AShortRowWhereAColumnHasNoName) {
  const TempFolder folder;
  const std::string path = folder.write("t.csv", "a,b,,c\n1,2,,3\n4,5,\n1,2,,3\n");
  EXPECT_TRUE(begins(folder.error_of(ErrorKind::kData, [&] { load_dataset(path); }),
                     "t.csv:3: a row of another length: found \"3 fields\""));
}

TEST(DataLimits, BlankLinesBeforeTheTable) {
  const TempFolder folder;
  const std::string path = folder.path("x.csv.gz");
  write_gz(path, {std::string(3'000'000, '\n'), "a,y\n1,u\nb,v\n3,u\n4\n"});
  EXPECT_EQ(
      line_number(folder.error_of(ErrorKind::kData, [&] { load_dataset(path, {.label = "y"}); }),
                  "x.csv.gz"),
      "3000005");
}

TEST(DataLimits, APipeIsReadAsAFile) {
  const TempFolder folder;
  const std::string path = folder.path("rows");  // without an extension, as /dev/fd/63
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::thread writer([&] {
    const int pipe = open(path.c_str(), O_WRONLY);
    for (const std::string text : {"a,y\n1,u\n", "2,v\n3,u\n4,v\n"}) {
      EXPECT_EQ(write(pipe, text.data(), text.size()), static_cast<ssize_t>(text.size()));
      usleep(50'000);  // a slow program is waited for
    }
    close(pipe);
  });
  const Dataset dataset = load_dataset(path, {.label = "y"});
  writer.join();
  EXPECT_EQ(dataset.rows(), 4);
  EXPECT_EQ(dataset.name, "rows");
}

TEST(DataLimits, ADeviceIsNoFile) {
  EXPECT_EQ(
      TempFolder().error_of(ErrorKind::kIo, [] { load_dataset("/dev/zero", {.format = "csv"}); }),
      "/dev/zero: not a plain file: found \"a device\", expected a file; write what it gives "
      "into a file first");
}

TEST(AvailableMemory, TheNarrowestGroupCounts) {
  const TempFolder folder;
  namespace fs = std::filesystem;
  fs::create_directories(folder.path("v2/job/step"));
  folder.write("v2/memory.max", "max\n");
  folder.write("v2/memory.current", "7\n");
  folder.write("v2/job/memory.max", "1000\n");
  folder.write("v2/job/memory.current", "700\n");
  folder.write("v2/job/memory.stat", "anon 1\ninactive_file 200\n");
  folder.write("v2/job/step/memory.max", "max\n");
  folder.write("v2/job/step/memory.current", "600\n");
  const std::string own = folder.write("own2", "0::/job/step\n");
  EXPECT_EQ(left_in_groups(own, folder.path("v2")), 500);
  EXPECT_EQ(left_in_groups(folder.path("none"), folder.path("v2")), std::nullopt);

  fs::create_directories(folder.path("v1/memory/job"));
  folder.write("v1/memory/memory.limit_in_bytes", "9223372036854771712\n");
  folder.write("v1/memory/memory.usage_in_bytes", "5000\n");
  folder.write("v1/memory/job/memory.limit_in_bytes", "4000\n");
  folder.write("v1/memory/job/memory.usage_in_bytes", "3000\n");
  folder.write("v1/memory/job/memory.stat", "cache 1\ntotal_inactive_file 100\n");
  const std::string old = folder.write("own1", "5:cpu,cpuacct:/\n4:memory:/job\n");
  EXPECT_EQ(left_in_groups(old, folder.path("v1")), 1100);
  // A container sees the top of its groups alone.
  const std::string inside = folder.write("own", "4:memory:/docker/a\n");
  EXPECT_EQ(left_in_groups(inside, folder.path("v1")), 9223372036854771712 - 5000);
}

}  // namespace
}  // namespace glgnn
