// Placements as a user or another compiler may have decided them, op by op, each
// with a cheaper way to the same values. Sizes divide on no mesh but the smallest.
// MESHES: x=4 x=3 x=2 x=1 x=12
shardir.mesh @m <["x"=?4]>

#rows = #shardir.placement<@m, [{"x"}, {}]>
#columns = #shardir.placement<@m, [{}, {"x"}]>
#replicated = #shardir.placement<@m, [{}, {}]>
#partial = #shardir.placement<@m, [{}, {}], partial = sum ["x"]>
#vector = #shardir.placement<@m, [{}]>
#blocks = #shardir.placement<@m, [{"x"}]>
#terms = #shardir.placement<@m, [{}], partial = sum ["x"]>

// The result of a product is smaller than its operand.
func.func @linear(%x: tensor<10x16xi32> {shardir.placement = #rows}, %w: tensor<16x3xi32> {shardir.placement = #replicated})
    -> (tensor<10x3xi32> {shardir.placement = #replicated}) {
  %zero = arith.constant 0 : i32
  %e = tensor.empty() {shardir.placements = [#replicated]} : tensor<10x3xi32>
  %f = linalg.fill {shardir.placements = [#replicated]} ins(%zero : i32) outs(%e : tensor<10x3xi32>) -> tensor<10x3xi32>
  %y = linalg.matmul {shardir.placements = [#replicated]} ins(%x, %w : tensor<10x16xi32>, tensor<16x3xi32>) outs(%f : tensor<10x3xi32>) -> tensor<10x3xi32>
  return %y : tensor<10x3xi32>
}

// A contracted dim that is gathered: each device may have a term instead.
func.func @contracted(%x: tensor<5x70xi32> {shardir.placement = #columns}, %w: tensor<70x3xi32> {shardir.placement = #replicated})
    -> (tensor<5x3xi32> {shardir.placement = #replicated}) {
  %zero = arith.constant dense<0> : tensor<5x3xi32>
  %y = linalg.matmul {shardir.placements = [#replicated]} ins(%x, %w : tensor<5x70xi32>, tensor<70x3xi32>) outs(%zero : tensor<5x3xi32>) -> tensor<5x3xi32>
  return %y : tensor<5x3xi32>
}

// Through ops that keep the size to one that halves it.
func.func @narrowed(%x: tensor<10x16xf32> {shardir.placement = #rows}) -> (tensor<10x16xbf16> {shardir.placement = #replicated}) {
  %0 = math.absf %x {shardir.placements = [#replicated]} : tensor<10x16xf32>
  %1 = arith.negf %0 {shardir.placements = [#replicated]} : tensor<10x16xf32>
  %2 = arith.truncf %1 {shardir.placements = [#replicated]} : tensor<10x16xf32> to tensor<10x16xbf16>
  return %2 : tensor<10x16xbf16>
}

// And in front of the one that doubles it.
func.func @widened(%x: tensor<10x16xbf16> {shardir.placement = #rows}) -> (tensor<10x16xf32> {shardir.placement = #replicated}) {
  %0 = arith.extf %x {shardir.placements = [#rows]} : tensor<10x16xbf16> to tensor<10x16xf32>
  %1 = math.absf %0 {shardir.placements = [#rows]} : tensor<10x16xf32>
  %2 = arith.negf %1 {shardir.placements = [#rows]} : tensor<10x16xf32>
  return %2 : tensor<10x16xf32>
}

func.func @broadcast(%x: tensor<10xi32> {shardir.placement = #blocks}) -> (tensor<10x16xi32> {shardir.placement = #replicated}) {
  %e = tensor.empty() {shardir.placements = [#rows]} : tensor<10x16xi32>
  %0 = linalg.broadcast ins(%x : tensor<10xi32>) outs(%e : tensor<10x16xi32>) dimensions = [1] {shardir.placements = [#rows]}
  return %0 : tensor<10x16xi32>
}

func.func @reduction(%x: tensor<10x16xi32> {shardir.placement = #rows}) -> (tensor<10xi32> {shardir.placement = #vector}) {
  %zero = arith.constant {shardir.placements = [#vector]} dense<0> : tensor<10xi32>
  %0 = linalg.reduce { arith.addi } ins(%x : tensor<10x16xi32>) outs(%zero : tensor<10xi32>) dimensions = [1] {shardir.placements = [#vector]}
  return %0 : tensor<10xi32>
}

// One gather for two users, both of which make less of it.
func.func @two_users(%x: tensor<10x16xi32> {shardir.placement = #rows}) -> (tensor<10xi32> {shardir.placement = #vector}, tensor<10xi32> {shardir.placement = #vector}) {
  %zero = arith.constant {shardir.placements = [#vector]} dense<0> : tensor<10xi32>
  %0 = linalg.reduce { arith.addi } ins(%x : tensor<10x16xi32>) outs(%zero : tensor<10xi32>) dimensions = [1] {shardir.placements = [#vector]}
  %1 = linalg.reduce { arith.maxsi } ins(%x : tensor<10x16xi32>) outs(%zero : tensor<10xi32>) dimensions = [1] {shardir.placements = [#vector]}
  return %0, %1 : tensor<10xi32>, tensor<10xi32>
}

// Three sums that are reduced apart: one reduction of their sum will do.
func.func @sums(%a: tensor<7x9xi32> {shardir.placement = #rows}, %b: tensor<11x9xi32> {shardir.placement = #rows}, %c: tensor<5x9xi32> {shardir.placement = #rows}, %s: tensor<9xi32> {shardir.placement = #vector})
    -> (tensor<9xi32> {shardir.placement = #vector}) {
  %zero = arith.constant {shardir.placements = [#vector]} dense<0> : tensor<9xi32>
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<7x9xi32>) outs(%zero : tensor<9xi32>) dimensions = [0] {shardir.placements = [#terms]}
  %1 = linalg.reduce { arith.addi } ins(%b : tensor<11x9xi32>) outs(%zero : tensor<9xi32>) dimensions = [0] {shardir.placements = [#terms]}
  %2 = linalg.reduce { arith.addi } ins(%c : tensor<5x9xi32>) outs(%zero : tensor<9xi32>) dimensions = [0] {shardir.placements = [#terms]}
  %3 = arith.subi %0, %1 {shardir.placements = [#vector]} : tensor<9xi32>
  %4 = arith.muli %2, %s {shardir.placements = [#vector]} : tensor<9xi32>
  %5 = arith.addi %3, %4 {shardir.placements = [#vector]} : tensor<9xi32>
  return %5 : tensor<9xi32>
}

// All-reduce, a linear op, and every use wants a part: one reduce-scatter.
func.func @scattered(%a: tensor<7x9xi32> {shardir.placement = #rows}, %bias: tensor<9xi32> {shardir.placement = #vector})
    -> (tensor<9xi32> {shardir.placement = #blocks}, tensor<9xi32> {shardir.placement = #blocks}) {
  %zero = arith.constant {shardir.placements = [#vector]} dense<0> : tensor<9xi32>
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<7x9xi32>) outs(%zero : tensor<9xi32>) dimensions = [0] {shardir.placements = [#terms]}
  %1 = arith.addi %0, %bias {shardir.placements = [#vector]} : tensor<9xi32>
  %2 = math.absi %1 {shardir.placements = [#blocks]} : tensor<9xi32>
  %3 = arith.muli %1, %1 {shardir.placements = [#blocks]} : tensor<9xi32>
  return %2, %3 : tensor<9xi32>, tensor<9xi32>
}

// A sum needed both replicated and in shards is reduced once.
func.func @whole_and_parts(%a: tensor<7x9xi32> {shardir.placement = #rows}) -> (tensor<9xi32> {shardir.placement = #vector}, tensor<9xi32> {shardir.placement = #blocks}) {
  %zero = arith.constant {shardir.placements = [#vector]} dense<0> : tensor<9xi32>
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<7x9xi32>) outs(%zero : tensor<9xi32>) dimensions = [0] {shardir.placements = [#terms]}
  %1 = math.absi %0 {shardir.placements = [#vector]} : tensor<9xi32>
  %2 = arith.muli %0, %0 {shardir.placements = [#blocks]} : tensor<9xi32>
  return %1, %2 : tensor<9xi32>, tensor<9xi32>
}

// A tensor that is gathered anyway is sliced, not sent again.
func.func @several(%x: tensor<9x16xi32> {shardir.placement = #rows}) -> (tensor<9x16xi32> {shardir.placement = #replicated}, tensor<9x16xi32> {shardir.placement = #columns}) {
  %0 = math.absi %x {shardir.placements = [#columns]} : tensor<9x16xi32>
  %1 = arith.muli %x, %x {shardir.placements = [#replicated]} : tensor<9x16xi32>
  %2 = arith.addi %x, %1 {shardir.placements = [#replicated]} : tensor<9x16xi32>
  return %2, %0 : tensor<9x16xi32>, tensor<9x16xi32>
}

// No op but a linear one may see terms.
func.func @not_linear(%a: tensor<7x9xi32> {shardir.placement = #rows}) -> (tensor<9xi32> {shardir.placement = #blocks}) {
  %zero = arith.constant {shardir.placements = [#vector]} dense<0> : tensor<9xi32>
  %0 = linalg.reduce { arith.addi } ins(%a : tensor<7x9xi32>) outs(%zero : tensor<9xi32>) dimensions = [0] {shardir.placements = [#terms]}
  %1 = math.absi %0 {shardir.placements = [#vector]} : tensor<9xi32>
  return %1 : tensor<9xi32>
}

// Nothing to gain: what is used is what is moved.
func.func @kept(%x: tensor<10x16xi32> {shardir.placement = #rows}) -> (tensor<10x16xi32> {shardir.placement = #replicated}) {
  %0 = math.absi %x {shardir.placements = [#rows]} : tensor<10x16xi32>
  return %0 : tensor<10x16xi32>
}

// A placement that a user has requested is not traded for bytes.
func.func @asked(%x: tensor<10x16xi32> {shardir.placement = #rows}) -> (tensor<10xi32> {shardir.placement = #vector}) {
  %zero = arith.constant {shardir.placements = [#vector]} dense<0> : tensor<10xi32>
  %0 = shardir.constrain %x to #replicated {shardir.placements = [#replicated]} : tensor<10x16xi32>
  %1 = linalg.reduce { arith.addi } ins(%0 : tensor<10x16xi32>) outs(%zero : tensor<10xi32>) dimensions = [1] {shardir.placements = [#vector]}
  return %1 : tensor<10xi32>
}
