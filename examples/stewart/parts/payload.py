import cadquery as cq

# A drum of 260 mm, 220 mm high.
show_object(cq.Workplane("XY").circle(130).extrude(220))
