#pragma once

#include <ostream>

#include "app/manual/command_tree.h"

namespace stallscope {

// Scripts for the shells: commands, flags with their help, and values where they are known or are files.

void WriteBashCompletion(const CommandText& program, std::ostream& out);
void WriteZshCompletion(const CommandText& program, std::ostream& out);
void WriteFishCompletion(const CommandText& program, std::ostream& out);

}  // namespace stallscope
