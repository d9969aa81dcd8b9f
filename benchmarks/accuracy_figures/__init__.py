"""What `accuracy.py` measures: states, who is judged at them, and the rows."""
