import cadquery as cq

# The knuckle of the universal joint, a sphere of 20 mm, and a foot of 44 mm up to the barrel at
# z = 40.
knuckle = cq.Workplane("XY").sphere(10)
neck = cq.Workplane("XY").circle(6).extrude(25)
foot = cq.Workplane("XY", origin=(0, 0, 25)).circle(22).extrude(15)
show_object(knuckle.union(neck).union(foot))
