"""The dynamics against the papers' figures."""
