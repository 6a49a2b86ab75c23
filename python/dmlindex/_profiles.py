"""Profiles: thresholds measured for a D3D12 adapter, in files of the user's cache folder.

A file is read when its device is opened, and written by `dmlindex devices --tune` alone. It decides
how fast calls are, never what they compute; one that is not as it should be is left alone, and the
defaults are used.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dmlindex import _core
from dmlindex._libraries import loaded

_MOST_BYTES = 1 << 16
_TUNE = "`python -m dmlindex devices --tune` measures anew"


@dataclass(frozen=True)
class Stack:
    """What thresholds are measured for: the hardware, and all that lies between it and kernels."""

    adapter: str
    driver: str
    libraries: tuple[str, ...]  # by name and size: D3D12's, vkd3d's or vkd3d-proton's

    @property
    def path(self) -> Path | None:
        """Where its profile is kept; None where the system says no place."""
        folder = cache_folder()
        if folder is None:
            return None
        key = json.dumps([self.adapter, self.driver, *self.libraries])
        return folder / f"{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"


@dataclass(frozen=True)
class Profile:
    """Thresholds that are not the defaults, and a word for people on where they are from."""

    thresholds: dict[str, int]
    origin: str
    problem: str = ""

    @property
    def in_words(self) -> str:
        return f"{self.origin}: {self.problem}" if self.problem else self.origin


def cache_folder() -> Path | None:
    """The folder of profiles, whether it is there or not."""
    variable = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_CACHE_HOME"
    named = Path(os.environ.get(variable, ""))
    if not named.is_absolute():
        try:
            named = Path.home() / ".cache"
        except RuntimeError:
            return None
    return named / "dmlindex" / "profiles"


def stack_of(adapter: str, driver: str) -> Stack:
    """Of an adapter of this process, which has loaded D3D12."""
    return Stack(adapter, driver, tuple(_identity(path) for path in loaded("vkd3d", "d3d12")))


def _identity(path: str) -> str:
    try:
        return f"{Path(path).name}, {Path(path).stat().st_size} bytes"
    except OSError:  # a copy in memory
        return Path(path).name


def profile_of(adapter: str, driver: str) -> Profile:
    """The adapter's profile, if there is a sound one. Never raises for what a file holds."""
    folder = cache_folder()
    if folder is None or not folder.is_dir():
        return Profile({}, "default thresholds")
    stack = stack_of(adapter, driver)
    path = stack.path
    try:
        if path is None or not path.exists():
            return Profile({}, "default thresholds")
        return Profile(_thresholds(_read(path), stack), f"thresholds of {path}")
    except (OSError, ValueError, RecursionError) as error:
        why = str(error).splitlines()[0] if str(error) else type(error).__name__
        problem = f"{path} is no sound profile ({why[:200]}), and is left alone; {_TUNE}"
        return Profile({}, "default thresholds", problem)


def _read(path: Path) -> Any:
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("no regular file")
    with path.open("rb") as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise ValueError(f"more than {_MOST_BYTES} bytes")
    return json.loads(data.decode("utf-8"))


def _thresholds(found: Any, stack: Stack) -> dict[str, int]:
    if not isinstance(found, dict) or not isinstance(found.get("thresholds"), dict):
        raise ValueError("it has no thresholds")
    if [found.get(name) for name in ("adapter", "driver", "libraries")] != [
        stack.adapter,
        stack.driver,
        list(stack.libraries),
    ]:
        raise ValueError("it is of another adapter, driver or library")
    thresholds: dict[str, int] = found["thresholds"]
    known = _core.d3d12_thresholds()
    for name, value in thresholds.items():
        if name not in known:
            raise ValueError(f"no threshold is named {name!r}")
        _, least, most = known[name]
        if type(value) is not int or not least <= value <= most:
            raise ValueError(f"{name} is {value!r:.40}, expected a number from {least} to {most}")
    return thresholds


def text_of(stack: Stack, thresholds: dict[str, int], measured: Any) -> str:
    """A profile as its file has it. measured: the times that speak for it, for people."""
    found = {
        "adapter": stack.adapter,
        "driver": stack.driver,
        "libraries": stack.libraries,
        "thresholds": thresholds,
        "measured": measured,
    }
    return json.dumps(found, indent=1) + "\n"


def thresholds_of(adapter: str, driver: str) -> dict[str, int]:
    """What a device takes when it is opened."""
    profile = profile_of(adapter, driver)
    if profile.problem:
        warnings.warn(profile.problem, RuntimeWarning, stacklevel=2)
    return profile.thresholds
