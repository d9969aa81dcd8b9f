import cadquery as cq

# An arm of 20 x 6 x 300 mm in front of y = 0, from 15 mm above the pivot to 285 mm below, and a
# pin of 8 mm, 10 mm long.
arm = cq.Workplane("XY", origin=(0, -3.5, -135)).box(20, 6, 300)
pin = cq.Workplane("XZ", origin=(0, 9.5, 0)).circle(4).extrude(10)
show_object(arm.union(pin))
