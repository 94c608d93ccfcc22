# Prints a program whose loop passes N buffers round, so that which of them are
# free at its end is known at run time alone, and the list to look through has 2 N.
#
# Requires N of at least 1.
"""rotate.py N"""

import sys

count = int(sys.argv[1])
names = range(count)
tensor = "tensor<4xf32>"
types = ", ".join([tensor] * count)
print('shardir.mesh @m <["x"=2]>')
print(f'func.func @main(%a: {tensor} {{shardir.placement = #shardir.placement<@m, [{{"x"}}]>}}) -> {tensor} {{')
for name, value in (("c0", 0), ("c1", 1), ("c3", 3)):
    print(f"  %{name} = arith.constant {value} : index")
for i in names:
    print(f"  %i{i} = arith.constant {i}.0 : f32")
    print(f"  %e{i} = tensor.empty() : {tensor}")
    print(f"  %f{i} = linalg.fill ins(%i{i} : f32) outs(%e{i} : {tensor}) -> {tensor}")
    print(f"  %v{i} = linalg.add ins(%a, %f{i} : {tensor}, {tensor}) outs(%e{i} : {tensor}) -> {tensor}")
carried = ", ".join(f"%w{i} = %v{i}" for i in names)
print(f"  %r:{count} = scf.for %i = %c0 to %c3 step %c1 iter_args({carried}) -> ({types}) {{")
print(f"    scf.yield {', '.join(f'%w{(i + 1) % count}' for i in names)} : {types}")
print("  }")
print(f"  return %r#0 : {tensor}")
print("}")
