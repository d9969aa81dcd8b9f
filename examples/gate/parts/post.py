import cadquery as cq

# A post of 40 x 40 x 1000 mm with a bracket at z = 90..100 that the leaf stands on.
post = cq.Workplane("XY").box(40, 40, 1000, centered=(True, True, False))
bracket = cq.Workplane("XY", origin=(10, 0, 90)).box(50, 20, 10, centered=(False, True, False))
hole = cq.Workplane("XY", origin=(50, 0, 90)).circle(4.2).extrude(10)
show_object(post.union(bracket).cut(hole))
