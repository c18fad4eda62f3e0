"""toolcell runs the programs agents write, each in a fresh WebAssembly cell."""

__version__ = "0.1.0"
