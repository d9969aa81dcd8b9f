import cadquery as cq

# A finger of 41 x 86 x 8 mm, hanging along -y from two pins of 8 mm, 25 mm apart, on washers of
# 0.5 mm.
ENDS = [(-12.5, 0), (12.5, 0)]
blade = cq.Workplane("XY", origin=(0, -35, 0.5)).box(41, 86, 8, centered=(True, True, False))
washers = cq.Workplane("XY").pushPoints(ENDS).circle(6).extrude(0.5)
pins = cq.Workplane("XY", origin=(0, 0, -8)).pushPoints(ENDS).circle(4).extrude(8)
show_object(blade.union(washers).union(pins))
