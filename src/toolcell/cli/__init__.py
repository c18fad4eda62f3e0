"""The ``toolcell`` command line: arguments in, the answer alone on stdout, an exit code out."""
