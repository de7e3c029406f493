// Soft labels: one row of class probabilities for each row of the data.
#pragma once

#include <glgnn/config.h>
#include <glgnn/csr.h>
#include <glgnn/matrix.h>
#include <glgnn/trainer.h>

#include <vector>

namespace glgnn {

// The problem as the setting class_weights wants it judged.
Problem with_class_weights(Problem problem, const Config& config);

// 1 at the class of each training row, 0 elsewhere.
Matrix one_hot(const Problem& problem);

// Gives the training rows their labels back.
void clamp_training_rows(Matrix& p, const Problem& problem);

// Each class's part of the training rows, counted from one (so that none is zero); the same for all
// where every class counts alike.
std::vector<double> class_shares(const Problem& problem);

// Rows scaled to sum 1; a row without anything gets `otherwise`.
void normalise_rows(Matrix& p, const std::vector<double>& otherwise, int threads = 1);

// Scales the classes so that their mean probability is `shares`, then the rows to sum 1.
void match_class_mass(Matrix& p, const std::vector<double>& shares, int threads = 1);

// softmax of each row.
void softmax_rows(Matrix& logits, int threads = 1);

// How much each training row counts, mean 1; all 1 unless every class counts alike.
std::vector<float> training_row_weights(const Problem& problem);

// The part of the validation rows that is right; the mean of the classes' parts where every class
// counts alike.
double validation_accuracy(const Matrix& p, const Problem& problem);

// The rows of p that validate, in their order.
Matrix validation_rows(const Matrix& p, const Problem& problem);
// The problem of those rows, which has no others and no features.
Problem validation_alone(const Problem& problem);

// How much the likelihood counts beside the accuracy: enough to tell modules apart that are right
// equally often, too little to outweigh a right answer.
inline constexpr double kLikelihoodWeight = 0.05;

// The logarithm of a label's probability; one sure and wrong answer must not outweigh all others.
double clipped_log(double probability);

// How well soft labels fit the validation rows. Without any, every score is the same.
struct Score {
  double accuracy = 0;        // validation_accuracy
  double log_likelihood = 0;  // mean, probabilities clipped at 1e-3
  double handicap = 0;        // what the accuracy must be better by to count as much
  // Few validation rows tell accuracies apart badly; the likelihood breaks ties.
  double value() const { return accuracy - handicap + kLikelihoodWeight * log_likelihood; }
};
Score validation_score(const Matrix& p, const Problem& problem);

// What the best of many looks at the validation rows gains by chance, in standard errors of the
// accuracy (measured: docs/best_mode.md).
inline constexpr double kGainOfChoosing = 0.75;
double standard_error(double accuracy, const Problem& problem);
double standard_error(double accuracy, double rows);

}  // namespace glgnn
