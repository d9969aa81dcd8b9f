"""SDFormat: links and joints where they stand, loops and all."""
