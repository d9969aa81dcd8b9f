import cadquery as cq

# A bar of 40 mm from the pin (below, 8 mm thick) to the bore (8.4 mm), 8 mm high on a washer of
# 0.5 mm.
LENGTH = 40
bar = cq.Workplane("XY", origin=(LENGTH / 2, 0, 0.5)).slot2D(LENGTH + 16, 16).extrude(8)
washer = cq.Workplane("XY").circle(7).extrude(0.5)
pin = cq.Workplane("XY", origin=(0, 0, -8)).circle(4).extrude(8)
bore = cq.Workplane("XY", origin=(LENGTH, 0, 0)).circle(4.2).extrude(9)
show_object(bar.union(washer).union(pin).cut(bore))
