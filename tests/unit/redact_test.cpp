// SPDX-License-Identifier: Apache-2.0
//
// What of a command line and an environment is shown, and what is not.
#include "base/redact.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proofline::redact_test {
namespace {

using Variables = std::vector<std::pair<std::string, std::string>>;

TEST(RedactCommand, KeepsWhatIsNoSecret) {
  for (const std::string_view command :
       {"", " ", "./train --steps 100 --lr=3e-4  data/train.bin",
        "ncu --set full -o report ./gemm 4096", "curl https://example.org/a@b"}) {
    EXPECT_EQ(redact_command(command), command);
  }
}

TEST(RedactCommand, HidesTheValueAfterAnEqualsSign) {
  EXPECT_EQ(redact_command("./a --token=abc -n 3"), "./a --token=<redacted> -n 3");
  EXPECT_EQ(redact_command("DB_PASSWORD=abc ./a"), "DB_PASSWORD=<redacted> ./a");
  EXPECT_EQ(redact_command("--Api-Key=a=b"), "--Api-Key=<redacted>");
}

TEST(RedactCommand, HidesTheNextWordAfterAFlag) {
  EXPECT_EQ(redact_command("./a --hf-token abc -n 3"), "./a --hf-token <redacted> -n 3");
  EXPECT_EQ(redact_command("./a --password  abc"), "./a --password  <redacted>");
  // The flag has no value here.
  EXPECT_EQ(redact_command("./a --use-auth --steps 5"), "./a --use-auth --steps 5");
  EXPECT_EQ(redact_command("./a --tokens abc1"), "./a --tokens <redacted>");
  EXPECT_EQ(redact_command("./a --token 64"), "./a --token <redacted>");
  EXPECT_EQ(redact_command("./a --tokens 123456789"), "./a --tokens <redacted>");
  // No flag: a program's name.
  EXPECT_EQ(redact_command("./tokenizer input.txt"), "./tokenizer input.txt");
}

// Each has % where the secret is.
TEST(RedactCommand, HidesASecretWhereverAWordHasIt) {
  constexpr std::string_view kSecret = "S3cr3tS3cr3tS3cr3t";
  for (const std::string_view form : {"DB_PASS=% ./a",
                                      "./a --db-pass %",
                                      "./a --db-pass=%",
                                      "./a --access-key %",
                                      "./a --access-key=%",
                                      "AWS_ACCESS_KEY=% ./a",
                                      "./a 'host=x password=% dbname=y'",
                                      "./a \"host=x password='%' dbname=y\"",
                                      "./a 'host=x password='\\''%'\\'' dbname=y'",
                                      "./a 'password='\\''a b %'\\'''",
                                      "./a --creds %",
                                      "./a '{\"password\": \"%\", \"n\": 1}'",
                                      "./a '{\"api_key\":\"%\"}'",
                                      "./a --config=password=%",
                                      "./a --set db.password=%,n=1",
                                      "./a github_pat_%",
                                      "./a --with=glpat-%",
                                      "./a ghp_%",
                                      "./a x:ghp_%",
                                      "./a nvapi-%",
                                      "curl -H 'Authorization: Bearer %' x",
                                      "curl -H \"X-Api-Key: %\" x",
                                      "curl -H 'Cookie: a=%; b=%' x",
                                      "./a 'https://h/x?token=%&n=1'",
                                      "./a -p %",
                                      "./a -u me:%",
                                      "PGPASSWORD=% ./a",
                                      "./a --pwd %",
                                      "./a url=postgresql://me:%@h/db",
                                      "./a eyJhbGciOiJ%.eyJ%.%"}) {
    std::string command(form);
    for (std::size_t at = 0; (at = command.find('%')) != std::string::npos;) {
      command.replace(at, 1, kSecret);
    }
    EXPECT_EQ(redact_command(command).find(kSecret), std::string::npos)
        << command << " -> " << redact_command(command);
  }
}

TEST(RedactCommand, KeepsWhatOnlyLooksLikeOne) {
  for (const std::string_view command :
       {"./a --sort-key name", "./a --passes 3", "./a hf_model sk-learn", "./a --n=1,m=2",
        "./a --tokens 64", "./a --max-tokens=64,4096", "./a tokens=64 -n 3",
        "./a 'host=x dbname=y'", "./a '{\"n\": 1}'", "./bypass -n 3"}) {
    EXPECT_EQ(redact_command(command), command);
  }
}

TEST(RedactEnvironment, RecordsWhatIsLoadedIntoAProgram) {
  EXPECT_EQ(redact_environment("LD_PRELOAD=/a/b.so\nCUDA_INJECTION64_PATH=/c.so\n"
                               "NVCC_APPEND_FLAGS=-DDB_PASS=abc"),
            (Variables{{"LD_PRELOAD", "/a/b.so"},
                       {"CUDA_INJECTION64_PATH", "/c.so"},
                       {"NVCC_APPEND_FLAGS", "-DDB_PASS=<redacted>"}}));
}

TEST(RedactCommand, HidesTheUserPartOfAnAddress) {
  EXPECT_EQ(redact_command("git clone https://me:abc@host/x.git"),
            "git clone https://<redacted>@host/x.git");
}

TEST(RedactEnvironment, ShowsValuesOnlyOfKnownVariables) {
  EXPECT_EQ(
      redact_environment("CUDA_VISIBLE_DEVICES=0,1\nHOME=/home/me\nAWS_SECRET=abc"),
      (Variables{
          {"CUDA_VISIBLE_DEVICES", "0,1"}, {"HOME", "<redacted>"}, {"AWS_SECRET", "<redacted>"}}));
}

TEST(RedactEnvironment, AcceptsEverySeparator) {
  const Variables expected{{"A", "<redacted>"}, {"OMP_NUM_THREADS", "8"}, {"B", "<redacted>"}};
  EXPECT_EQ(redact_environment("A=1\nOMP_NUM_THREADS=8\nB="), expected);
  EXPECT_EQ(redact_environment("A=1;OMP_NUM_THREADS=8;B=;"), expected);
  using namespace std::string_view_literals;
  EXPECT_EQ(redact_environment("A=1\0OMP_NUM_THREADS=8\0B=\0"sv), expected);
}

// A separator inside a value cuts it; the tail must not come out as a variable of its own.
TEST(RedactEnvironment, DropsTheTailOfACutValue) {
  EXPECT_EQ(redact_environment("KEY=first\nsecond line\n=third\nA=1"),
            (Variables{{"KEY", "<redacted>"}, {"A", "<redacted>"}}));
}

}  // namespace
}  // namespace proofline::redact_test
