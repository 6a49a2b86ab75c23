"""DxDispatch's model files: run here what a Windows machine runs, and the other way round.

DxDispatch is Microsoft's program that runs single DirectML operators described in JSON.

Source: https://github.com/microsoft/DirectML/tree/master/DxDispatch
"""

from dmlindex.directml.dxdispatch.compare import Comparison, compare_model
from dmlindex.directml.dxdispatch.errors import DxDispatchError
from dmlindex.directml.dxdispatch.execute import Outcome, execute
from dmlindex.directml.dxdispatch.folders import InputFolders
from dmlindex.directml.dxdispatch.model import Model
from dmlindex.directml.dxdispatch.pack import conformance_pack, pack_of, save
from dmlindex.directml.dxdispatch.parse import parse_model
from dmlindex.directml.dxdispatch.writer import Case

__all__ = [
    "Case",
    "Comparison",
    "DxDispatchError",
    "InputFolders",
    "Model",
    "Outcome",
    "compare_model",
    "conformance_pack",
    "execute",
    "pack_of",
    "parse_model",
    "save",
]
