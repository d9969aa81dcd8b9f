import cadquery as cq

# A plate of 160 x 40 x 8 mm, its top at z = 8, with two bores of 8.4 mm, 100 mm apart.
plate = cq.Workplane("XY", origin=(50, 0, 0)).box(160, 40, 8, centered=(True, True, False))
show_object(plate.cut(cq.Workplane("XY").pushPoints([(0, 0), (100, 0)]).circle(4.2).extrude(8)))
