"""The figures of generated code."""
