"""`python -m quaich`: the program."""

import sys

from quaich._program import main

if __name__ == "__main__":
    sys.exit(main())
