"""What a call or a descriptor means: index algebra, NumPy's idiom, other libraries, rules, plan.

`elsewhere.py` is the one place that knows how other libraries differ: `dmlindex.testing.peers`
reads it too. Nothing here is imported by `import dmlindex`.
"""
