"""Print what pyproject.toml requires, one requirement a line, for pip install --requirement.

usage: requirements.py GROUP...
A GROUP is an optional dependency ("demo") or a dependency group ("test"). The package's own
dependencies are always printed, and "build" brings the build system's.
"""

import sys
import tomllib
from pathlib import Path


def main(groups: list[str]) -> None:
    pyproject = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text())
    project = pyproject["project"]
    known = project["optional-dependencies"] | pyproject["dependency-groups"]
    requirements = set(project["dependencies"])
    for group in groups:
        if group not in known:
            sys.exit(f"pyproject.toml has no group {group!r}; it has {', '.join(sorted(known))}")
        requirements.update(known[group])
        if group == "build":
            requirements.update(pyproject["build-system"]["requires"])
    print("\n".join(sorted(requirements)))


if __name__ == "__main__":
    main(sys.argv[1:])
