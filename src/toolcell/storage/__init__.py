"""What outlives a process: records of runs and calls, and decisions about tools, in SQLite under the data dir.

Implements ports of ``toolcell.execution``; knows no upstream and no front end. Opened by bootstrap, and only
when something is to be kept: a pure program never loads SQLite.
"""
