// Files that appear as a whole: links are followed, devices are never replaced.

#include <glgnn/error.h>
#include <glgnn/glgnn.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "core/archive.h"
#include "core/new_file.h"
#include "core/rows.h"
#include "data_test_util.h"
#include "model/walk.h"
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

TEST_F(NewFileTest, APlantedLinkIsNotFollowed) {
  write_text_file(path("other.txt"), "precious");
  fs::create_symlink(path("other.txt"), path("a.txt.new.") += std::to_string(::getpid()));
  write_text_file(path("a.txt"), "ours");
  EXPECT_EQ(text_of(path("other.txt")), "precious");
  EXPECT_EQ(text_of(path("a.txt")), "ours");
  EXPECT_FALSE(fs::is_symlink(path("a.txt")));
}

pid_t process_that_is_gone() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST_F(NewFileTest, WhatAKilledProcessLeftIsRemoved) {
  const std::string gone = std::to_string(process_that_is_gone());
  const auto left = path("a.txt.new.") += gone, living = path("a.txt.new.1");
  const auto of_other = path("b.txt.new.") += gone, users = path("a.txt.new.") += gone + ".bak";
  for (const auto& file : {left, living, of_other, users}) std::ofstream(file) << "half";
  write_text_file(path("a.txt"), "whole");
  EXPECT_FALSE(fs::exists(left));
  for (const auto& file : {living, of_other, users}) EXPECT_TRUE(fs::exists(file)) << file;
}

// As another machine that shares the folder does: its processes have no number here.
TEST_F(NewFileTest, WhatIsLockedStays) {
  const auto locked = path("a.txt.new.") += std::to_string(process_that_is_gone());
  std::ofstream(locked) << "half";
  std::FILE* file = std::fopen(locked.c_str(), "r");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(::flock(::fileno(file), LOCK_EX), 0);
  write_text_file(path("a.txt"), "whole");
  EXPECT_TRUE(fs::exists(locked));
  std::fclose(file);
}

// Files of older versions: read, or refused with the name of the program that reads them. How a
// change of the model file is made is in docs/reliability.md.

std::string kept(const std::string& name) {
  return std::string(GLGNN_TEST_DIR) + "/unit/versions/" + name;
}

// Its first kilobyte: nothing after the header is read.
TEST(FileVersions, Version7NamesTheProgramThatReadsIt) {
  const TempFolder folder;
  EXPECT_TRUE(begins(folder.error_of(ErrorKind::kData, [] { load_model(kept("version7.glgnn")); }),
                     kept("version7.glgnn") +
                         ": was written by another version: found file version 7, expected "));
  EXPECT_TRUE(
      folder.error_of(ErrorKind::kData, [] { load_model(kept("version7.glgnn")); })
          .ends_with("; fit again, or read it with glgnn 0.1, which wrote files up to version 7"));
}

// A terabyte of zeros takes no room on the disk, and must take none in memory.
TEST(FileVersions, WhatIsNoModelIsNotReadToItsEnd) {
  const TempFolder folder;
  const fs::path path = folder.path("zeros.glgnn");
  std::ofstream(path) << "no model";
  fs::resize_file(path, uintmax_t{1} << 40);
  EXPECT_TRUE(begins(folder.error_of(ErrorKind::kData, [&] { load_model(path.string()); }),
                     "zeros.glgnn: is not a file of this program"));
}

// Nobody writes into it: whoever opens it waits.
TEST(FileVersions, APipeIsNoModel) {
  const TempFolder folder;
  const fs::path path = folder.path("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(folder.error_of(ErrorKind::kIo, [&] { load_model(path.string()); }),
            "pipe: is a pipe, expected a model file");
}

// Two classes of twelve rows that lie apart: whatever a later version computes, these are told.
void expect_usable(const std::string& name) {
  const Model model = load_model(kept(name));
  EXPECT_EQ(model.class_names, (std::vector<std::string>{"apple", "pear"}));
  EXPECT_EQ(accuracy(model.probabilities, model.labels, model.train), 1.0);
  const Features rows = rows_of(model.features, 0, model.features.rows());
  const Matrix p = NewRowPredictor(model, Context{1}).predict(rows).probabilities;
  EXPECT_EQ(accuracy(p, model.labels, model.train), 1.0);
  EXPECT_EQ(Explainer(model, Context{1}).explain(0).predicted, model.labels[0]);
}

TEST(FileVersions, Version9AndLaterAreRead) {
  for (const char* name : {"version9_best.glgnn", "version9_paper.glgnn", "version10_best.glgnn",
                           "version11_best.glgnn", "version12_best.glgnn", "version13_paper.glgnn",
                           "version14_paper.glgnn", "version15_best.glgnn"}) {
    expect_usable(name);
  }
  EXPECT_TRUE(load_model(kept("version13_paper.glgnn")).has_graph);  // not known then
  EXPECT_FALSE(load_model(kept("version14_paper.glgnn")).has_graph);
  const Model mixed = load_model(kept("version15_best.glgnn"));  // hears the given edges
  EXPECT_FALSE(Explainer(mixed, Context{1}).explain(0).edges.empty());
}

TEST(FileVersions, AModelThatIsBegunBeforeItIsThereHasTheSameBytes) {
  const TempFolder folder;
  const Model model = load_model(kept("version12_best.glgnn"));
  save_model(model, folder.path("whole"));
  {
    BegunModel begun(model.features, folder.path("begun"));
    EXPECT_FALSE(fs::exists(folder.path("begun")));
    begun.save(model);
  }
  EXPECT_EQ(text_of(folder.path("begun")), text_of(folder.path("whole")));
  { const BegunModel never_saved(model.features, folder.path("never")); }
  std::set<std::string> left;
  for (const auto& entry : fs::directory_iterator(fs::path(folder.path("whole")).parent_path())) {
    left.insert(entry.path().filename());
  }
  EXPECT_EQ(left, (std::set<std::string>{"begun", "whole"}));
}

// Modules with the same graph share it in the file, and have it each when it is read.
TEST(FileVersions, AGraphOfSeveralModulesIsThereOnce) {
  const TempFolder folder;
  Model model = load_model(kept("version12_best.glgnn"));
  ASSERT_GE(model.modules.size(), 2u);
  model.modules[1].graph = model.modules[0].graph;
  save_model(model, folder.path("shared"));
  const Model back = load_model(folder.path("shared"));
  for (size_t m = 0; m < model.modules.size(); ++m) {
    EXPECT_EQ(back.modules[m].graph.values, model.modules[m].graph.values) << m;
    EXPECT_EQ(back.modules[m].graph.pattern->col, model.modules[m].graph.pattern->col) << m;
  }
  model.modules[1].graph.values.front() += 1;
  save_model(model, folder.path("apart"));
  EXPECT_LT(fs::file_size(folder.path("shared")), fs::file_size(folder.path("apart")));
}

TEST(FileVersions, TheSumDoesNotDependOnHowBytesAreCut) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes += static_cast<char>(i * i);
  for (size_t size = 1; size < 80; ++size) {
    ByteSum sum;
    for (size_t at = 0; at < bytes.size(); at += size) {
      sum.add(bytes.data() + at, std::min(size, bytes.size() - at));
    }
    EXPECT_EQ(sum.value(), byte_sum(bytes.data(), bytes.size())) << size;
  }
}

TEST(FileVersions, TheSumSeesEveryByteAndEveryZeroAtTheEnd) {
  const std::string bytes(100, '\0');
  std::set<uint64_t> seen;
  for (size_t size = 0; size <= bytes.size(); ++size) {
    EXPECT_TRUE(seen.insert(byte_sum(bytes.data(), size)).second) << size;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    for (const int bit : {1, 128}) {
      std::string changed = bytes;
      changed[i] = static_cast<char>(bit);
      EXPECT_TRUE(seen.insert(byte_sum(changed.data(), changed.size())).second) << i;
    }
  }
}

}  // namespace
}  // namespace glgnn
