import cadquery as cq

# A ball of 36 mm at the origin and a rod of 24 mm, 458 mm down from it: at the shortest it ends
# 2 mm over the foot.
ball = cq.Workplane("XY").sphere(18)
rod = cq.Workplane("XY", origin=(0, 0, -458)).circle(12).extrude(458)
show_object(ball.union(rod))
