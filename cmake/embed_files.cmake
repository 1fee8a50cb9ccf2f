# Writes a C++ file that holds other files as text:
#   cmake -DROOT=... -DFILES=a.py;b/c.py -DOUTPUT=... -P embed_files.cmake
set(text "// Written by cmake/embed_files.cmake.\n#include \"stallscope/hook/hook_files.h\"\n\n")
string(APPEND text "namespace stallscope {\n\nconst std::vector<HookFile>& HookFiles() {\n")
string(APPEND text "  static const std::vector<HookFile> files = {\n")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} content)
  string(APPEND text "      {\"${file}\", R\"HOOKFILE(${content})HOOKFILE\"},\n")
endforeach()
string(APPEND text "  };\n  return files;\n}\n\n}  // namespace stallscope\n")
file(WRITE ${OUTPUT} "${text}")
