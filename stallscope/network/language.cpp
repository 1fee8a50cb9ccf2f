// BERT (Devlin et al. 2018), GPT-2 (Radford et al. 2019) and decoders in the style of Llama (Touvron et al.
// 2023). Tensors are named as in Hugging Face's transformers and registered in execution order.
#include <fmt/format.h>

#include <cmath>

#include "stallscope/base/error.h"
#include "stallscope/network/families.h"

namespace stallscope {
namespace {

using Node = NetworkBuilder::Node;

constexpr double kStd = 0.02;
constexpr double kDropout = 0.1;

struct TransformerSize {
  int layers;
  int width;
  int heads;
};

constexpr int kBertVocabulary = 30'522;
constexpr int kBertPositions = 512;
constexpr int kBertTokenTypes = 2;
constexpr double kBertEpsilon = 1e-12;

/// Norms come after the sums.
Node BertBlock(NetworkBuilder& net, const std::string& prefix, Node x, const TransformerSize& size) {
  const LinearOptions same{.out = size.width, .weight_std = kStd};
  const std::string self = prefix + ".attention.self";
  const Node query = net.Linear(self + ".query", x, same);
  const Node key = net.Linear(self + ".key", x, same);
  const Node value = net.Linear(self + ".value", x, same);
  Node branch = net.Attention(self, {query, key, value}, {.heads = size.heads, .dropout = kDropout});
  branch = net.Dropout(net.Linear(prefix + ".attention.output.dense", branch, same), kDropout);
  x = net.LayerNorm(prefix + ".attention.output.LayerNorm", net.Add(branch, x), kBertEpsilon);
  branch = net.Linear(prefix + ".intermediate.dense", x, {.out = 4 * size.width, .weight_std = kStd});
  branch = net.Activation(LayerKind::kGelu, branch);
  branch = net.Dropout(net.Linear(prefix + ".output.dense", branch, same), kDropout);
  return net.LayerNorm(prefix + ".output.LayerNorm", net.Add(branch, x), kBertEpsilon);
}

constexpr int kGptVocabulary = 50'257;
constexpr int kGptPositions = 1024;
constexpr double kGptEpsilon = 1e-5;

/// Norms come before the branches.
Node GptBlock(NetworkBuilder& net, const std::string& prefix, Node x, const TransformerSize& size) {
  // Every block adds twice to the residual stream: the paper scales those weights by 1/sqrt(2 layers).
  const double last_std = kStd / std::sqrt(2.0 * size.layers);
  const auto linear = [&](const std::string& name, Node input, int out, double weight_std) {
    return net.Linear(prefix + name, input,
                      {.out = out, .transposed_weight = true, .weight_std = weight_std});
  };
  Node branch = linear(".attn.c_attn", net.LayerNorm(prefix + ".ln_1", x, kGptEpsilon), 3 * size.width, kStd);
  branch =
      net.Attention(prefix + ".attn", {branch}, {.heads = size.heads, .causal = true, .dropout = kDropout});
  branch = net.Dropout(linear(".attn.c_proj", branch, size.width, last_std), kDropout);
  x = net.Add(branch, x);
  branch = linear(".mlp.c_fc", net.LayerNorm(prefix + ".ln_2", x, kGptEpsilon), 4 * size.width, kStd);
  branch = net.Activation(LayerKind::kGeluTanh, branch);
  branch = net.Dropout(linear(".mlp.c_proj", branch, size.width, last_std), kDropout);
  return net.Add(x, branch);
}

constexpr int kLlamaVocabulary = 32'000;
constexpr double kLlamaEpsilon = 1e-6;

/// Two thirds of four times the width, because the gate adds a third matrix; rounded up to a multiple of 256.
int LlamaHidden(int width) {
  constexpr int kMultiple = 256;
  const int hidden = 8 * width / 3;
  return (hidden + kMultiple - 1) / kMultiple * kMultiple;
}

Node LlamaBlock(NetworkBuilder& net, const std::string& prefix, Node x, const TransformerSize& size) {
  const auto linear = [&](const std::string& name, Node input, int out) {
    return net.Linear(prefix + name, input, {.out = out, .bias = false, .weight_std = kStd});
  };
  Node normed = net.RmsNorm(prefix + ".input_layernorm", x, kLlamaEpsilon);
  const Node query = linear(".self_attn.q_proj", normed, size.width);
  const Node key = linear(".self_attn.k_proj", normed, size.width);
  const Node value = linear(".self_attn.v_proj", normed, size.width);
  Node branch = net.Attention(prefix + ".self_attn", {query, key, value},
                              {.heads = size.heads, .causal = true, .rotary = true});
  x = net.Add(linear(".self_attn.o_proj", branch, size.width), x);
  normed = net.RmsNorm(prefix + ".post_attention_layernorm", x, kLlamaEpsilon);
  const int hidden = LlamaHidden(size.width);
  const Node gate = net.Activation(LayerKind::kSilu, linear(".mlp.gate_proj", normed, hidden));
  const Node up = linear(".mlp.up_proj", normed, hidden);
  branch = linear(".mlp.down_proj", net.Multiply(gate, up), size.width);
  return net.Add(branch, x);
}

}  // namespace

/// The encoder with its pooler. The loss goes through a fixed projection of the pooled output: a trained
/// head would be no part of the published network, and without the pooler its tensors had no gradients.
Network BuildBert(const BuildRequest& request) {
  const bool large = request.spec.name == "bert_large";
  const TransformerSize size = large ? TransformerSize{24, 1024, 16} : TransformerSize{12, 768, 12};
  NetworkBuilder net(request.spec.text, request.classes);
  const Node tokens = net.Tokens(request.sequence_length, kBertVocabulary);
  const std::string embeddings = "embeddings.";
  Node x = net.Embedding(embeddings + "word_embeddings", tokens, kBertVocabulary, size.width, kStd);
  x = net.AddInto(
      x, net.PositionEmbedding(embeddings + "position_embeddings", tokens, kBertPositions, size.width, kStd));
  x = net.AddInto(
      x, net.TypeEmbedding(embeddings + "token_type_embeddings", tokens, kBertTokenTypes, size.width, kStd));
  x = net.Dropout(net.LayerNorm(embeddings + "LayerNorm", x, kBertEpsilon), kDropout);
  for (int i = 0; i < size.layers; ++i) x = BertBlock(net, fmt::format("encoder.layer.{}", i), x, size);
  x = net.Linear("pooler.dense", net.SelectToken(x), {.out = size.width, .weight_std = kStd});
  x = net.Activation(LayerKind::kTanh, x);
  return net.Finish(net.FixedProjection("projection", x, request.classes));
}

/// The output layer is the embedding's table again.
Network BuildGpt2(const BuildRequest& request) {
  const bool medium = request.spec.name == "gpt2_medium";
  const TransformerSize size = medium ? TransformerSize{24, 1024, 16} : TransformerSize{12, 768, 12};
  NetworkBuilder net(request.spec.text, 0);
  net.network().loss = LossKind::kNextToken;
  const Node tokens = net.Tokens(request.sequence_length, kGptVocabulary);
  const Node table = net.Embedding("wte", tokens, kGptVocabulary, size.width, kStd);
  Node x = net.AddInto(table, net.PositionEmbedding("wpe", tokens, kGptPositions, size.width, kStd / 2));
  x = net.Dropout(x, kDropout);
  for (int i = 0; i < size.layers; ++i) x = GptBlock(net, fmt::format("h.{}", i), x, size);
  x = net.LayerNorm("ln_f", x, kGptEpsilon);
  return net.Finish(net.TiedLinear("lm_head", x, table));
}

Network BuildLlama(const BuildRequest& request) {
  const TransformerSize size{WholeNumber(request.spec, "layers", 8, 1),
                             WholeNumber(request.spec, "width", 512, 2),
                             WholeNumber(request.spec, "heads", 8, 1)};
  if (size.width % (2 * size.heads) != 0) {
    throw UsageError(
        fmt::format("a width of {} does not divide into {} heads of even size", size.width, size.heads),
        fmt::format("make width a multiple of {}", 2 * size.heads));
  }
  NetworkBuilder net(request.spec.text, 0);
  net.network().loss = LossKind::kNextToken;
  const Node tokens = net.Tokens(request.sequence_length, kLlamaVocabulary);
  Node x = net.Embedding("embed_tokens", tokens, kLlamaVocabulary, size.width, kStd);
  for (int i = 0; i < size.layers; ++i) x = LlamaBlock(net, fmt::format("layers.{}", i), x, size);
  x = net.RmsNorm("norm", x, kLlamaEpsilon);
  return net.Finish(net.Linear("lm_head", x, {.out = kLlamaVocabulary, .bias = false, .weight_std = kStd}));
}

}  // namespace stallscope
