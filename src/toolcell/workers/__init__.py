"""Stepping cells: a run's turns under its deadline, and the loop that takes them.

Below it is the sandbox, above it execution, which it reaches only through its own port. A worker knows no
tenant, no policy and no upstream.
"""
