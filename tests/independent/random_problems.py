"""Random small problems: DAGs of MatMul and Pointwise with ragged shapes."""

HUGE = 10**9


class ProblemBuilder:
    """Grows a random DAG; tensors are (width, height), ops (type, inputs, output)."""

    def __init__(self, rng):
        self.rng = rng
        largest = rng.choice((6, 10, 14, 20, 30))
        self.sizes = [rng.randint(1, largest) for _ in range(rng.choice((1, 2, 2, 3, 3, 4)))]
        self.tensors, self.ops, self.made = [], [], []
        self.reuse = rng.choice((0.3, 0.6, 0.9))  # how often an input is an earlier tensor
        self.matmuls = rng.choice((0.2, 0.5, 0.5, 0.8, 1.0))

    def build(self):
        count = self.rng.choice((1, 2, 2, 3, 3, 4, 4, 5, 6, 7))
        while len(self.ops) < count:
            if self.rng.random() < 0.12 and len(self.ops) + 3 <= count:
                self.add_sum_of_matmuls()
            elif self.rng.random() < 0.1 and len(self.ops) + 4 <= count:
                self.add_deep_nest()
            elif self.rng.random() < 0.1 and self.made:
                self.add_fan()
            elif self.rng.random() < self.matmuls:
                self.add_matmul()
            else:
                self.add_pointwise()
        return self

    def tensor(self, width, height):
        self.tensors.append((width, height))
        return len(self.tensors) - 1

    def size(self):
        return self.rng.choice(self.sizes)

    def pick(self, fits):
        """An earlier tensor whose shape fits (an op's output for preference), or None."""
        if self.rng.random() > self.reuse:
            return None
        pool = self.made if self.rng.random() < 0.8 else range(len(self.tensors))
        pool = [t for t in pool if fits(*self.tensors[t])]
        return self.rng.choice(pool[-3:]) if pool else None

    def pick_or_add(self, width, height):
        found = self.pick(lambda w, h: (w, h) == (width, height))
        return self.tensor(width, height) if found is None else found

    def add_op(self, kind, inputs, width, height):
        output = self.tensor(width, height)
        self.ops.append((kind, inputs, output))
        self.made.append(output)

    def add_matmul(self):
        anchor = self.pick(lambda w, h: True)
        if anchor is None:
            anchor = self.tensor(self.size(), self.size())
        width, height = self.tensors[anchor]
        if width == height and self.rng.random() < 0.25:
            self.add_op("MatMul", [anchor, anchor], width, height)
        elif self.rng.random() < 0.5:
            other = self.pick(lambda w, h: h == width)
            other = self.tensor(self.size(), width) if other is None else other
            self.add_op("MatMul", [anchor, other], self.tensors[other][0], height)
        else:
            other = self.pick(lambda w, h: w == height)
            other = self.tensor(height, self.size()) if other is None else other
            self.add_op("MatMul", [other, anchor], width, self.tensors[other][1])

    def add_sum_of_matmuls(self):
        """Two products of one shape, mostly of different K, meet in a Pointwise."""
        width, height = self.size(), self.size()
        for _ in range(2):
            depth = self.rng.choice(self.sizes + [self.rng.randint(1, 20)])
            inputs = [self.pick_or_add(depth, height), self.pick_or_add(width, depth)]
            self.add_op("MatMul", inputs, width, height)
        self.add_op("Pointwise", self.made[-2:], width, height)

    def add_deep_nest(self):
        """Three nested products over a Pointwise leaf, whose strip outgrows the native tile."""
        leaf_depth, wide = self.rng.randint(1, 5), self.rng.randint(5, 30)
        last, width, height = self.size(), self.size(), self.size()
        if self.rng.random() < 0.5:  # ((f . pw) . d) . b
            shapes = [(wide, leaf_depth), (wide, height), (last, height), (width, height)]
            others = [(leaf_depth, height), (last, wide), (width, last)]
        else:  # a . (c . (pw . g))
            shapes = [(leaf_depth, wide), (width, wide), (width, last), (width, height)]
            others = [(width, leaf_depth), (wide, last), (last, height)]
        self.add_op("Pointwise", [self.tensor(*shapes[0])], *shapes[0])
        for shape, other in zip(shapes[1:], others):
            pair = [self.made[-1], self.tensor(*other)]
            fits = self.tensors[pair[0]][0] == self.tensors[pair[1]][1] and other[0] == shape[0]
            fits = fits and self.tensors[pair[0]][1] == shape[1]
            self.add_op("MatMul", pair if fits else pair[::-1], *shape)

    def add_fan(self):
        """Two more ops take one op's output: cause to store it inside a step."""
        hub = self.rng.choice(self.made)
        width, height = self.tensors[hub]
        self.add_op("Pointwise", [hub], width, height)
        if self.rng.random() < 0.5:
            columns = self.size()
            self.add_op("MatMul", [hub, self.pick_or_add(columns, width)], columns, height)
        else:
            self.add_op("Pointwise", [hub, self.made[-1]], width, height)

    def add_pointwise(self):
        anchor = self.pick(lambda w, h: True)
        if anchor is None:
            anchor = self.tensor(self.size(), self.size())
        shape = self.tensors[anchor]
        inputs = [anchor] + [self.pick_or_add(*shape) for _ in range(self.rng.choice((0, 0, 1, 1, 2)))]
        self.rng.shuffle(inputs)
        self.add_op("Pointwise", inputs, *shape)


def make_problem(rng):
    """The grown DAG with tensors and ops renumbered at random."""
    grown = ProblemBuilder(rng).build()
    if rng.random() < 0.15:
        grown.tensor(3, 5)  # no op touches it
    names = rng.sample(range(len(grown.tensors)), len(grown.tensors))
    shapes = {names[t]: shape for t, shape in enumerate(grown.tensors)}
    ops = rng.sample(grown.ops, len(grown.ops))
    dearest = rng.choice((1, 20, 200, 2000))
    return {
        "widths": [shapes[t][0] for t in range(len(shapes))],
        "heights": [shapes[t][1] for t in range(len(shapes))],
        "op_types": [kind for kind, _, _ in ops],
        "inputs": [[names[t] for t in inputs] for _, inputs, _ in ops],
        "outputs": [[names[output]] for _, _, output in ops],
        "base_costs": [random_cost(rng, dearest) for _ in ops],
        "fast_memory_capacity": HUGE,
        "slow_memory_bandwidth": rng.choice((1, 2.5, 3, 10, 0.3)),
        "native_granularity": random_native(rng),
    }


def random_cost(rng, dearest):
    return rng.choice((0, rng.randint(0, dearest), rng.randint(0, dearest), rng.uniform(0, dearest)))


def random_native(rng):
    smallest = rng.choice((1, 4, 4, 4))
    width = rng.randint(smallest, 16)
    return [width, width if rng.random() < 0.2 else rng.randint(smallest, 16)]
