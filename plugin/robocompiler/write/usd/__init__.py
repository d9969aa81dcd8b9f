"""USD, with its physics: what Isaac, Newton and MuJoCo read."""
