// Ranks by MPI. Only the header is needed to build: the library is loaded when mpirun has started
// us, so that a run of one process neither needs nor waits for it. OpenMPI's names are used.
#include <dlfcn.h>
#include <glgnn/error.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "dist/ranks.h"

#ifdef GLGNN_MPI
#define OMPI_SKIP_MPICXX  // its C++ classes would need a library of their own
#include <mpi.h>
#endif

namespace glgnn {
namespace {

// Set by mpirun, and by srun --mpi=pmix.
constexpr const char* kLaunched[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK"};

constexpr const char* kVisibleGpus = "CUDA_VISIBLE_DEVICES";

bool is_launched() {
  const char* const size = std::getenv(kLaunched[0]);
  return size ? std::atoi(size) > 1 : std::getenv(kLaunched[1]) != nullptr;
}

int count_gpus() {
  int count = 0;
  while (::access(("/dev/nvidia" + std::to_string(count)).c_str(), F_OK) == 0) ++count;
  return count;
}

// Before CUDA is asked for anything: it then knows this GPU alone.
void take_own_gpu() {
  for (const char* variable : {"OMPI_COMM_WORLD_LOCAL_RANK", "SLURM_LOCALID"}) {
    const char* const local = std::getenv(variable);
    if (!local) continue;
    const char* const visible = std::getenv(kVisibleGpus);
    const std::string own = gpu_of_rank(visible ? visible : "", count_gpus(), std::atoi(local));
    if (!own.empty()) ::setenv(kVisibleGpus, own.c_str(), 1);
    return;
  }
}

// For as long as MPI starts, where all ranks are of one machine: it leaves out what we do not use
// of it, and what finds networks and their devices. What the user has set stays. A rank then has
// some 4 MB less.
class WithoutNetworks {
 public:
  WithoutNetworks() {
    const char *const all = std::getenv(kLaunched[0]), *const local = std::getenv(
                                                           "OMPI_COMM_WORLD_LOCAL_SIZE");
    if (!all || !local || std::atoi(all) != std::atoi(local)) return;
    constexpr std::pair<const char*, const char*> kSettings[] = {
        {"HWLOC_PLUGINS_PATH", "/nonexistent"},
        {"OMPI_MCA_pml", "ob1"},
        {"OMPI_MCA_btl", "self,vader"},
        {"OMPI_MCA_coll", "basic,libnbc,self"},
        {"OMPI_MCA_osc", "^monitoring,pt2pt,rdma,sm,ucx"},
        {"OMPI_MCA_io", "^ompio,romio321"},
        {"OMPI_MCA_op", "^avx"},
        {"OMPI_MCA_topo", "basic"}};
    for (const auto& [name, value] : kSettings) {
      if (std::getenv(name)) continue;
      ::setenv(name, value, 1);
      set_.push_back(name);
    }
  }
  ~WithoutNetworks() {
    for (const char* name : set_) ::unsetenv(name);
  }
  WithoutNetworks(const WithoutNetworks&) = delete;
  WithoutNetworks& operator=(const WithoutNetworks&) = delete;

 private:
  std::vector<const char*> set_;
};

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

class MpiSending final : public Sending {
 public:
  MpiSending(std::mutex& calls, std::string bytes)
      : calls_(calls), bytes_(std::make_unique<std::string>(std::move(bytes))) {}
  ~MpiSending() override {
    if (!parts_.empty()) bytes_.release();  // MPI may still read them
  }

  const std::string& bytes() const { return *bytes_; }
  void add(MPI_Request part) { parts_.push_back(part); }

  bool done() override {
    const std::scoped_lock lock(calls_);
    std::erase_if(parts_, [](MPI_Request& part) {
      int is_done = 0;
      GLGNN_MPI_CALL(MPI_Test, &part, &is_done, MPI_STATUS_IGNORE);
      return is_done != 0;
    });
    return parts_.empty();
  }

 private:
  std::mutex& calls_;
  std::unique_ptr<std::string> bytes_;
  std::vector<MPI_Request> parts_;
};

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
  std::unique_ptr<Sending> start(int to, Mail kind, std::string bytes) override {
    auto sending = std::make_unique<MpiSending>(calls_, std::move(bytes));
    const std::string& kept = sending->bytes();
    const std::scoped_lock lock(calls_);
    for (size_t at = 0; at <= kept.size(); at += kLetterPart) {
      MPI_Request request;
      GLGNN_MPI_CALL(MPI_Isend, kept.data() + at,
                     static_cast<int>(std::min(kLetterPart, kept.size() - at)), byte_, to,
                     static_cast<int>(kind), world_, &request);
      sending->add(request);
    }
    return sending;
  }

  std::optional<std::string> poll(int from, Mail kind) override {
    const std::scoped_lock lock(calls_);
    Coming& letter = coming_[{from, kind}];
    while (true) {
      if (!letter.is_part_open && !open_part(from, kind, letter)) return std::nullopt;
      int is_there = 0;
      GLGNN_MPI_CALL(MPI_Test, &letter.part, &is_there, MPI_STATUS_IGNORE);
      if (!is_there) return std::nullopt;
      letter.is_part_open = false;
      if (letter.last_part < kLetterPart) return std::exchange(letter.bytes, {});
    }
  }

 private:
  // A letter that is being received.
  struct Coming {
    std::string bytes;
    MPI_Request part;
    size_t last_part = 0;
    bool is_part_open = false;
  };

  // Makes room for the next part after what is there; false if none has come.
  bool open_part(int from, Mail kind, Coming& letter) {
    int there = 0, size = 0;
    MPI_Message message;
    MPI_Status status;
    GLGNN_MPI_CALL(MPI_Improbe, from, static_cast<int>(kind), world_, &there, &message, &status);
    if (!there) return false;
    GLGNN_MPI_CALL(MPI_Get_count, &status, byte_, &size);
    letter.last_part = static_cast<size_t>(size);
    const size_t before = letter.bytes.size();
    letter.bytes.resize(before + letter.last_part);
    GLGNN_MPI_CALL(MPI_Imrecv, letter.bytes.data() + before, size, byte_, &message, &letter.part);
    letter.is_part_open = true;
    return true;
  }

  std::mutex calls_;
  std::map<std::pair<int, Mail>, Coming> coming_;  // of each rank and kind, in its order
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
  take_own_gpu();
  ::mallopt(M_ARENA_MAX, 1);  // else each of the threads that only move letters keeps its own gaps
  const WithoutNetworks while_it_starts;
  auto ranks = open_mpi();
  for (const char* variable : kLaunched) ::unsetenv(variable);
  return ranks;
}

}  // namespace glgnn
