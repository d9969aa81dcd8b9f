import cadquery as cq

# A block of 30 x 30 x 8 mm over the plate, 0.5 mm clear of it, with a keel of 10 mm down into
# the slot.
block = cq.Workplane("XY", origin=(0, 0, 0.5)).box(30, 30, 8, centered=(True, True, False))
keel = cq.Workplane("XY", origin=(0, 0, -8)).box(30, 10, 8.5, centered=(True, True, False))
bore = cq.Workplane("XY").circle(4.2).extrude(8.5)
show_object(block.union(keel).cut(bore))
