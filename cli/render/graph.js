const kFar = 0.5;  // pixels per unit below which text cannot be read

// The graph with a box per step. SVG, moved by its viewBox; labels are left out from afar.
class GraphView {
  constructor(parent, buttons) {
    this.parent = parent;
    const {graph} = data;
    this.runsOf = data.steps.map(() => []);
    this.edgesOf = data.steps.map(() => []);
    graph.runs.forEach(([step], run) => this.runsOf[step].push(run));
    graph.edges.forEach(([from, to], edge) => {
      this.edgesOf[graph.runs[from][0]].push(edge);
      if (graph.runs[to][0] !== graph.runs[from][0]) this.edgesOf[graph.runs[to][0]].push(edge);
    });
    parent.innerHTML = this.markup();
    this.svg = parent.firstElementChild;
    this.boxes = this.svg.querySelectorAll('.box');
    this.runs = this.svg.querySelectorAll('.run');
    this.reached = this.svg.querySelector('.reached');
    this.labels = this.svg.querySelector('.labels');
    this.fit();
    this.listen();
    buttons.append(button('−', 'Zoom out', () => this.zoom(1.6)), button('+', 'Zoom in', () => this.zoom(1 / 1.6)),
                   button('all', 'Show all', () => this.fit()));
    selection.onChange((step, source) => {
      this.highlight(step);
      if (source && source !== this && step !== null) this.bringIntoView(step);
    });
    new ResizeObserver(() => this.apply()).observe(this.svg);
  }

  // Nothing but numbers and fixed names goes in here.
  markup() {
    const {boxes, runs, edges} = data.graph;
    const parts = ['<svg role="img" aria-label="The ops, grouped by step">'];
    boxes.forEach(([x, y, width, height], step) => parts.push(
        `<rect class="box ${data.steps[step].bound_by}" data-step="${step}" x="${x}" y="${y}" ` +
        `width="${width}" height="${height}" rx="5"/>`));
    for (const kept of [0, 1]) {
      parts.push(`<path class="${kept ? 'kept' : 'edges'}" d="`);
      edges.forEach((edge, i) => { if (edge[3] === kept) parts.push(this.curve(i)); });
      parts.push('"/>');
    }
    for (const [step, op, x, y, width, height] of runs) {
      const matmul = data.ops[op][0] === 'MatMul';
      parts.push(
          `<rect class="run ${matmul ? 'matmul' : 'pointwise'}" data-step="${step}" data-op="${op}" x="${x}" ` +
          `y="${y}" width="${width}" height="${height}" rx="${matmul ? 2 : 9}"/>`);
    }
    parts.push('<path class="reached" d=""/><g class="labels"></g></svg>');
    return parts.join('');
  }

  curve(edge) {
    const {runs, edges} = data.graph;
    const [, , x1, y1, width1, height1] = runs[edges[edge][0]];
    const [, , x2, y2, width2] = runs[edges[edge][1]];
    const [fromX, fromY, toX] = [x1 + width1 / 2, y1 + height1, x2 + width2 / 2];
    const bend = Math.min(60, Math.max(6, Math.abs(y2 - fromY) / 2));
    const round = value => Math.round(value * 10) / 10;
    return `M${round(fromX)} ${round(fromY)}C${round(fromX)} ${round(fromY + bend)} ` +
           `${round(toX)} ${round(y2 - bend)} ${round(toX)} ${round(y2)}`;
  }

  highlight(step) {
    if (this.hot !== undefined && this.hot !== null) {
      this.boxes[this.hot].classList.remove('hot');
      for (const run of this.runsOf[this.hot]) this.runs[run].classList.remove('hot');
    }
    this.hot = step;
    const edges = step === null ? [] : this.edgesOf[step];
    this.reached.setAttribute('d', edges.map(edge => this.curve(edge)).join(''));
    if (step === null) return;
    this.boxes[step].classList.add('hot');
    for (const run of this.runsOf[step]) this.runs[run].classList.add('hot');
  }

  // Pixels per unit of the graph.
  get scale() {
    return Math.min(this.svg.clientWidth / this.view.width, this.svg.clientHeight / this.view.height);
  }

  apply() {
    const {x, y, width, height} = this.view;
    this.svg.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
    const far = this.scale < kFar;
    this.svg.classList.toggle('far', far);
    this.labels.innerHTML = far ? '' : this.labelMarkup();
  }

  // Of what is in view: browsers are slow at text.
  labelMarkup() {
    const {boxes, runs} = data.graph;
    const parts = [];
    this.seen = this.seenArea();
    boxes.forEach((box, step) => {
      if (!this.sees(box)) return;
      parts.push(`<text x="${box[0] + 8}" y="${box[1] + 15}">step ${stepNumber(step)}</text>`);
      for (const run of this.runsOf[step]) {
        const [, op, x, y, width] = runs[run];
        parts.push(`<text x="${x + width / 2}" y="${y + 14}" text-anchor="middle">${op}</text>`);
      }
    });
    return parts.join('');
  }

  // The viewBox, and what shows beside it.
  seenArea() {
    const {view, svg, scale} = this;
    const [x, y] = [view.x + view.width / 2, view.y + view.height / 2];
    const [halfWidth, halfHeight] = [svg.clientWidth / scale / 2, svg.clientHeight / scale / 2];
    return {left: x - halfWidth, right: x + halfWidth, top: y - halfHeight, bottom: y + halfHeight};
  }

  sees([x, y, width, height]) {
    const {seen} = this;
    return x < seen.right && x + width > seen.left && y < seen.bottom && y + height > seen.top;
  }

  // All of it, but small graphs no larger than life.
  fit() {
    const {width, height} = data.graph;
    const most = 1.5;
    const w = Math.max(width + 24, this.svg.clientWidth / most);
    const h = Math.max(height + 24, this.svg.clientHeight / most);
    this.view = {x: (width - w) / 2, y: (height - h) / 2, width: w, height: h};
    this.apply();
  }

  zoom(factor, x = this.view.x + this.view.width / 2, y = this.view.y + this.view.height / 2) {
    const {view} = this;
    this.view = {x: x - (x - view.x) * factor, y: y - (y - view.y) * factor,
                 width: view.width * factor, height: view.height * factor};
    this.apply();
  }

  bringIntoView(step) {
    const [x, y, width, height] = data.graph.boxes[step];
    if (this.scale < kFar) this.zoom(this.scale);
    const {view} = this;
    const inside = x >= view.x && y >= view.y && x + width <= view.x + view.width &&
                   y + height <= view.y + view.height;
    if (inside) return;
    view.x = x + width / 2 - view.width / 2;
    view.y = y + height / 2 - view.height / 2;
    this.apply();
  }

  point(event) {
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
  }

  listen() {
    const {svg} = this;
    const stepOf = event => event.target.dataset.step === undefined ? null : Number(event.target.dataset.step);
    let drag = null;
    svg.addEventListener('pointerdown', event => { drag = {at: this.point(event), step: stepOf(event), moved: false}; });
    svg.addEventListener('pointermove', event => {
      if (!drag) return selection.hover(stepOf(event));
      const now = this.point(event);
      const moved = [now.x - drag.at.x, now.y - drag.at.y];
      if (Math.hypot(...moved) * this.scale > 4) drag.moved = true;
      if (!drag.moved) return;
      this.view.x -= moved[0];
      this.view.y -= moved[1];
      this.apply();
    });
    svg.addEventListener('pointerup', () => {
      if (drag && !drag.moved && drag.step !== null) selection.toggle(drag.step, this);
      drag = null;
    });
    svg.addEventListener('pointerleave', () => {
      drag = null;
      selection.hover(null);
    });
    svg.addEventListener('wheel', event => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      const {x, y} = this.point(event);
      this.zoom(1.0015 ** event.deltaY, x, y);
    }, {passive: false});
  }
}
