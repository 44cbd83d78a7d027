// Everything about the chosen step.
const kMostListed = 60;

function facts(pairs) {
  const list = element('dl');
  for (const [name, value, kind] of pairs) {
    list.append(element('dt', {}, name), element('dd', kind ? {class: kind} : {}, value));
  }
  return list;
}

function rowsUnder(title, rows) {
  if (rows.length === 0) return [];
  const body = element('tbody');
  for (const cells of rows.slice(0, kMostListed)) {
    body.append(element('tr', {}, ...cells.map(cell => element('td', {}, cell))));
  }
  const parts = [element('h3', {}, title), element('table', {}, body)];
  if (rows.length > kMostListed) parts.push(element('p', {}, `and ${rows.length - kMostListed} more`));
  return parts;
}

function opRow(op) {
  const [type, , inputs, output] = data.ops[op];
  return [`op ${op}`, type, `${listed(inputs.map(t => `t${t}`), 4)} → t${output}`];
}

function tensorRow(tensor, elements) {
  return [`t${tensor}`, shape(tensor), number(elements)];
}

function stepDetails(index) {
  const step = data.steps[index];
  const whole = tensors => tensors.map(tensor => tensorRow(tensor, area(tensor)));
  const share = step.latency / (data.summary.total_latency || 1);
  return [
    element('h2', {}, `Step ${stepNumber(index)}`),
    facts([
      ['latency', number(step.latency)],
      ['share of the total', percent(share)],
      ['bound by', step.bound_by, step.bound_by],
      ['compute time', number(step.compute_time)],
      ['memory time', number(step.memory_time)],
      ['starts at', number(data.begin + step.start)],
      ['tile w,h,k', step.granularity.join(',')],
      ['tiles × k-steps', `${number(step.tiles)} × ${number(step.k_steps)}`],
      ['peak', `${number(step.peak_fast_memory)} of ${number(data.problem.capacity)}`],
      ['loads', number(step.loads)],
      ['stores', number(step.stores)],
    ]),
    ...rowsUnder('Ops', step.ops.map(opRow)),
    ...rowsUnder('Loaded', step.loaded.map(([tensor, elements]) => tensorRow(tensor, elements))),
    ...rowsUnder('Stored', whole(step.stored)),
    ...rowsUnder('Retained by the step before', whole(step.resident)),
    ...rowsUnder('Retained for the next step', whole(step.retained)),
  ];
}

function makeDetails(parent) {
  const show = step => {
    if (step !== null) return parent.replaceChildren(...stepDetails(step));
    parent.replaceChildren(element('h2', {}, 'Step'),
                           element('p', {}, 'Point at a step, in the timeline, the graph or the table.'));
  };
  selection.onChange(show);
  show(null);
}
