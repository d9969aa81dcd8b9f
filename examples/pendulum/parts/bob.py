import cadquery as cq

# A disc of 80 mm, 20 mm thick, in front of y = 0.
show_object(cq.Workplane("XZ").circle(40).extrude(20))
