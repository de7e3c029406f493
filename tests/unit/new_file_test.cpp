// Files that appear as a whole: links are followed, devices are never replaced.
#include "core/new_file.h"

#include <glgnn/error.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "data_test_util.h"
#include "report/text_file.h"

namespace glgnn {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

class NewFileTest : public ::testing::Test {
 protected:
  fs::path path(const char* name) const { return folder_.path(name); }

  TempFolder folder_;
};

TEST_F(NewFileTest, ALinkStaysALink) {
  write_text_file(path("real.txt"), "old");
  fs::create_symlink(path("real.txt"), path("link.txt"));
  write_text_file(path("link.txt"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link.txt")));
  EXPECT_EQ(text_of(path("real.txt")), "new");
}

TEST_F(NewFileTest, ADeviceIsNeverReplaced) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_THROW(NewFile(path("pipe").string()), Error);
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
  write_text_file("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

// As when a shell sends the output to a file: /dev/stdout is then a link to a regular one.
TEST_F(NewFileTest, ADescriptorIsWrittenOn) {
  std::ofstream(path("out.txt")) << "before ";
  std::FILE* file = std::fopen(path("out.txt").c_str(), "a");
  ASSERT_NE(file, nullptr);
  write_text_file("/proc/self/fd/" + std::to_string(::fileno(file)), "after");
  std::fclose(file);
  EXPECT_EQ(text_of(path("out.txt")), "before after");
}

TEST_F(NewFileTest, WithoutTheEndNothingIsLeft) {
  {
    TextFile file(path("half.txt"));
    file.write("half");
  }
  EXPECT_TRUE(fs::is_empty(folder_.path("")));
}

}  // namespace
}  // namespace glgnn
