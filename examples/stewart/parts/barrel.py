import cadquery as cq

# A tube of 44 mm, 24.8 mm inside, from z = 40 to z = 460.
show_object(cq.Workplane("XY", origin=(0, 0, 40)).circle(22).circle(12.4).extrude(420))
