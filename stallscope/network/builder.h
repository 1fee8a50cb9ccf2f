#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "stallscope/network/network.h"

namespace stallscope {

/// A window does not fit into what is left of the image.
class ImageTooSmall : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ConvOptions {
  int out = 0;
  Extent kernel = 1;
  Extent stride = 1;
  Extent padding = 0;
  int groups = 1;
  bool bias = false;
  /// 0: He's, sqrt(2 / fan_in), which keeps the variance through ReLUs.
  double weight_std = 0;
};

struct LinearOptions {
  int out = 0;
  bool bias = true;
  bool transposed_weight = false;
  double weight_std = 0;  ///< 0: He's
};

struct PoolOptions {
  Extent kernel = 2;
  Extent stride = 2;
  Extent padding = 0;
  bool ceil_mode = false;
};

struct AttentionOptions {
  int heads = 1;
  bool causal = false;
  bool rotary = false;
  double dropout = 0;
};

/// Appends layers to a table and infers their shapes, work and memory. Every method returns the new
/// layer's index, by which later layers take it as their input.
class NetworkBuilder {
 public:
  using Node = std::size_t;

  NetworkBuilder(std::string name, int classes);

  Node Images(int size);
  Node Tokens(int length, int vocabulary);

  Node Conv(const std::string& name, Node input, const ConvOptions& options);
  Node BatchNorm(const std::string& name, Node input, double epsilon = 1e-5);
  Node LayerNorm(const std::string& name, Node input, double epsilon);
  Node RmsNorm(const std::string& name, Node input, double epsilon);
  Node Linear(const std::string& name, Node input, const LinearOptions& options);
  /// A linear layer whose weight is the table of an embedding: the output of a language model.
  Node TiedLinear(const std::string& name, Node input, Node embedding);
  Node FixedProjection(const std::string& name, Node input, int out);
  Node Embedding(const std::string& name, Node tokens, int rows, int width, double weight_std);
  Node PositionEmbedding(const std::string& name, Node tokens, int rows, int width, double weight_std);
  /// An embedding whose index is 0 for every token: BERT's token types of a single sentence.
  Node TypeEmbedding(const std::string& name, Node tokens, int rows, int width, double weight_std);
  Node ClassToken(const std::string& name, Node images, int width);
  Node AddParameter(const std::string& name, Node input, double weight_std);

  /// In place, as torchvision does after convolutions, norms and sums.
  Node Relu(Node input, LayerKind kind = LayerKind::kRelu);
  /// Not in place: GELU, SiLU, tanh need their input in the backward pass.
  Node Activation(LayerKind kind, Node input);
  Node MaxPool(Node input, const PoolOptions& options);
  Node AveragePool(Node input, const PoolOptions& options);
  Node AdaptiveAveragePool(Node input, Extent size);
  Node Flatten(Node input);
  Node TokensFromMap(Node input);
  Node SelectToken(Node input);
  Node Dropout(Node input, double probability);
  /// Writes the sum over `into`, which must be a fresh result that nothing else reads.
  Node AddInto(Node into, Node other);
  Node Add(Node first, Node second);
  Node Multiply(Node first, Node second);
  Node Concat(const std::vector<Node>& inputs);
  Node Slice(Node input, std::int64_t start, std::int64_t length);
  Node ChannelShuffle(Node input, int groups);
  /// From queries, keys and values, or from one input that holds the three side by side.
  Node Attention(const std::string& name, const std::vector<Node>& inputs, const AttentionOptions& options);

  const std::vector<std::int64_t>& Shape(Node node) const { return network_.layers[node].output_shape; }
  /// For what the layers do not say: the loss, the second output.
  Network& network() { return network_; }
  /// The finished table; the last layer is its output unless another was set.
  Network Finish(Node output);

 private:
  Layer Start(LayerKind kind, std::string name, std::vector<Node> inputs) const;
  Node Append(Layer layer);
  Node AppendFresh(Layer layer);
  Node AppendPool(LayerKind kind, const char* name, Node input, const PoolOptions& options);

  Network network_;
};

}  // namespace stallscope
