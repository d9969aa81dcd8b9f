import cadquery as cq

# A plate of 200 x 50 x 8 mm, its top at z = 8, with a bore of 8.4 mm and a slot of 110 x 10.4 mm.
plate = cq.Workplane("XY", origin=(70, 0, 0)).box(200, 50, 8, centered=(True, True, False))
bore = cq.Workplane("XY").circle(4.2).extrude(8)
slot = cq.Workplane("XY", origin=(100, 0, 0)).box(110, 10.4, 8, centered=(True, True, False))
show_object(plate.cut(bore).cut(slot))
