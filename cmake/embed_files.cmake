# Writes a C++ file that holds other files as text:
#   cmake -DROOT=... -DFILES=a.py;b/c.py -DHEADER=stallscope/hook/hook_files.h -DFUNCTION=HookFiles -DOUTPUT=...
#         -P embed_files.cmake
# FUNCTION is declared in HEADER as std::span<const EmbeddedFile> FUNCTION(). The text is constant data: nothing
# is copied or built when the program starts.
set(text "// Written by cmake/embed_files.cmake.\n#include \"${HEADER}\"\n\n")
# The suffix takes the length from the compiler: counting a long text is more than a constant expression may do.
string(APPEND text "namespace stallscope {\n\nusing std::string_view_literals::operator\"\"sv;\n\nstd::span<const EmbeddedFile> ${FUNCTION}() {\n")
string(APPEND text "  static constexpr EmbeddedFile kFiles[] = {\n")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} content)
  string(APPEND text "      {\"${file}\", R\"EMBEDDED(${content})EMBEDDED\"sv},\n")
endforeach()
string(APPEND text "  };\n  return kFiles;\n}\n\n}  // namespace stallscope\n")
file(WRITE ${OUTPUT} "${text}")
