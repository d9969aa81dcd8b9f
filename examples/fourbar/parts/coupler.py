import cadquery as cq

# A bar of 120 mm from pin to pin (below, 8 mm thick), 8 mm high on washers of 0.5 mm.
LENGTH = 120
ENDS = [(0, 0), (LENGTH, 0)]
bar = cq.Workplane("XY", origin=(LENGTH / 2, 0, 0.5)).slot2D(LENGTH + 16, 16).extrude(8)
washers = cq.Workplane("XY").pushPoints(ENDS).circle(7).extrude(0.5)
pins = cq.Workplane("XY", origin=(0, 0, -8)).pushPoints(ENDS).circle(4).extrude(8)
show_object(bar.union(washers).union(pins))
