#include "app/manual/man_page.h"

#include <fmt/format.h>

#include <algorithm>

namespace stallscope {
namespace {

/// Text as roff takes it: hyphens that can be copied, and no line that begins with a command.
std::string Roff(const std::string& text) {
  std::string escaped;
  bool at_begin = true;
  for (const char c : text) {
    if (at_begin && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
    at_begin = c == '\n';
  }
  return escaped;
}

/// One argument of a macro: quotes in it are doubled.
std::string Quoted(const std::string& text) {
  std::string doubled;
  for (const char c : Roff(text)) doubled += c == '"' ? "\"\"" : std::string(1, c);
  return '"' + doubled + '"';
}

std::string NamesOf(const OptionText& option) {
  std::string names;
  for (const std::string& name : option.names) names += (names.empty() ? "" : ", ") + name;
  return option.TakesValue() ? names + " " + option.value : names;
}

class ManPage {
 public:
  explicit ManPage(std::ostream& out) : out_(out) {}

  void Write(const CommandText& program) {
    out_ << ".\\\" Written by `stallscope manual` from the commands' own flags.\n";
    out_ << ".TH STALLSCOPE 1 \"\" \"stallscope " STALLSCOPE_VERSION "\" \"User Commands\"\n";
    Section("NAME", "stallscope - measures and predicts where distributed training waits");
    out_ << ".SH SYNOPSIS\n.B stallscope\n.I COMMAND\n[\\fIOPTION\\fR]...\n";
    out_ << ".SH DESCRIPTION\n"
         << Roff(program.summary) << '\n'
         << ".PP\nEvery number carries a 95 % interval, and says whether it was measured, published or "
            "predicted.\n";
    out_ << ".SH COMMANDS\n";
    for (const CommandText& command : program.commands) {
      out_ << ".TP\n.B " << Quoted(command.name) << '\n' << Roff(command.summary) << '\n';
    }
    out_ << ".SH OPTIONS\n";
    for (const OptionText& option : program.options) Option(option);
    for (const CommandText& command : program.commands) Command(command);
    Section(
        "EXIT STATUS",
        "0 done; 1 failed; 2 wrong usage; 3 no choice satisfies the constraints; 4 a threshold was missed; "
        "130 and 143 interrupted, with what was measured so far kept.");
    out_ << ".SH ENVIRONMENT\n";
    Variable("STALLSCOPE_ENGINE", "the program stallscope-engine, where it is not beside this one");
    Variable("STALLSCOPE_STORE", "the folder of kept documents");
    Variable("NO_COLOR", "set: no colours");
  }

 private:
  void Section(const std::string& title, const std::string& text) {
    out_ << ".SH " << Quoted(title) << '\n' << Roff(text) << '\n';
  }

  void Variable(const std::string& name, const std::string& text) {
    out_ << ".TP\n.B " << Quoted(name) << '\n' << Roff(text) << '\n';
  }

  void Option(const OptionText& option) {
    out_ << ".TP\n.B " << Quoted(NamesOf(option)) << '\n' << Roff(option.help) << '\n';
  }

  void Command(const CommandText& command) {
    std::string title = command.full;
    std::transform(title.begin(), title.end(), title.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    out_ << ".SH " << Quoted(title) << '\n' << Roff(command.summary) << "\n.PP\n";
    out_ << ".B " << Quoted(command.full) << '\n' << "[\\fIOPTION\\fR]...";
    for (const OptionText& positional : command.positionals)
      out_ << " \\fI" << Roff(positional.value) << "\\fR";
    if (!command.commands.empty()) out_ << " \\fICOMMAND\\fR";
    out_ << '\n';
    for (const OptionText& positional : command.positionals) Option(positional);
    std::string group;
    for (const OptionText& option : command.options) {
      if (option.group != group && option.group != "Options") out_ << ".SS " << Quoted(option.group) << '\n';
      group = option.group;
      Option(option);
    }
    if (!command.footer.empty()) out_ << ".PP\n.nf\n" << Roff(command.footer) << "\n.fi\n";
    for (const CommandText& inner : command.commands) Command(inner);
  }

  std::ostream& out_;
};

}  // namespace

void WriteManPage(const CommandText& program, std::ostream& out) {
  ManPage(out).Write(program);
}

}  // namespace stallscope
