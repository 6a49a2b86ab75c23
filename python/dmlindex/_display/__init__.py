"""Pictures and tables for notebooks: `dmlindex.draw` and what `_repr_html_` shows.

Nothing here is imported by `import dmlindex`, and nothing here needs more than NumPy. Every text
that a user can put in goes through `text.escape`.
"""
