#pragma once

#include <span>
#include <string_view>

namespace stallscope {

/// A parser, or several of a kind, that takes any bytes. What it throws beside Error and BadSample is a
/// finding, and so is what the sanitizers and the clock say.
struct FuzzTarget {
  std::string_view name;  ///< of its folders in tests/fuzz/corpus and tests/fuzz/regressions
  void (*parse)(std::string_view bytes);
};

std::span<const FuzzTarget> FuzzTargets();

/// Null where there is none of that name.
const FuzzTarget* FindFuzzTarget(std::string_view name);

/// Refusing bytes with a sentence is right; everything else is passed on.
void Parse(const FuzzTarget& target, std::string_view bytes);

// documents.cpp
void ParseAnyDocument(std::string_view bytes);
void ParseCard(std::string_view bytes);
void ParseJournal(std::string_view bytes);
// tables.cpp
void ParseCatalog(std::string_view bytes);
void ParsePrices(std::string_view bytes);
void ParseMeasurements(std::string_view bytes);
void ParseSteps(std::string_view bytes);
// machine_files.cpp
void ParseMachineFiles(std::string_view bytes);
// samples.cpp
void ParseJpeg(std::string_view bytes);
void ParseTokens(std::string_view bytes);
// words.cpp
void ParseWords(std::string_view bytes);
// records.cpp
void ParseRecords(std::string_view bytes);
// visitors.cpp
void ParseMeeting(std::string_view bytes);

}  // namespace stallscope
