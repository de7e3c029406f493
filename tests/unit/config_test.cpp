#include <glgnn/config.h>
#include <glgnn/error.h>
#include <gtest/gtest.h>

#include <set>

namespace glgnn {
namespace {

std::string usage_error(const std::string& name, const std::string& value) {
  Config config;
  try {
    set_setting(config, name, value);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    return error.what();
  }
  return "no error";
}

TEST(Config, EverySettingSurvivesATripThroughText) {
  Config config;
  for (const Setting& setting : list_settings(config)) {
    set_setting(config, setting.name, setting.value);
    EXPECT_EQ(get_setting(config, setting.name), setting.value);
    EXPECT_FALSE(setting.text.empty()) << setting.name;
    EXPECT_FALSE(setting.allowed.empty()) << setting.name;
  }
}

TEST(Config, NamesAreUnique) {
  std::set<std::string> names;
  for (const Setting& setting : list_settings({})) {
    EXPECT_TRUE(names.insert(setting.name).second) << setting.name;
  }
}

TEST(Config, SetsNumbersWordsAndSwitches) {
  Config config;
  set_setting(config, "k", "12");
  set_setting(config, "mu1", "0.25");
  set_setting(config, "similarity", "cosine");
  set_setting(config, "rescale", "none");
  EXPECT_EQ(config.k, 12);
  EXPECT_EQ(config.mu1, 0.25);
  EXPECT_EQ(config.similarity, Similarity::kCosine);
  EXPECT_EQ(config.rescale, Rescale::kNone);
}

TEST(Config, UnknownNameNamesTheNearest) {
  EXPECT_EQ(
      usage_error("droput", "0.5"),
      "unknown setting \"droput\"; the nearest is \"dropout\"; `glgnn settings` lists them all");
}

TEST(Config, WrongValuesSayWhatFits) {
  EXPECT_EQ(usage_error("similarity", "euclid"),
            "setting similarity: found \"euclid\", expected dot|cosine");
  EXPECT_EQ(usage_error("dropout", "1.5"),
            "setting dropout: found \"1.5\", expected number from 0 to 0.99");
  EXPECT_EQ(usage_error("k", "3.5"), "setting k: found \"3.5\", expected whole number from 0");
  EXPECT_EQ(usage_error("mu1", "nan"), "setting mu1: found \"nan\", expected number from 0");
  EXPECT_EQ(usage_error("bias", "yes"), "setting bias: found \"yes\", expected true|false");
}

TEST(Config, AFailedSetLeavesTheValue) {
  Config config;
  EXPECT_THROW(set_setting(config, "k", "-1"), Error);
  EXPECT_EQ(config.k, 0);
}

}  // namespace
}  // namespace glgnn
