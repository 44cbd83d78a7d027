// Puts the page together.
function makeSummary() {
  const {problem, summary} = data;
  document.getElementById('title').textContent = document.title;
  document.getElementById('facts').textContent =
      `${number(problem.ops)} ops, ${number(problem.tensors)} tensors; fast memory ${number(problem.capacity)}, ` +
      `bandwidth ${number(problem.bandwidth)}, native tile ${problem.native.join(' by ')}, ` +
      `base costs for the ${problem.depth} depth`;
  if (data.steps.length < summary.steps) {
    const last = stepNumber(data.steps.length - 1);
    document.getElementById('part').textContent =
        `Only steps ${number(data.first_step)} to ${number(last)} of ${number(summary.steps)} are shown, by ` +
        'timeline, graph and tables. The figures below are of the whole schedule.';
  }
  document.getElementById('made').textContent = `Made by tilebeam ${data.version}.`;
  const cards = [
    ['total_latency', 'total latency', number(summary.total_latency)],
    ['bound', 'lower bound', number(summary.bound)],
    ['gap', 'gap', percent(summary.gap)],
    ['steps', 'steps', number(summary.steps)],
    ['compute_bound', 'compute-bound', number(summary.compute_bound)],
    ['memory_bound', 'memory-bound', number(summary.steps - summary.compute_bound)],
    ['peak_fast_memory', 'peak', number(summary.peak_fast_memory)],
    ['loads', 'loads', number(summary.loads)],
    ['stores', 'stores', number(summary.stores)],
  ];
  document.getElementById('summary').append(...cards.map(
      ([id, name, value]) => element('div', {}, element('dt', {}, name), element('dd', {id: `summary-${id}`}, value))));
}

function makeGraph(parent, buttons) {
  if (data.graph) return new GraphView(parent, buttons);
  parent.append(element('p', {}, 'Too many ops to draw. The panel of a step lists its ops.'));
  return null;
}

makeSummary();
makeDetails(document.getElementById('details'));
const timeline = new Timeline(document.getElementById('timeline'), document.getElementById('timeline-buttons'));
const graphView = makeGraph(document.getElementById('graph'), document.getElementById('graph-buttons'));
makeStepTable(document.getElementById('steps'));
makeTensorTable(document.getElementById('tensors'));
document.addEventListener('keydown', event => {
  if (event.key === 'Escape') selection.pin(null, null);
});
