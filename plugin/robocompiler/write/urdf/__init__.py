"""URDF, of ROS: the tree as links and joints, its loops beside it."""
