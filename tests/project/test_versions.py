"""What a bug report says: `dmlindex.show_versions()` and the command `versions`."""

from __future__ import annotations

import json
import os
import platform
from typing import Any

import numpy as np
import pytest

import dmlindex
from dmlindex import _core, _devices, _versions
from dmlindex.cli import main


def report(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    assert main(["versions", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_all_that_matters_is_in_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DMLINDEX_D3D12_DEBUG", "")
    monkeypatch.setenv("VK_LOADER_DEBUG", "none")
    monkeypatch.setenv("MY_SECRET", "hunter2")
    found = report(capsys)
    assert found["dmlindex"] == dmlindex.__version__
    assert found["python"].startswith(platform.python_version())
    assert found["numpy"] == np.__version__
    assert found["kernels"] == _core.cpu_isa()
    assert found["threads"] == dmlindex.get_num_threads()
    assert found["thread_library"].startswith(_core.thread_library())
    assert [info["name"] for info in found["devices"]] == [i.name for i in dmlindex.devices()]
    assert found["environment"]["DMLINDEX_D3D12_DEBUG"] == ""
    assert found["environment"]["VK_LOADER_DEBUG"] == "none"
    assert "hunter2" not in json.dumps(found)
    if any(info.available and info.kind == "d3d12" for info in dmlindex.devices()):
        assert any("d3d12" in each or "vkd3d" in each for each in found["d3d12_libraries"])


def test_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    dmlindex.show_versions()
    told = capsys.readouterr().out
    assert main(["versions"]) == 0
    assert capsys.readouterr().out == told
    for line in ("dmlindex", "Python", "NumPy", "kernels", "threads", "D3D12", "cpu"):
        assert f"\n{line} " in f"\n{told}"
    for info in dmlindex.devices():
        assert (info.description if info.available else info.reason) in told


def test_it_never_raises(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("the driver is gone")

    for name in ("cpu_isa", "cpu_isas", "get_num_threads"):
        monkeypatch.setattr(_core, name, broken)
    monkeypatch.setattr(_versions, "devices", broken)
    told = _versions.in_words(_versions.versions())
    assert told.count("the driver is gone") == 4


def test_devices_where_the_system_does_not_tell_its_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """os.sysconf is POSIX's alone, and not every system has each name."""
    monkeypatch.delattr(os, "sysconf")
    assert _devices.devices()[0].memory_bytes == 0
    monkeypatch.setattr(
        os, "sysconf", {"SC_PHYS_PAGES": -1, "SC_PAGE_SIZE": 4096}.get, raising=False
    )
    assert _devices.devices()[0].memory_bytes == 0
