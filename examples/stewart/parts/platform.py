from math import cos, radians, sin

import cadquery as cq

# A plate of 760 mm at z = 20 to 55 on six sockets: cups of 54 mm, 0.5 mm clear of the balls of
# 36 mm.
ANCHORS = [(350 * cos(radians(a)), 350 * sin(radians(a))) for a in (-50, 50, 70, 170, 190, 290)]
plate = cq.Workplane("XY", origin=(0, 0, 20)).circle(385).extrude(35)
cups = cq.Workplane("XY", origin=(0, 0, 3)).pushPoints(ANCHORS).circle(27).extrude(17)
balls = cq.Workplane("XY").pushPoints(ANCHORS).sphere(18.5)
show_object(plate.union(cups).cut(balls))
