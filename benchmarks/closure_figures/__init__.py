"""What `closure.py` measures, a file for each kind of claim."""
