// Steps over time, how far each keeps compute and memory busy, and the fast memory it takes. A
// canvas, since schedules may have many thousand steps.
class Timeline {
  constructor(canvas, buttons) {
    this.canvas = canvas;
    this.total = data.latency || 1;
    this.view = {from: 0, to: this.total};
    this.left = 84;
    this.rows = {steps: [6, 42], compute: [52, 76], memory: [84, 108], fast: [136, 284]};
    this.listen();
    buttons.append(button('−', 'Zoom out', () => this.zoom(2)),
                   button('+', 'Zoom in', () => this.zoom(0.5)),
                   button('all', 'Show all', () => this.zoom(Infinity)));
    selection.onChange((step, source) => {
      if (source && source !== this && step !== null) this.bringIntoView(step);
      this.draw();
    });
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  get width() {
    return Math.max(1, this.canvas.clientWidth - this.left - 12);
  }
  x(time) {
    return this.left + this.width * (time - this.view.from) / (this.view.to - this.view.from);
  }
  time(x) {
    return this.view.from + (x - this.left) / this.width * (this.view.to - this.view.from);
  }

  setView(from, length) {
    const kept = Math.min(this.total, Math.max(length, this.total * 1e-7));
    this.view.from = Math.max(0, Math.min(from, this.total - kept));
    this.view.to = this.view.from + kept;
    this.draw();
  }

  zoom(factor, centre = (this.view.from + this.view.to) / 2) {
    if (factor === Infinity) return this.setView(0, this.total);
    const length = (this.view.to - this.view.from) * factor;
    this.setView(centre - (centre - this.view.from) * factor, length);
  }

  bringIntoView(step) {
    const {start} = data.steps[step];
    const length = this.view.to - this.view.from;
    if (start < this.view.from || stepEnds[step] > this.view.to) this.setView(start - length / 2, length);
  }

  listen() {
    const {canvas} = this;
    let drag = null;
    const inside = event => event.offsetX >= this.left && event.offsetX <= this.left + this.width;
    canvas.addEventListener('pointerdown', event => {
      drag = {x: event.offsetX, from: this.view.from, moved: false};
      if (event.pointerType === 'mouse') canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener('pointermove', event => {
      if (drag && Math.abs(event.offsetX - drag.x) > 4) drag.moved = true;
      if (drag?.moved) {
        const length = this.view.to - this.view.from;
        this.setView(drag.from - (event.offsetX - drag.x) / this.width * length, length);
      } else {
        selection.hover(inside(event) ? stepAt(this.time(event.offsetX)) : null);
      }
    });
    canvas.addEventListener('pointerup', event => {
      if (drag && !drag.moved && inside(event)) selection.toggle(stepAt(this.time(event.offsetX)), this);
      drag = null;
    });
    canvas.addEventListener('pointercancel', () => { drag = null; });
    canvas.addEventListener('pointerleave', () => selection.hover(null));
    canvas.addEventListener('wheel', event => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(1.0015 ** event.deltaY, this.time(event.offsetX));
    }, {passive: false});
    canvas.addEventListener('keydown', event => this.key(event));
  }

  key(event) {
    const move = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (event.key === '+') this.zoom(0.5);
    if (event.key === '-') this.zoom(2);
    if (move === undefined) return;
    event.preventDefault();
    const from = selection.pinned ?? (move > 0 ? -1 : data.steps.length);
    selection.pin(Math.max(0, Math.min(data.steps.length - 1, from + move)), 'keys');
  }

  // At most once a frame.
  draw() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.paint();
    });
  }

  paint() {
    const {canvas} = this;
    const ratio = devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    pen.font = '12px system-ui, sans-serif';
    this.paintAxes(pen);
    pen.save();
    pen.beginPath();
    pen.rect(this.left, 0, this.width, height);
    pen.clip();
    this.paintSteps(pen);
    this.paintHot(pen);
    pen.restore();
  }

  // The steps in view. Those that share half a pixel are one group: their times add up, and the
  // highest peak counts.
  groups() {
    const groups = [];
    let group;
    for (let i = stepAt(this.view.from); i < data.steps.length && data.steps[i].start <= this.view.to; ++i) {
      const step = data.steps[i];
      const right = this.x(stepEnds[i]);
      if (!group || right - group.left > 0.5) {
        group = {first: i, left: this.x(step.start), latency: 0, memoryBound: 0, compute: 0, memory: 0,
                 peak: 0, resident: 0};
        groups.push(group);
      }
      group.last = i;
      group.right = right;
      group.latency += step.latency;
      if (step.bound_by === 'memory') group.memoryBound += step.latency;
      group.compute += step.compute_time;
      group.memory += step.memory_time;
      group.peak = Math.max(group.peak, step.peak_fast_memory);
      group.resident = Math.max(group.resident, step.resident_elements);
    }
    return groups;
  }

  span(step) {
    return [this.x(data.steps[step].start), this.x(stepEnds[step])];
  }

  get most() {
    return Math.max(data.problem.capacity, data.summary.peak_fast_memory);
  }
  y(elements) {
    const [top, bottom] = this.rows.fast;
    return bottom - (bottom - top) * elements / this.most;
  }

  paintAxes(pen) {
    const {rows, left} = this;
    pen.strokeStyle = colour('faint');
    pen.fillStyle = colour('soft');
    const line = (x1, y1, x2, y2) => {
      pen.beginPath();
      pen.moveTo(x1, y1);
      pen.lineTo(x2, y2);
      pen.stroke();
    };
    pen.textAlign = 'right';
    for (const name of ['steps', 'compute', 'memory']) {
      pen.fillText(name, left - 8, (rows[name][0] + rows[name][1]) / 2 + 4);
    }
    for (const value of ticks(0, this.most, 4)) {
      line(left, this.y(value), left + this.width, this.y(value));
      pen.fillText(number(value), left - 8, this.y(value) + 4);
    }
    pen.textAlign = 'left';
    pen.fillText('fast memory', left, rows.fast[0] - 8);
    pen.textAlign = 'center';
    const {begin} = data;
    for (const time of ticks(begin + this.view.from, begin + this.view.to, Math.max(2, this.width / 120))) {
      line(this.x(time - begin), rows.steps[0], this.x(time - begin), rows.fast[1] + 4);
      pen.fillText(number(time), this.x(time - begin), rows.fast[1] + 18);
    }
  }

  paintSteps(pen) {
    const {rows} = this;
    const ink = Object.fromEntries(['compute', 'memory', 'peak', 'resident', 'on', 'paper', 'limit'].map(
        name => [name, colour(name)]));
    const groups = this.groups();
    // One path per colour, so that there are no seams.
    const bars = (name, [top, bottom], spanOf, shareOf) => {
      pen.fillStyle = ink[name];
      pen.beginPath();
      for (const group of groups) {
        const [left, right] = spanOf(group);
        const height = (bottom - top) * shareOf(group);
        pen.rect(left, bottom - height, right - left, height);
      }
      pen.fill();
    };
    const whole = group => [group.left, group.right];
    // At least one pixel.
    const pixels = ({left, right}) => [Math.floor(left), Math.max(Math.floor(left) + 1, Math.round(right))];
    const memoryBound = ({left, right, latency, memoryBound}) =>
        [left, left + (right - left) * (memoryBound / latency || 0)];
    bars('compute', rows.steps, whole, () => 1);
    bars('memory', rows.steps, memoryBound, () => 1);
    bars('compute', rows.compute, whole, group => Math.min(1, group.compute / group.latency || 0));
    bars('memory', rows.memory, whole, group => Math.min(1, group.memory / group.latency || 0));
    bars('peak', rows.fast, pixels, group => group.peak / this.most);
    bars('resident', rows.fast, pixels, group => group.resident / this.most);
    for (const group of groups) {
      if (group.first === group.last) this.paintLabel(pen, group.first, ink);
    }
    pen.strokeStyle = ink.limit;
    pen.lineWidth = 1.5;
    pen.setLineDash([6, 4]);
    pen.beginPath();
    pen.moveTo(this.left, this.y(data.problem.capacity));
    pen.lineTo(this.left + this.width, this.y(data.problem.capacity));
    pen.stroke();
    pen.setLineDash([]);
  }

  // The number of a step, and a line to the next, where there is room.
  paintLabel(pen, step, ink) {
    const [top, bottom] = this.rows.steps;
    const [left, right] = this.span(step);
    if (right - left < 8) return;
    pen.fillStyle = ink.paper;
    pen.fillRect(Math.round(right) - 1, top, 1, bottom - top);
    if (right - left < 9 * String(stepNumber(step)).length + 4) return;
    pen.fillStyle = ink.on;
    pen.fillText(stepNumber(step), (left + right) / 2, (top + bottom) / 2 + 4);
  }

  paintHot(pen) {
    const {step} = selection;
    if (step === null) return;
    const [x, end] = this.span(step);
    const width = Math.max(2, end - x);
    pen.strokeStyle = colour('hot');
    pen.lineWidth = 2;
    pen.strokeRect(x, this.rows.steps[0] - 3, width, this.rows.fast[1] - this.rows.steps[0] + 3);
  }
}
