'use strict';

const data = JSON.parse(document.getElementById('data').textContent);

// Twelve digits, as the command line prints them, with thin spaces between thousands.
function number(value) {
  if (value === null) return '–';
  const text = String(Number(value.toPrecision(12)));
  if (text.includes('e')) return text;
  return text.replace(/^-?\d{5,}/, digits => digits.replace(/\B(?=(\d{3})+$)/g, '\u2009'));
}

function percent(share) {
  return `${(100 * share).toFixed(2)} %`;
}

// The first few of a list.
function listed(items, most = 8) {
  if (items.length === 0) return '–';
  const shown = items.slice(0, most).join(', ');
  return items.length > most ? `${shown}, … (${items.length})` : shown;
}

function shape(tensor) {
  const [rows, columns] = data.tensors[tensor];
  return `${rows}×${columns}`;
}

function area(tensor) {
  const [rows, columns] = data.tensors[tensor];
  return rows * columns;
}

// Text goes in as text, never as markup.
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

function button(text, label, action) {
  const made = element('button', {type: 'button', title: label, 'aria-label': label}, text);
  made.addEventListener('click', action);
  return made;
}

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

// Round numbers from `from` to `to`, about `count`.
function ticks(from, to, count) {
  const rough = (to - from) / count;
  if (!(rough > 0)) return [from];
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = decade * [1, 2, 5, 10].find(factor => factor * decade >= rough * 0.999);
  const values = [];
  for (let i = Math.ceil(from / step); i * step <= to * (1 + 1e-12); ++i) values.push(i * step);
  return values;
}
