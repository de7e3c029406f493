// The processes that work on one run ("ranks"): this one alone, or those that mpirun has started.
// Rank 0 leads: it hands out the work, and it alone speaks and writes files.
#pragma once

#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace glgnn {

// What a letter is about: it is given to who asks for its kind.
enum class Mail : int {
  kMeeting = 1,
  kBeat,
  kAsk,
  kPiece,
  kShare,
  kVisitors,
  kFound,
  kRows,
  kSwap
};

// Numbers as a letter: append() puts them in, a Letter gives them back in the same order.
template <class T>
void append(std::string& bytes, const T* numbers, size_t count) {
  bytes.append(reinterpret_cast<const char*>(numbers), count * sizeof(T));
}
template <class T>
std::string letter_of(const T* numbers, size_t count) {
  std::string bytes;
  append(bytes, numbers, count);
  return bytes;
}
template <class T>
std::string letter_of(const std::vector<T>& numbers) {
  return letter_of(numbers.data(), numbers.size());
}
class Letter {
 public:
  explicit Letter(const std::string& bytes)
      : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}
  template <class T>
  std::vector<T> take(size_t count) {
    std::vector<T> numbers(count);
    if (count > 0) std::memcpy(numbers.data(), at_, count * sizeof(T));
    at_ += count * sizeof(T);
    return numbers;
  }
  // The same without a copy: as long as the letter is there. Before them there must be a whole
  // number of such numbers.
  template <class T>
  const T* view(size_t count) {
    const char* const numbers = std::exchange(at_, at_ + count * sizeof(T));
    return reinterpret_cast<const T*>(numbers);
  }
  template <class T>
  std::vector<T> take_rest() {
    return take<T>(static_cast<size_t>(end_ - at_) / sizeof(T));
  }

 private:
  const char *at_, *end_;
};

// A letter on its way. One that is dropped before it is done is left to the end of the process.
class Sending {
 public:
  virtual ~Sending() = default;
  virtual bool done() = 0;
};

// One process alone; MPI has another (open_ranks). May be used by several threads at once.
class Ranks {
 public:
  virtual ~Ranks() = default;

  virtual int self() const { return 0; }
  virtual int count() const { return 1; }
  bool leads() const { return self() == 0; }

  // Sends while the caller goes on; done() has to be asked until it is true.
  virtual std::unique_ptr<Sending> start(int to, Mail kind, std::string bytes);
  // Returns once the letter is taken, or stored.
  void send(int to, Mail kind, std::string bytes);
  // A letter of that rank, if one has come. Letters of one kind come in the order of sending.
  virtual std::optional<std::string> poll(int from, Mail kind);
  std::string wait(int from, Mail kind);

  // What each rank says, in the order of the ranks; rank 0 alone gets it.
  std::vector<std::string> gather(const std::string& own);
  // A letter for every rank (the one to itself is given back), and those that they have sent.
  std::vector<std::string> swap(std::vector<std::string> to_each);
  // What rank 0 says, on every rank.
  std::string share(std::string from_lead);
  // Each rank in turn makes of what the one before it has left (at first: nothing) what it leaves
  // to the next; gives what the last has left, on every rank.
  std::string in_turn(const std::function<std::string(const std::string&)>& add);
};

// The GPU of the rank with that number on its machine, in the words of CUDA_VISIBLE_DEVICES: of
// those that are `visible` by it ("2,5"; empty: all of the machine, which has `count`), in turn.
// Empty where there is none.
std::string gpu_of_rank(const std::string& visible, int count, int local);

// The ranks of this process: those of MPI when mpirun (or srun) has started it, else itself alone.
// Each sees one GPU of its machine alone. Children of this process are alone again. kUsage where
// MPI is asked for and is not there.
std::unique_ptr<Ranks> open_ranks();

}  // namespace glgnn
