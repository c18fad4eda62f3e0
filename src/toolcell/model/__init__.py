"""The values every layer shares: codes, requests, limits, calls and outcomes.

Plain frozen data with no behaviour beyond its own rendering. This package imports nothing of ours, and
nothing that costs start-up time.
"""
