// usage is a table of what each step, or each model, has used, with bars in its cells.
function usage(title, name, rows, columns) {
  const maxRows = 30;
  rows = rows.filter(row => columns.some(c => c.value(row) > 0)).slice(0, maxRows);
  const shown = columns.map(c => ({ ...c, max: Math.max(...rows.map(c.value), 0) })).filter(c => c.max > 0);
  if (!rows.length || !shown.length) return null;
  const cell = (c, row) => h('td', { class: 'number' }, c.value(row) > 0 && [h('span', { class: 'bar', vars: { '--share': `${100 * c.value(row) / c.max}%` } }), h('span', {}, c.text(c.value(row)))]);
  return h('div', { class: 'usage' }, h('table', {}, h('caption', {}, title),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, name), shown.map(c => h('th', { scope: 'col', class: 'number' }, c.title)))),
    h('tbody', {}, rows.map(row => h('tr', {}, h('th', { scope: 'row', title: visible(row.unit || row.model || '') }, row.unit ? link(row.unit, row.unit) : row.model), shown.map(c => cell(c, row)))))));
}

const measures = [
  { title: 'Cost', value: r => r.cost_usd || 0, text: dollars },
  { title: 'Tokens', value: r => r.tokens || 0, text: tokens },
  { title: 'Time', value: r => r.took_ms || 0, text: took },
];

// plot draws a chart once its place has a width, and again when that changes.
function plot(label, height, options, data) {
  const el = h('div', { class: 'plot', role: 'img', 'aria-label': label });
  let chart, width = 0;
  const draw = () => {
    if (!el.clientWidth) return;
    width = el.clientWidth;
    chart?.destroy();
    const axis = { stroke: colour('quiet'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false }, font: '11px ' + getComputedStyle(el).fontFamily, gap: 4, size: 24 };
    chart = new uPlot({ width, height, legend: { show: false }, cursor: { show: false }, padding: [8, 12, 0, 0], ...options(axis) }, data, el);
  };
  new ResizeObserver(() => { if (el.clientWidth !== width) draw(); }).observe(el);
  return el;
}

// costOverTime is what the run had used at each time, with its budget if it has one.
function costOverTime(data) {
  const priced = data.spent.some(p => p[2] > 0), at = priced ? 2 : 1;
  if (data.spent.length < 2 || !data.spent.at(-1)[1]) return null;
  const points = [[0, 0, 0], ...data.spent, [data.run.duration_ms, data.spent.at(-1)[1], data.spent.at(-1)[2]]];
  const budget = priced ? data.budget.cost_usd : data.budget.tokens, last = points.at(-1)[at];
  const text = priced ? dollars : tokens, near = budget && budget < last * 20;
  const xs = points.map(p => p[0]), series = [xs, points.map(p => p[at])];
  if (near) series.push(xs.map(() => budget));
  const said = budget ? `${text(last)} of ${text(budget)}` : text(last);
  return figure(priced ? 'Cost over time' : 'Tokens over time', said + (budget ? `, ${Math.round(100 * last / budget)} % of the budget` : ''),
    plot(`${priced ? 'Cost' : 'Tokens'} over time: ${said}`, 170, axis => ({
      scales: { x: { time: false }, y: { range: (_, low, high) => [0, Math.max(high, near ? budget : 0) * 1.08 || 1] } },
      axes: [{ ...axis, values: (_, all) => all.map(took), space: 80 }, { ...axis, values: (_, all) => all.map(text), size: 58 }],
      series: [{}, { stroke: colour('accent'), width: 2, fill: colour('accent-soft'), paths: uPlot.paths.stepped({ align: 1 }), points: { show: false } }, ...(near ? [{ stroke: colour('bad'), dash: [5, 4], width: 1.5, points: { show: false } }] : [])],
    }), series));
}

const figure = (title, said, ...children) => h('figure', {}, h('figcaption', {}, h('b', {}, title), said && h('span', { class: 'quiet' }, said)), ...children);

// distribution shows how the elements of a foreach differ, and names those far beyond the others.
function distribution(title, elements, value, text) {
  const values = elements.map(value).sort((a, b) => a - b), n = values.length;
  if (n < 5 || values[n - 1] === values[0]) return null;
  const quantile = q => values[Math.min(n - 1, Math.floor(q * n))], [first, median, third] = [0.25, 0.5, 0.75].map(quantile);
  const maxOutliers = Math.max(3, n / 20), beyond = 3 * Math.max(third - first, third * 0.1, text === number ? 1 : 0);
  const isFar = v => v < first - beyond || v > third + beyond, near = values.filter(v => !isFar(v));
  const far = elements.filter(u => isFar(value(u))).sort((a, b) => Math.abs(value(b) - median) - Math.abs(value(a) - median));
  const maxBins = 24, low = near[0], high = far.length > maxOutliers ? quantile(0.98) : near.at(-1);
  const whole = values.every(Number.isInteger) && high - low < maxBins, bins = whole ? Math.round(high - low) + 1 : Math.min(maxBins, Math.max(6, Math.ceil(Math.sqrt(n))));
  const size = whole ? 1 : (high - low) / bins || low / 10 || 1, counts = new Array(bins).fill(0);
  for (const v of values) if (v >= low && v <= high) counts[Math.min(bins - 1, Math.floor((v - low) / size))]++;
  const xs = counts.map((_, i) => low + i * size);
  return figure(title, `median ${text(median)}, 95 % below ${text(quantile(0.95))}`,
    plot(`${title} of ${count(n, 'element')}: median ${text(median)}`, 130, axis => ({
      scales: { x: { time: false, range: [low - (whole ? size / 2 : 0), low + bins * size - (whole ? size / 2 : 0)] }, y: { range: (_, a, b) => [0, b * 1.08 || 1] } },
      axes: [{ ...axis, grid: { show: false }, values: (_, all) => all.map(v => whole && v % 1 ? '' : text(v)), space: 70 }, { ...axis, size: 44, values: (_, all) => all.map(v => v % 1 ? '' : number(v)) }],
      series: [{}, { fill: colour('accent-soft'), stroke: colour('accent'), width: 1, paths: uPlot.paths.bars({ align: whole ? 0 : 1, size: [0.9, 60] }), points: { show: false } }],
    }), [xs, counts]),
    far.length > 0 && h('p', { class: 'far' }, far.length > maxOutliers ? 'farthest: ' : count(far.length, 'outlier') + ': ', far.slice(0, 4).map((u, i) => [i > 0 && ', ', link(u.unit, u.label ? ending(u.label, 40) : u.unit), ` (${text(value(u))})`]), far.length > 4 && ', …'));
}

// charts are all charts of a run.
function charts(data) {
  const plain = u => !/\[\d+\]|#\d+/.test(u.unit), top = data.units.filter(u => plain(u) && !u.unit.includes('/'));
  const lists = data.units.filter(u => u.elements && u.elements.total > 4);
  const of = list => data.units.filter(u => u.unit.startsWith(list.unit + '[') && !u.unit.slice(list.unit.length).includes('/') && !['not_begun', 'skipped'].includes(u.status));
  const distributions = lists.slice(0, 4).map(list => {
    const all = of(list);
    const figures = [distribution('Time', all, u => u.took_ms, took), distribution('Cost', all, u => u.cost_usd || 0, dollars), distribution('Turns', all, u => u.turns || 0, number)].filter(Boolean);
    return figures.length > 0 && [h('h3', {}, `Elements of ${list.unit}`), h('div', { class: 'figures three' }, figures)];
  });
  const overTime = costOverTime(data), steps = usage('By step', 'Step', top, measures), models = usage('By model', 'Model', data.models, measures.map(m => m.title === 'Time' ? { ...m, title: 'Answering' } : m));
  if (!overTime && !steps && !models) return null;
  return section('charts', 'Usage', h('div', { class: 'figures' }, overTime, h('div', { class: 'stack' }, steps, models)), distributions);
}
