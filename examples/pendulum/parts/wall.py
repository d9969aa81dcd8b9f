import cadquery as cq

# A plate of 120 x 10 x 120 mm behind y = 0, with a bore of 8.4 mm along y.
plate = cq.Workplane("XY", origin=(0, 5, 0)).box(120, 10, 120)
show_object(plate.cut(cq.Workplane("XZ", origin=(0, 10, 0)).circle(4.2).extrude(10)))
