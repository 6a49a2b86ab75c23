"""`dmlindex devices --tune`: measures every D3D12 device, and keeps what it found."""

from __future__ import annotations

from dataclasses import asdict

import dmlindex
from dmlindex import _core
from dmlindex.cli import files
from dmlindex.cli.errors import CommandError, printable, reason


def tune() -> None:
    """CommandError where there is no device to measure, or no place to keep a profile."""
    from dmlindex._profiles import stack_of, text_of
    from dmlindex._tuning import tune as measure

    adapters, missing = _core.d3d12_adapters()
    if not adapters:
        raise CommandError(f"devices: there is no D3D12 device to tune: {missing}")
    for number, (adapter, driver, _, _) in enumerate(adapters):
        stack = stack_of(adapter, driver)
        path = stack.path
        if path is None:
            raise CommandError("devices: no folder for the profile; set XDG_CACHE_HOME to one")
        try:
            device = dmlindex.Device(f"d3d12:{number}")
            if _core.d3d12_binding(device.name) == "root":
                raise CommandError(
                    f"devices: {device.name} binds by root descriptors, where a call has but one "
                    "kernel: there is nothing to tune"
                )
            found = measure(device)
        except (dmlindex.DeviceError, MemoryError) as error:
            raise CommandError(f"devices: d3d12:{number} cannot be tuned: {error}") from None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise CommandError(f"{printable(path.parent)}: {reason(error)}") from None
        thresholds = {one.threshold: one.value for one in found}
        with files.replacing(path) as file:
            file.write(text_of(stack, thresholds, [asdict(one) for one in found]).encode())
