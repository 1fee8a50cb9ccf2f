#pragma once

#include <ostream>

#include "app/manual/command_tree.h"

namespace stallscope {

/// stallscope(1): every command with its flags, in the macros of man(7).
void WriteManPage(const CommandText& program, std::ostream& out);

}  // namespace stallscope
