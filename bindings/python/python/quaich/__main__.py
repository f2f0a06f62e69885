"""`python -m quaich`: the program."""

import sys

from quaich._program import main

sys.exit(main())
