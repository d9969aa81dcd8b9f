"""`python -m robocompiler`."""

import sys

from robocompiler.cli import main

sys.exit(main())
