"""The operators' names: functions, their positional parameters, and those of descriptors."""

from __future__ import annotations

PARAMETERS = {
    "gather": ("input", "indices", "axis"),
    "gather_elements": ("input", "indices", "axis"),
    "gather_nd": ("input", "indices", "batch_dims"),
    "scatter_elements": ("input", "indices", "updates", "axis"),
    "scatter_nd": ("input", "indices", "updates"),
}
ARRAYS = ("input", "indices", "updates")

# The function that computes what an operator desc does.
FUNCTIONS = {
    "GATHER": "gather",
    "GATHER_ELEMENTS": "gather_elements",
    "GATHER_ND": "gather_nd",
    "GATHER_ND1": "gather_nd",
    "SCATTER_ELEMENTS": "scatter_elements",
    "SCATTER_ND": "scatter_nd",
}
