# SPDX-License-Identifier: MIT
# The text tests that somebody asked for. A module of its own, because lit's workers find classes by module.
import lit.formats


class ChosenTests(lit.formats.ShTest):
    """All tests, or those with the text of `--param filter=TEXT` in their names."""

    def getTestsInDirectory(self, suite, path, lit_config, config):
        text = lit_config.params.get("filter", "")
        for test in super().getTestsInDirectory(suite, path, lit_config, config):
            if text in test.getFullName():
                yield test
