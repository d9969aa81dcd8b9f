"""Mechanisms with a known answer, as functions that return a `Mechanism` drawn closed.

Drivers are marked by an `effort`; most builders take `ground`, a `Pose` at which the whole stands
in the world. The zero of every joint lies on its bodies whatever is drawn, so that
`drawn_values(builder(other arguments))` is the closed form of the same mechanism moved.

drawing             `Drawing` and its poses `at`, `planar`, `axis`, `turn`; of any mechanism
                    `rounded` (frames to 6 decimals), `cut_at` (chosen cuts), `driven_by`,
                    `starting_at`, `drawn_values`
planar              `four_bar_of(bars, crank, branch)` with `GRASHOF`, `four_bar_solution`,
                    `crank_range` (its toggles); `slider_crank`, `slider_solution`; `five_bar`,
                    `five_bar_solution`; `braced_parallelogram` (redundant); `meet` (two circles)
planar_parallel     `three_rpr(assembly)` with `three_rpr_assemblies` (six, by elimination);
                    `three_rrr(pose, elbows=…)`, `three_rrr_angles`
many_loops          `scissor_lift(loops)`, `module_chain(modules)`, `ackermann(steer)`,
                    `ackermann_angle`
overconstrained     `bennett`, `bricard` (trihedral), `line_symmetric_bricard`, `sarrus`, and
                    `bennett_angles`, `bricard_angles`, `sarrus_height`; `hinged_loop` by DH
spatial             `delta(position)`, `delta_angles`; `differential(bearings=…)`
                    by its gears, `summing_differential` by cage = (left + right) / 2;
                    `loop_with(kind)` for each of `KINDS`: one loop of mobility 1 with that joint
stewart             `stewart(pose, dimensions, tree_ball, kind, limits, chart)`, `variants()` (the
                    twelve of C1), `task_pose(t)` (A.1), `leg_values(pose, dimensions)`
excavator           `excavator(Posture(…))`, `JOINT_SPACE`, `CYLINDER_SPACE`, `DRIVES`
crane               `crane(Strokes(…))`, `crane_solution(lift, fold)`, `ACTIVE`, `PASSIVE`
robots              `kangaroo(floating, soles, motors, …)`, `KANGAROO_MOTORS`, `KANGAROO_HOME`;
                    `go2(feet, base=…, legs=…, chart)`, `FEET`, `SUPPORTS` (eleven); `panda(tool)`;
                    skip without records
go2_gait            `gait(index)`: Go2's reference motion (A.4), base and legs in closed form
moving              states of motion of claims C3 and C9, and how their closures come `apart`
known               every mechanism with its count (`TABLE`), where it moves (`MOVES`), and what
                    rounding opens (`ROUNDED`)
papers_table        table 3.1: what is counted and what it must be
records, closing    what reads and closes those records; `plane_parts` pins and cylinders
"""
