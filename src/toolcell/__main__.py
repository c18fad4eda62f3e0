"""The ``toolcell`` command."""

from toolcell.cli import main

if __name__ == "__main__":
    main()
