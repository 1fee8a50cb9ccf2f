"""Files that are compiled as one (cmake/unity_groups.py) must not take each other's private names."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def groups(files, size=24):
    """The groups, as sets of names, of files given as {name: text}."""
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for name, text in files.items():
            paths.append(pathlib.Path(folder) / name)
            paths[-1].write_text(text)
        command = [sys.executable, "-B", str(SOURCE / "cmake/unity_groups.py"), str(size), *map(str, paths)]
        lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    found = {}
    for line in lines:
        group, path = line.split(";")
        found.setdefault(group, set()).add(pathlib.Path(path).name)
    return list(found.values())


def private(declaration):
    return f"namespace stallscope {{\nnamespace {{\n{declaration}\n}}\nvoid Public();\n}}\n"


class Groups(unittest.TestCase):
    def test_strangers_are_compiled_together(self):
        self.assertEqual(groups({"a.cpp": private("int One() { return 1; }"),
                                 "b.cpp": private("int Two() { return 2; }")}), [{"a.cpp", "b.cpp"}])

    def test_a_group_has_a_size(self):
        files = {f"{index}.cpp": private(f"int Name{index}();") for index in range(5)}
        self.assertEqual([len(group) for group in groups(files, 2)], [2, 2, 1])

    def test_files_with_the_same_private_name_are_kept_apart_whatever_it_names(self):
        for one, other in [("int Twin() { return 1; }", "double Twin(int) { return 2; }"),
                           ("constexpr int kTwin = 3;", "const std::map<int, int> kTwin{{1, 2}};"),
                           ("struct Twin { int a; };", "enum class Twin { kOne };"),
                           ("using Twin = std::function<void(int)>;", "class Twin final : public Other {};"),
                           ("template <typename T> std::vector<T> Twin(const T& t);", "const Twins Twin(3);"),
                           ("// struct Other {\nint Twin();", 'const char* kText = "}"; int Twin();')]:
            with self.subTest(one):
                self.assertEqual(len(groups({"a.cpp": private(one), "b.cpp": private(other)})), 2)

    def test_a_private_name_that_another_files_header_declares_keeps_them_apart(self):
        reader = '#include "stallscope/base/error.h"\n'  # declares class Error
        self.assertEqual(len(groups({"a.cpp": private("struct Error {};"), "b.cpp": reader})), 2)
        self.assertEqual(len(groups({"a.cpp": private("struct Errors {};"), "b.cpp": reader})), 1)


if __name__ == "__main__":
    unittest.main()
