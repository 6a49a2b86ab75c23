"""DxDispatch's model files: run here what a Windows machine runs, and the other way round.

DxDispatch is Microsoft's program that runs single DirectML operators described in JSON.

Source: https://github.com/microsoft/DirectML/tree/master/DxDispatch
"""

from dmlindex.directml.dxdispatch.errors import DxDispatchError
from dmlindex.directml.dxdispatch.execute import Outcome, execute
from dmlindex.directml.dxdispatch.folders import InputFolders
from dmlindex.directml.dxdispatch.model import Model
from dmlindex.directml.dxdispatch.parse import parse_model

__all__ = ["DxDispatchError", "InputFolders", "Model", "Outcome", "execute", "parse_model"]
