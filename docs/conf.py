"""Sphinx's settings. `script/docs` builds the site; its pages load nothing from elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import dmlindex

sys.path.append(str(Path(__file__).parent / "_ext"))

project = "dmlindex"
author = "the dmlindex developers"
project_copyright = author
version = release = dmlindex.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_nb",
    "repository_pages",
    "notebook_files",
]
exclude_patterns = ["README.md", "_ext", "_templates"]  # README.md lists pages for a code host
root_doc = "index"
templates_path = ["_templates"]
highlight_language = "none"  # blocks that name none are commands and figures

default_role = "py:obj"
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # numpydoc's Parameters say more
autosummary_generate = True
autosummary_ignore_module_all = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence", "attrs_block"]
nb_execution_mode = "force"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_execution_show_tb = True
nb_merge_streams = True

html_theme = "pydata_sphinx_theme"
html_title = f"dmlindex {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_theme_options = {
    "logo": {"text": "dmlindex"},
    "header_links_before_dropdown": 7,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "tutorial": []}
