'use strict';
// Everything is drawn from the data in the page. The filters are in the URL, so it can be shared.
const data = JSON.parse(document.getElementById('data').textContent);
const at = id => document.getElementById(id);
const PAGE = 25;
const several = data.systems.length > 1;
let shown = PAGE;

// The pairs that can be drawn: the gold standard with each system, and each system with each later one.
const views = data.systems.map((name, i) => ({ name: several ? 'gold and ' + name : 'gold and system', one: s => s.gold, other: s => s.systems[i], system: i }));
if (several)
  for (let i = 0; i < data.systems.length; i++)
    for (let j = i + 1; j < data.systems.length; j++)
      views.push({ name: data.systems[i] + ' and ' + data.systems[j], one: s => s.systems[i], other: s => s.systems[j], system: -1 });

const differs = (a, b) => a[0] !== b[0] || a[1] !== b[1];
// The scored words on which the two drawn analyses differ.
const wrong = (s, view) => s.words.map((_, i) => i).filter(i => s.words[i][2] && differs(view.one(s)[i], view.other(s)[i]));

function chosen() {
  return { search: at('search').value.trim().toLowerCase(), label: at('label').value, kind: at('kind').value, view: views[+at('view').value || 0], order: at('order').value, differ: at('differ').checked };
}

function isWanted(s, c) {
  if (c.search && !s.words.map(w => w[0]).join(' ').toLowerCase().includes(c.search)) return false;
  if (c.differ && !s.words.some((w, i) => w[2] && s.systems.some(system => differs(system[i], s.systems[0][i])))) return false;
  return wrong(s, c.view).some(i => {
    const [one, other] = [c.view.one(s)[i], c.view.other(s)[i]];
    if (c.label && one[1] !== c.label && other[1] !== c.label) return false;
    if (c.kind === 'head') return one[0] !== other[0];
    if (c.kind === 'label') return one[0] === other[0];
    return true;
  });
}

function list() {
  const c = chosen();
  const all = data.sentences.filter(s => isWanted(s, c));
  const errors = s => wrong(s, c.view).length;
  const by = { errors: (a, b) => errors(b) - errors(a) || a.number - b.number, share: (a, b) => errors(b) / b.words.length - errors(a) / a.words.length || a.number - b.number, text: (a, b) => a.number - b.number };
  all.sort(by[c.order]);
  at('count').value = all.length + (all.length === 1 ? ' sentence' : ' sentences');
  at('list').replaceChildren(...all.slice(0, shown).map(s => card(s, c)));
  at('more').hidden = all.length <= shown;
}

function card(s, c) {
  const article = document.createElement('article');
  const title = document.createElement('h3');
  const counts = data.systems.map((name, i) => (several ? name + ': ' : '') + s.errors[i] + ' wrong').join(', ');
  title.textContent = [s.number, s.id, counts].filter(Boolean).join(' · ');
  const frame = document.createElement('div');
  frame.append(draw(s, c));
  article.append(title, frame);
  return article;
}

const measure = document.createElement('canvas').getContext('2d');
function width(text, size) { measure.font = size + 'px sans-serif'; return measure.measureText(text).width; }

function node(name, attributes, text) {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function draw(s, c) {
  const arcs = [];
  s.words.forEach((word, i) => {
    const [one, other] = [c.view.one(s)[i], c.view.other(s)[i]];
    const same = !differs(one, other);
    if (one[0] >= 0) arcs.push({ head: one[0], dependent: i + 1, label: one[1], kind: same ? 'right' : 'gold' });
    if (!same && other[0] >= 0) arcs.push({ head: other[0], dependent: i + 1, label: other[1], kind: 'system' });
  });
  // The line of a root comes down at its word, from above all arcs there.
  const span = a => a.head === 0 ? [a.dependent - 1, a.dependent + 1] : [Math.min(a.head, a.dependent), Math.max(a.head, a.dependent)];
  // Short arcs are below long ones; an arc is above all arcs that it would touch.
  arcs.sort((a, b) => (a.head === 0) - (b.head === 0) || (span(a)[1] - span(a)[0]) - (span(b)[1] - span(b)[0]) || span(a)[0] - span(b)[0]);
  const height = new Array(s.words.length + 2).fill(0);
  for (const arc of arcs) {
    const [from, to] = span(arc);
    // Gaps between words, so that arcs that share a word can be on the same level.
    let level = 0;
    for (let i = from; i < to; i++) level = Math.max(level, height[i]);
    arc.level = level + 1;
    for (let i = from; i < to; i++) height[i] = arc.level;
  }
  const highest = Math.max(1, ...arcs.map(a => a.level));
  const base = highest * 20 + 22;
  const [places, gaps] = [[0], []];
  let x = 12;
  s.words.forEach((word, i) => {
    const labels = arcs.filter(a => a.dependent === i + 1 && (a.head === 0 || Math.abs(a.head - a.dependent) === 1)).map(a => width(a.label, 11) + 8);
    const wide = Math.max(width(word[0], 15), width(word[1], 10.5), 14, ...labels);
    gaps.push(x - 8);
    places.push(x + wide / 2);
    x += wide + 16;
  });
  const svg = node('svg', { width: Math.ceil(x), height: base + 40, role: 'img' });
  svg.gaps = [...gaps.slice(1), x];
  arcs.sort((a, b) => (a.kind !== 'right') - (b.kind !== 'right'));
  for (const arc of arcs) {
    const group = node('g', { class: arc.kind + '-arc' });
    const shift = arc.kind === 'gold' ? -3 : arc.kind === 'system' ? 3 : 0;
    const into = places[arc.dependent] + shift;
    const top = base - 6 - arc.level * 20;
    let middle = into;
    if (arc.head === 0) group.append(node('path', { d: `M${into} ${top + 4}V${base}` }));
    else {
      const from = places[arc.head] + (arc.dependent < arc.head ? -6 : 6);
      const bend = Math.min(8, Math.abs(from - into) / 2) * Math.sign(into - from);
      middle = (from + into) / 2;
      group.append(node('path', { d: `M${from} ${base}V${top + 8}Q${from} ${top} ${from + bend} ${top}H${into - bend}Q${into} ${top} ${into} ${top + 8}V${base}` }));
    }
    group.append(node('path', { class: 'arrow', d: `M${into - 3.5} ${base - 3}h7l-3.5 7z` }));
    group.append(node('text', { class: 'label' + (c.label && c.label === arc.label ? ' found' : ''), x: middle, y: top + 4 }, arc.label));
    group.append(node('title', {}, (arc.head ? s.words[arc.head - 1][0] : 'ROOT') + ' → ' + s.words[arc.dependent - 1][0] + ' ' + arc.label));
    svg.append(group);
  }
  s.words.forEach((word, i) => {
    const found = c.search && word[0].toLowerCase().includes(c.search) ? ' found' : '';
    svg.append(node('text', { class: 'form' + found, x: places[i + 1], y: base + 20 }, word[0]));
    svg.append(node('text', { class: 'tag', x: places[i + 1], y: base + 35 }, word[1]));
  });
  return svg;
}

// The filters and the URL.
const CHOICES = ['search', 'label', 'kind', 'view', 'order'];
function write() {
  const address = new URLSearchParams();
  for (const id of CHOICES) if (at(id).value && at(id).value !== at(id).dataset.first) address.set(id, at(id).value);
  if (at('differ').checked) address.set('differ', '1');
  history.replaceState(null, '', address.size ? '#' + address : location.pathname + location.search);
}
function read() {
  const address = new URLSearchParams(location.hash.slice(1));
  for (const id of CHOICES) at(id).value = address.get(id) ?? at(id).dataset.first ?? '';
  at('differ').checked = address.has('differ');
}
function change() { shown = PAGE; write(); list(); }

const labels = new Set();
for (const s of data.sentences) for (const arcs of [s.gold, ...s.systems]) for (const arc of arcs) labels.add(arc[1]);
for (const label of [...labels].sort()) at('label').append(new Option(label, label));
views.forEach((view, i) => at('view').append(new Option(view.name, i)));
at('view').hidden = !several;
at('differing').hidden = !several;
for (const id of CHOICES) at(id).dataset.first = at(id).value;
at('filters').addEventListener('input', change);
at('filters').addEventListener('submit', event => event.preventDefault());
at('more').addEventListener('click', () => { shown += PAGE; list(); });
at('theme').addEventListener('click', () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === 'dark';
  document.documentElement.classList.remove('dark', 'light');
  document.documentElement.classList.add(dark ? 'light' : 'dark');
});
document.addEventListener('click', event => {
  const label = event.target.dataset?.label;
  if (label === undefined) return;
  event.preventDefault();
  at('label').value = label;
  change();
  at('sentences').scrollIntoView();
});
window.addEventListener('hashchange', () => { read(); list(); });
// For printing, all sections are opened, and wide trees are split into strips between words.
const STRIP = 1000;
let folded = [];
function strips(svg) {
  const [width, height] = ['width', 'height'].map(name => +svg.getAttribute(name));
  if (width <= STRIP) return;
  const cuts = [0];
  svg.gaps.forEach((gap, i) => { if ((svg.gaps[i + 1] ?? gap) - cuts.at(-1) > STRIP) cuts.push(gap); });
  svg.replaceWith(...cuts.map((from, i) => {
    const wide = (cuts[i + 1] ?? width) - from;
    const strip = svg.cloneNode(true);
    strip.setAttribute('width', wide);
    strip.setAttribute('viewBox', `${from} 0 ${wide} ${height}`);
    return strip;
  }));
}
window.addEventListener('beforeprint', () => {
  folded = [...document.querySelectorAll('details:not([open])')];
  folded.forEach(part => { part.open = true; });
  document.querySelectorAll('article svg').forEach(strips);
});
window.addEventListener('afterprint', () => { folded.forEach(part => { part.open = false; }); list(); });
read();
list();
