import cadquery as cq

# A plate of 130 x 40 x 8 mm, its top at z = 8, with four bores of 8.4 mm.
plate = cq.Workplane("XY", origin=(0, 8, 0)).box(130, 40, 8, centered=(True, True, False))
show_object(
    plate.cut(
        cq.Workplane("XY").pushPoints([(x, 0) for x in (-45, -20, 20, 45)]).circle(4.2).extrude(8)
    )
)
