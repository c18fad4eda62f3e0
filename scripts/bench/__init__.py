"""What ``scripts/bench.py`` measures: one module for each kind of row, and the parts they share.

``sampling`` takes the time, ``rows`` holds what was found, ``table`` shows it. The other modules return rows and know
nothing of each other. Nothing here is part of the package.
"""
