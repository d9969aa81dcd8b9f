"""`python -m robocompiler`."""

import sys

from robocompiler.cli.main import main

sys.exit(main())
