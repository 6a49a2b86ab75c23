"""A Python of its own that has a device, a tensor and an operator from the start."""

import os
import subprocess
import sys


def lines(code: str, **environment: str) -> list[str]:
    """What a Python of its own prints."""
    start = """
import numpy as np, os, dmlindex
from dmlindex import DataType, Device, DeviceError, GatherOperatorDesc, TensorDesc, _core

def say(*uses):
    for use in uses:
        try:
            print("ok", use())
        except Exception as error:
            print(type(error).__name__, error, flush=True)

X = np.arange(6, dtype=np.float32).reshape(3, 2)
x, i, y = TensorDesc(DataType.FLOAT32, [3, 2]), TensorDesc(DataType.INT64, [1, 1]), None
desc = GatherOperatorDesc(x, i, TensorDesc(DataType.FLOAT32, [1, 2]), 0, 1)
device = Device("d3d12")
tensor = device.tensor(X)
operator = device.compile(desc)
"""
    result = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", start + code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert result.stderr == ""
    return result.stdout.strip().split("\n")
