from math import cos, radians, sin

import cadquery as cq

# A plate of 1300 mm, its top 30 mm below the anchors, and a pedestal of 40 mm to 12 mm below
# each anchor.
ANCHORS = [(550 * cos(radians(a)), 550 * sin(radians(a))) for a in (-10, 10, 110, 130, 230, 250)]
plate = cq.Workplane("XY", origin=(0, 0, -60)).circle(650).extrude(30)
pedestals = cq.Workplane("XY", origin=(0, 0, -30)).pushPoints(ANCHORS).circle(20).extrude(18)
show_object(plate.union(pedestals))
