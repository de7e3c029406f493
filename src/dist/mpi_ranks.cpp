// Ranks by MPI. Only the header is needed to build: the library is loaded when mpirun has started
// us, so that a run of one process neither needs nor waits for it. OpenMPI's names are used.
#include <dlfcn.h>
#include <glgnn/error.h>

#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "dist/ranks.h"

#ifdef GLGNN_MPI
#define OMPI_SKIP_MPICXX  // its C++ classes would need a library of their own
#include <mpi.h>
#endif

namespace glgnn {
namespace {

// Set by mpirun, and by srun --mpi=pmix.
constexpr const char* kLaunched[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"};

bool is_launched() {
  const char* const size = std::getenv(kLaunched[0]);
  return size ? std::atoi(size) > 1 : std::getenv(kLaunched[1]) != nullptr;
}

}  // namespace

#ifdef GLGNN_MPI

namespace {

constexpr const char* kLibrary = "libmpi.so.40";
constexpr size_t kLetterPart = size_t{1} << 30;  // MPI counts bytes by int

void* library() {
  // Global: the parts that it loads itself look for its names.
  static void* const opened = ::dlopen(kLibrary, RTLD_NOW | RTLD_GLOBAL);
  if (opened) return opened;
  throw Error(ErrorKind::kIo, std::string(::dlerror()) + "; install openmpi-bin");
}

void* symbol(const char* name) {
  if (void* const found = ::dlsym(library(), name)) return found;
  throw Error(ErrorKind::kIo,
              std::string(kLibrary) + ": has no " + name + "; install openmpi-bin of Debian");
}

#define GLGNN_MPI_CALL(name, ...) \
  check(reinterpret_cast<decltype(&name)>(cached<struct name##_symbol>(#name))(__VA_ARGS__), #name)

template <class Tag>
void* cached(const char* name) {
  static void* const found = symbol(name);
  return found;
}

void check(int status, const char* name) {
  if (status == MPI_SUCCESS) return;
  throw Error(ErrorKind::kIo, std::string(name) + " failed with status " + std::to_string(status) +
                                  "; is a rank or the network gone?");
}

class MpiRanks final : public Ranks {
 public:
  MpiRanks() {
    int provided = 0;
    GLGNN_MPI_CALL(MPI_Init_thread, nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
    if (provided < MPI_THREAD_SERIALIZED) {
      throw Error(ErrorKind::kIo, "this MPI takes calls of one thread alone: found level " +
                                      std::to_string(provided) + ", expected " +
                                      std::to_string(MPI_THREAD_SERIALIZED) +
                                      " (MPI_THREAD_SERIALIZED); use Debian's OpenMPI");
    }
    world_ = static_cast<MPI_Comm>(symbol("ompi_mpi_comm_world"));
    byte_ = static_cast<MPI_Datatype>(symbol("ompi_mpi_byte"));
    const auto errors_return = static_cast<MPI_Errhandler>(symbol("ompi_mpi_errors_return"));
    GLGNN_MPI_CALL(MPI_Comm_set_errhandler, world_, errors_return);
    GLGNN_MPI_CALL(MPI_Comm_rank, world_, &self_);
    GLGNN_MPI_CALL(MPI_Comm_size, world_, &count_);
  }

  ~MpiRanks() override {
    try {
      GLGNN_MPI_CALL(MPI_Finalize);
    } catch (const Error&) {
      // Nothing is lost: all letters have been read.
    }
  }

  int self() const override { return self_; }
  int count() const override { return count_; }

  // In parts; one that is not full is the last.
  void send(int to, Mail kind, const std::string& bytes) override {
    const std::scoped_lock whole(sending_);
    for (size_t at = 0; at <= bytes.size(); at += kLetterPart) {
      send_part(to, kind, bytes.data() + at, std::min(kLetterPart, bytes.size() - at));
    }
  }

  std::optional<std::string> poll(int from, Mail kind) override {
    std::string bytes;
    if (!take_part(from, kind, bytes)) return std::nullopt;
    for (size_t end = kLetterPart; bytes.size() == end; end += kLetterPart) {
      while (!take_part(from, kind, bytes)) std::this_thread::yield();
    }
    return bytes;
  }

 private:
  void send_part(int to, Mail kind, const char* bytes, size_t size) {
    MPI_Request request;
    int done = 0;
    {
      const std::scoped_lock lock(calls_);
      GLGNN_MPI_CALL(MPI_Isend, bytes, static_cast<int>(size), byte_, to, static_cast<int>(kind),
                     world_, &request);
    }
    while (true) {
      {
        const std::scoped_lock lock(calls_);
        GLGNN_MPI_CALL(MPI_Test, &request, &done, MPI_STATUS_IGNORE);
      }
      if (done) return;
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
  }

  // Puts the next part after what is there; false if none has come.
  bool take_part(int from, Mail kind, std::string& bytes) {
    const std::scoped_lock lock(calls_);
    int there = 0, size = 0;
    MPI_Message message;
    MPI_Status status;
    GLGNN_MPI_CALL(MPI_Improbe, from, static_cast<int>(kind), world_, &there, &message, &status);
    if (!there) return false;
    GLGNN_MPI_CALL(MPI_Get_count, &status, byte_, &size);
    const size_t before = bytes.size();
    bytes.resize(before + static_cast<size_t>(size));
    GLGNN_MPI_CALL(MPI_Mrecv, bytes.data() + before, size, byte_, &message, MPI_STATUS_IGNORE);
    return true;
  }

  std::mutex calls_, sending_;
  MPI_Comm world_;
  MPI_Datatype byte_;
  int self_ = 0, count_ = 1;
};

std::unique_ptr<Ranks> open_mpi() { return std::make_unique<MpiRanks>(); }

}  // namespace

#else

namespace {

std::unique_ptr<Ranks> open_mpi() {
  throw Error(ErrorKind::kUsage,
              "started by mpirun, but built without MPI; install libopenmpi-dev and build anew, or "
              "start it without mpirun");
}

}  // namespace

#endif

std::unique_ptr<Ranks> open_ranks() {
  if (!is_launched()) return std::make_unique<Ranks>();
  auto ranks = open_mpi();
  for (const char* variable : kLaunched) ::unsetenv(variable);
  return ranks;
}

}  // namespace glgnn
