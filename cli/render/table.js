const kRowHeight = 27;  // with its border; see page.css
const kSpareRows = 10;

// A table that sorts by its headers, and holds no more rows in the document than are seen.
// columns: [{title, width, value(row), cell(row)}]; cell makes text or an element, and may be left
// out for a number. A column grows to what is seen in it, unless it is marked `cut`: its lists are
// whole in their tooltips. dress(line, row) adds what a row needs to its <tr>.
class SortedTable {
  constructor(parent, label, columns, rows, dress) {
    this.columns = columns;
    this.rows = [...rows];
    this.dress = dress;
    this.body = element('tbody');
    this.headers = columns.map((column, i) => this.header(column, i));
    this.scroller = element('div', {class: 'scroller', tabindex: 0, role: 'region', 'aria-label': label});
    this.table = element('table', {'aria-rowcount': rows.length},
                         element('thead', {}, element('tr', {}, ...this.headers)), this.body);
    this.scroller.append(this.table);
    this.setWidths(columns.map(column => column.width));
    this.scroller.addEventListener('scroll', () => this.draw());
    parent.append(this.scroller);
    this.draw();
  }

  header(column, index) {
    const inside = button(column.title, `Sort by ${column.title}`, () => this.sort(index));
    return element('th', {scope: 'col'}, inside);
  }

  setWidths(widths) {
    this.widths = widths;
    this.headers.forEach((header, i) => { header.style.width = `${widths[i]}px`; });
    this.table.style.minWidth = `${widths.reduce((sum, width) => sum + width, 0)}px`;
  }

  // Never shrinks, so that scrolling does not make columns jump to and fro.
  fitColumns() {
    const widths = [...this.widths];
    for (const line of this.body.querySelectorAll('tr:not(.gap)')) {
      this.columns.forEach(({cut}, i) => {
        const {scrollWidth, clientWidth} = line.children[i];
        if (!cut && scrollWidth > clientWidth) widths[i] = Math.max(widths[i], scrollWidth);
      });
    }
    if (widths.some((width, i) => width > this.widths[i])) this.setWidths(widths);
  }

  sort(index) {
    const header = this.headers[index];
    const descending = header.getAttribute('aria-sort') === 'ascending';
    for (const other of this.headers) other.removeAttribute('aria-sort');
    header.setAttribute('aria-sort', descending ? 'descending' : 'ascending');
    const {value} = this.columns[index];
    const sign = descending ? -1 : 1;
    this.rows.sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
    this.scroller.scrollTop = 0;
    this.first = undefined;
    this.draw();
  }

  draw() {
    const count = Math.ceil(this.scroller.clientHeight / kRowHeight) + 2 * kSpareRows;
    const top = Math.floor(this.scroller.scrollTop / kRowHeight) - kSpareRows;
    const first = Math.max(0, Math.min(top, this.rows.length - count));
    if (this.first === first && this.count === count) return;
    this.first = first;
    this.count = count;
    const shown = this.rows.slice(first, first + count);
    const below = this.rows.length - first - shown.length;
    this.body.replaceChildren(this.gap(first), ...shown.map(row => this.line(row)), this.gap(below));
    this.fitColumns();
  }

  gap(rows) {
    const cell = element('td', {colspan: this.columns.length, style: `height:${rows * kRowHeight}px`});
    const line = element('tr', {class: 'gap'}, cell);
    line.hidden = rows === 0;
    return line;
  }

  line(row) {
    const line = element('tr');
    for (const {value, cell} of this.columns) {
      const content = cell ? cell(row) : number(value(row));
      line.append(element('td', typeof content === 'string' ? {title: content} : {}, content));
    }
    this.dress(line, row);
    return line;
  }

  show(row) {
    const index = this.rows.indexOf(row);
    const top = index * kRowHeight;
    const {scrollTop, clientHeight} = this.scroller;
    if (top < scrollTop || top + 2 * kRowHeight > scrollTop + clientHeight) {
      this.scroller.scrollTop = top - clientHeight / 2;
    }
    this.draw();
  }
}

function makeStepTable(parent) {
  const columns = [
    {title: 'step', width: 56, value: step => stepNumber(step.index)},
    {title: 'ops', width: 110, cut: true, value: step => step.ops.length, cell: step => listed(step.ops)},
    {title: 'w,h,k', width: 104, value: step => step.granularity[0] * step.granularity[1],
     cell: step => step.granularity.join(',')},
    {title: 'tiles', width: 66, value: step => step.tiles},
    {title: 'k-steps', width: 78, value: step => step.k_steps},
    {title: 'latency', width: 122, value: step => step.latency},
    {title: 'compute', width: 122, value: step => step.compute_time},
    {title: 'memory', width: 122, value: step => step.memory_time},
    {title: 'bound by', width: 88, value: step => step.bound_by, cell: step => step.bound_by},
    {title: 'peak', width: 88, value: step => step.peak_fast_memory},
    {title: 'loads', width: 104, value: step => step.loads},
    {title: 'stores', width: 96, value: step => step.stores},
    {title: 'retained', width: 84, cut: true, value: step => step.retained_elements,
     cell: step => listed(step.retained)},
    {title: 'stored', width: 84, cut: true, value: step => step.stored.length,
     cell: step => listed(step.stored)},
  ];
  const rows = data.steps.map((step, index) => ({...step, index}));
  const table = new SortedTable(parent, 'Steps', columns, rows, (line, row) => {
    line.dataset.step = row.index;
    line.classList.toggle('hot', row.index === selection.step);
    line.children[8].classList.add(row.bound_by);
  });
  const stepOf = event => {
    const line = event.target.closest('tr[data-step]');
    return line ? Number(line.dataset.step) : null;
  };
  table.body.addEventListener('mouseover', event => selection.hover(stepOf(event)));
  table.body.addEventListener('mouseleave', () => selection.hover(null));
  table.body.addEventListener('click', event => {
    if (stepOf(event) !== null) selection.toggle(stepOf(event), table);
  });
  selection.onChange((step, source) => {
    if (source && source !== table && step !== null) table.show(rows[step]);
    for (const line of table.body.children) {
      line.classList.toggle('hot', line.dataset.step === String(step));
    }
  });
}

// What each tensor costs over the steps shown. A tensor is stored whole.
function tensorRows() {
  const rows = {};
  for (const [index, [, , role]] of Object.entries(data.tensors)) {
    rows[index] = {index: Number(index), role, loads: 0, stores: 0, loadedBy: 0, storedBy: 0, retainedBy: 0};
  }
  for (const step of data.steps) {
    for (const [tensor, elements] of step.loaded) {
      rows[tensor].loads += elements;
      rows[tensor].loadedBy += 1;
    }
    for (const tensor of step.stored) {
      rows[tensor].stores += area(tensor);
      rows[tensor].storedBy += 1;
    }
    for (const tensor of step.retained) rows[tensor].retainedBy += 1;
  }
  return Object.values(rows).filter(row => row.role !== 'unused');
}

function makeTensorTable(parent) {
  const rows = tensorRows();
  const traffic = row => row.loads + row.stores;
  const most = rows.reduce((sum, row) => Math.max(sum, traffic(row)), 1);
  const columns = [
    {title: 'tensor', width: 80, value: row => row.index, cell: row => `t${row.index}`},
    {title: 'shape', width: 110, value: row => area(row.index), cell: row => shape(row.index)},
    {title: 'role', width: 80, value: row => row.role, cell: row => row.role},
    {title: 'elements', width: 110, value: row => area(row.index)},
    {title: 'loaded', width: 110, value: row => row.loads},
    {title: 'by steps', width: 84, value: row => row.loadedBy},
    {title: 'stored', width: 110, value: row => row.stores},
    {title: 'by steps', width: 84, value: row => row.storedBy},
    {title: 'retained by', width: 100, value: row => row.retainedBy},
    {title: 'traffic', width: 140, value: traffic,
     cell: row => element('span', {class: 'share', style: `width:${100 * traffic(row) / most}%`})},
  ];
  const table = new SortedTable(parent, 'Tensors', columns, rows, (line, row) => {
    line.dataset.tensor = row.index;
  });
  // What moves most comes first.
  table.sort(9);
  table.sort(9);
}
