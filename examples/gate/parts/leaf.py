import cadquery as cq

# A panel of 800 x 12 x 700 mm, 1 mm above the seat, on a barrel with a pin of 8 mm below it.
panel = cq.Workplane("XY", origin=(0, 0, 1)).box(800, 12, 700, centered=(False, True, False))
barrel = cq.Workplane("XY").circle(8).extrude(701)
pin = cq.Workplane("XY", origin=(0, 0, -10)).circle(4).extrude(10)
show_object(panel.union(barrel).union(pin))
