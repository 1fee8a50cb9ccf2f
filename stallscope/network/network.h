#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stallscope {

enum class SampleKind { kImage, kTokens };

/// What the user may change of a published network; what is absent is the publication's.
struct NetworkOptions {
  std::optional<int> image_size;
  std::optional<int> sequence_length;
  std::optional<int> classes;
};

struct NamedTensor {
  std::string name;
  std::vector<std::int64_t> shape;
  std::int64_t elements() const;
};

/// A parameter: training produces one gradient of its shape in every step.
using GradientTensor = NamedTensor;

enum class LayerKind {
  kInput,
  kState,  ///< all parameters of a network whose layers were only observed
  kConv2d,
  kBatchNorm,
  kLayerNorm,
  kRmsNorm,
  kLinear,
  kFixedProjection,  ///< a linear map that is not trained: it only carries a loss
  kEmbedding,
  kPositionEmbedding,  ///< rows 0..length-1 of a table, for every sample the same
  kTypeEmbedding,      ///< row 0 of a table, for every token the same
  kClassToken,         ///< one learned token per sample
  kAddParameter,       ///< adds a learned tensor to every sample
  kRelu,
  kRelu6,
  kGelu,
  kGeluTanh,
  kSilu,
  kTanh,
  kMaxPool,
  kAveragePool,
  kAdaptiveAveragePool,
  kFlatten,
  kTokensFromMap,  ///< {channels, height, width} to {height * width, channels}
  kSelectToken,    ///< the first token of a sequence
  kDropout,
  kAdd,
  kMultiply,
  kConcat,          ///< along the first dimension of a sample
  kSlice,           ///< a range of the first dimension of a sample
  kChannelShuffle,  ///< ShuffleNet's permutation of channels over groups
  kAttention,
};

/// Height and width of a window; one number stands for a square.
struct Extent {
  Extent(int both) : height(both), width(both) {}  // NOLINT(google-explicit-constructor)
  Extent(int rows, int columns) : height(rows), width(columns) {}
  int height;
  int width;
};

/// One step of the forward pass, in execution order. Fields that a kind does not use keep their defaults.
struct Layer {
  LayerKind kind = LayerKind::kInput;
  std::string name;
  std::vector<std::size_t> inputs;         ///< earlier layers of the table
  std::vector<std::int64_t> output_shape;  ///< of one sample
  std::int64_t forward_macs = 0;           ///< of one sample
  /// Elements per sample that the layer allocates; 0 where it writes in place or returns a view.
  std::int64_t activation_elements = 0;
  std::vector<GradientTensor> parameters;  ///< weight before bias
  std::vector<NamedTensor> buffers;        ///< running statistics and their counter
  /// The layer whose parameters this one uses; it then has none of its own.
  std::optional<std::size_t> shares_parameters_of;

  Extent kernel = 1;
  Extent stride = 1;
  Extent padding = 0;
  int groups = 1;
  bool ceil_mode = false;
  bool bias = false;
  bool transposed_weight = false;  ///< GPT-2 keeps its linear weights as {in, out}
  bool in_place = false;           ///< overwrites its first input
  bool causal = false;
  bool rotary = false;  ///< queries and keys are rotated by position
  int heads = 0;
  std::int64_t slice_start = 0;
  double dropout = 0;
  double epsilon = 0;
  double weight_std = 0;  ///< of the normal distribution that weights start from
  double bias_start = 0;  ///< the value that biases start from
};

enum class LossKind {
  kClasses,    ///< cross entropy of one output row per sample
  kNextToken,  ///< cross entropy of each position's output with the next token
};

struct Network {
  std::string name;
  SampleKind sample_kind = SampleKind::kImage;
  std::vector<std::int64_t> sample_shape;  ///< {3, height, width}, or {tokens}
  int classes = 0;                         ///< what a loss of kind kClasses distinguishes, else 0
  int vocabulary = 0;                      ///< 0 for images
  LossKind loss = LossKind::kClasses;
  std::vector<Layer> layers;
  std::size_t output = 0;
  /// Inception's second classifier: its loss counts kAuxiliaryWeight times.
  std::optional<std::size_t> auxiliary_output;
  /// The order of readiness where it was observed, not derived from the layers; else empty.
  std::vector<std::size_t> observed_readiness;
};

constexpr double kAuxiliaryWeight = 0.4;

/// The network that `spec` names: "resnet18", "mlp:layers=64,width=512" (docs/networks.md).
/// Throws UsageError where the name, a parameter or an option cannot be meant.
Network BuildNetwork(const std::string& spec, const NetworkOptions& options);

/// Every name that BuildNetwork knows, families by the name that takes their parameters.
std::vector<std::string> NetworkNames();

struct NetworkTotals {
  std::int64_t parameters = 0;
  std::int64_t gradient_tensors = 0;
  std::int64_t layers = 0;  ///< convolutions, linear layers and embeddings
  std::int64_t gradient_bytes = 0;
  std::int64_t forward_macs = 0;  ///< of one sample
};

NetworkTotals Totals(const Network& network);

/// Parameters in the order in which the module registers them, named as torchvision names them.
std::vector<GradientTensor> GradientTensors(const Network& network);

/// Running statistics in the order in which the module registers them.
std::vector<NamedTensor> BufferTensors(const Network& network);

/// Indices into GradientTensors in the order in which autograd finishes the gradients.
std::vector<std::size_t> ReadinessOrder(const Network& network);

/// The smallest batch that trains: a batch norm over a single value per channel has no variance.
int SmallestBatch(const Network& network);

/// What a training process holds at the end of its forward pass:
///   4 B x parameters x (weights + gradients + optimizer_slots) + buffers
///   + batch x (activations + sample), at 4 B, or 2 B with bf16, where a 2 B copy of the weights is added.
/// Workspace of single operators, communication buckets and the process itself come on top.
double TrainingMemoryBytes(const Network& network, int batch, int optimizer_slots, bool bf16);

}  // namespace stallscope
