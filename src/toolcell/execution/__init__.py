"""One run from request to outcome: limits, the gate on tool calls, the verdict.

Above it are the front ends, which parse and render; below it the workers, which step cells. It knows the
upstreams only through its ports.
"""
