// The step that all parts of the page show: the one pointed at, else the one pinned.
const selection = {
  hovered: null,
  pinned: null,
  listeners: [],

  get step() {
    return this.hovered ?? this.pinned;
  },

  onChange(listener) {
    this.listeners.push(listener);
  },

  hover(step) {
    if (step === this.hovered) return;
    this.hovered = step;
    this.tell(null);
  },

  // `source` is the part of the page it comes from; the others bring the step into view.
  pin(step, source) {
    this.pinned = step;
    this.tell(source);
  },

  toggle(step, source) {
    this.pin(step === this.pinned ? null : step, source);
  },

  tell(source) {
    for (const listener of this.listeners) listener(this.step, source);
  },
};

const stepEnds = data.steps.map((step, i) =>
    i + 1 < data.steps.length ? data.steps[i + 1].start : data.latency);

// Steps are known by their place among those shown; this is their number in the whole schedule.
function stepNumber(step) {
  return data.first_step + step;
}

// The step that runs at `time`.
function stepAt(time) {
  let low = 0;
  let high = data.steps.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (stepEnds[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}
