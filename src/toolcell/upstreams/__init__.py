"""Real MCP servers behind one call: sessions, limits, results, catalogs.

Above it is bootstrap, which wires it to the ports of execution; below it are values. Everything that needs the
MCP SDK is imported when the first call needs it.
"""
