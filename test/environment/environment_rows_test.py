# SPDX-License-Identifier: MIT
# What environment_rows.py finds, and what it lets pass.
import unittest

import environment_rows

TABLE = ("runtime/environment.cpp", 'Variable{.name = "TILE_JOBS"}; std::getenv("x"); extern char **environ;')
READER = ("compiler/devices/devices.cpp", "return environment::jobs();")


def findings(*files):
    return list(environment_rows.check(files))


class EnvironmentRows(unittest.TestCase):
    def test_complete_table(self):
        self.assertEqual(findings(TABLE, READER), [])

    def test_row_that_nothing_reads(self):
        test = ("test/unit/x.cpp", "environment::jobs();")
        self.assertEqual(
            findings(TABLE, test), ["runtime/environment.cpp: nothing reads TILE_JOBS: no call of environment::jobs()"]
        )

    def test_variable_without_a_row(self):
        self.assertEqual(
            findings(TABLE, READER, ("kernels/x.cpp", 'read("TILE_TUNE")')),
            ["kernels/x.cpp: TILE_TUNE has no row in runtime/environment.cpp"],
        )

    def test_other_readers(self):
        self.assertEqual(len(findings(TABLE, READER, ("runtime/x.cpp", 'getenv("HOME")'))), 1)
        self.assertEqual(findings(TABLE, READER, ("test/x.cpp", 'getenv("HOME")')), [])

    def test_table_in_another_form(self):
        self.assertEqual(len(findings(("runtime/environment.cpp", "{}"))), 1)


unittest.main()
