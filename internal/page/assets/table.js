// A Table shows any number of rows and has elements only for those that one sees.
// columns: {name, title, value(row), cell(row), number, narrow: shown on a small screen, first: sorted downwards}.
class Table {
  constructor({ label, columns, sort, open, empty }) {
    Object.assign(this, { columns, open, empty, sort, down: columns.find(c => c.name === sort)?.down || false });
    this.rows = this.shown = [];
    this.active = -1;
    this.keep = () => true;
    this.head = h('div', { class: 'row head', role: 'row' }, columns.map(c => h('span', { role: 'columnheader', class: this.classOf(c) },
      h('button', { type: 'button', onclick: () => this.by(c) }, c.title, h('span', { class: 'arrow', 'aria-hidden': 'true' })))));
    this.space = h('div', { class: 'space', role: 'rowgroup' });
    this.body = h('div', { class: 'scroll', tabindex: '0', role: 'table', 'aria-label': label, onscroll: () => this.draw(), onkeydown: e => this.key(e) }, h('div', { role: 'rowgroup', class: 'top' }, this.head), this.space);
    this.none = h('p', { class: 'quiet none', hidden: true });
    this.el = h('div', { class: 'table' }, this.body, this.none);
    new ResizeObserver(() => this.draw()).observe(this.body);
    addEventListener('beforeprint', () => { this.printing = true; this.draw(); });
    addEventListener('afterprint', () => { this.printing = false; this.draw(); });
  }

  classOf(c) { return [c.name, c.number && 'number', c.narrow || 'wide'].filter(x => typeof x === 'string').join(' '); }

  by(column) {
    this.down = this.sort === column.name ? !this.down : !!column.number;
    this.sort = column.name;
    this.refresh();
  }

  set(rows) { this.rows = rows; this.refresh(); }

  filter(keep) { this.keep = keep; this.body.scrollTop = 0; this.refresh(); }

  refresh() {
    const column = this.columns.find(c => c.name === this.sort), sign = this.down ? -1 : 1;
    const active = this.shown[this.active];
    this.shown = this.rows.filter(this.keep);
    if (column) {
      const by = new Map(this.shown.map((row, i) => [row, [column.value(row), i]]));
      this.shown.sort((a, b) => {
        const [x, i] = by.get(a), [y, j] = by.get(b);
        return sign * (typeof x === 'number' ? x - y : x < y ? -1 : x > y ? 1 : 0) || i - j;
      });
    }
    this.active = active ? this.shown.indexOf(active) : -1;
    this.columns.forEach((c, i) => this.head.children[i].setAttribute('aria-sort', c.name !== this.sort ? 'none' : this.down ? 'descending' : 'ascending'));
    this.body.setAttribute('aria-rowcount', this.shown.length + 1);
    this.none.hidden = this.shown.length > 0;
    replace(this.none, this.rows.length ? 'Nothing fits the filter.' : this.empty);
    this.drawn = null;
    this.draw();
  }

  draw() {
    const height = this.height ||= parseFloat(getComputedStyle(this.body).getPropertyValue('--row')) || 34;
    const maxPrinted = 1000, beside = 6;
    let from = Math.max(0, Math.floor(this.body.scrollTop / height) - beside);
    let to = Math.min(this.shown.length, Math.ceil((this.body.scrollTop + this.body.clientHeight) / height) + beside);
    if (this.printing) [from, to] = [0, Math.min(this.shown.length, maxPrinted)];
    const key = [from, to, this.active].join();
    if (key === this.drawn) return;
    this.drawn = key;
    this.space.style.height = (this.printing ? to : this.shown.length) * height + 'px';
    this.space.replaceChildren(...this.shown.slice(from, to).map((row, i) => this.row(row, from + i, height)));
  }

  row(row, index, height) {
    const el = h('div', { class: 'row' + (index === this.active ? ' active' : ''), role: 'row', 'aria-rowindex': index + 2, onclick: e => { if (!e.target.closest('a')) this.open(row); } },
      this.columns.map(c => h('span', { role: 'cell', class: this.classOf(c) }, c.cell(row))));
    el.style.transform = `translateY(${index * height}px)`;
    return el;
  }

  key(e) {
    const page = Math.floor(this.body.clientHeight / this.height) - 2;
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (e.target !== this.body) return;
    if (e.key === 'Enter' && this.shown[this.active]) this.open(this.shown[this.active]);
    if (!(e.key in steps)) return;
    e.preventDefault();
    this.active = Math.max(0, Math.min(this.shown.length - 1, this.active + steps[e.key]));
    const top = this.active * this.height, room = this.body.clientHeight - 2 * this.height;
    if (top < this.body.scrollTop) this.body.scrollTop = top;
    if (top > this.body.scrollTop + room) this.body.scrollTop = top - room;
    this.draw();
  }
}

// filters are a search and a choice of states above a table.
// Rows that are not counted show up as long as no state is chosen.
function filters(table, { search, status, label, counted = () => true }) {
  let text = '', chosen = '';
  const apply = () => table.filter(row => (!chosen || status(row) === chosen && counted(row)) && (!text || search(row).toLowerCase().includes(text)));
  const input = h('input', { type: 'search', placeholder: label, 'aria-label': label, oninput: () => { text = input.value.trim().toLowerCase(); apply(); } });
  const chips = h('div', { class: 'chips', role: 'group', 'aria-label': 'Status' });
  const update = () => {
    const counts = new Map();
    const rows = table.rows.filter(counted);
    for (const row of rows) counts.set(status(row), (counts.get(status(row)) || 0) + 1);
    const chip = (state, text, n) => h('button', { type: 'button', class: 'chip ' + (state && tone(state)), 'aria-pressed': String(chosen === state), onclick: () => { chosen = state; update(); apply(); } }, text, ' ', h('b', {}, number(n)));
    if (chosen && !counts.has(chosen)) counts.set(chosen, 0);
    replace(chips, chip('', 'all', rows.length), [...counts].sort((a, b) => b[1] - a[1]).map(([state, n]) => chip(state, words(state), n)));
  };
  const choose = (state, of) => { chosen = state; input.value = text = of || ''; update(); apply(); };
  return { el: h('div', { class: 'filters' }, input, chips), update, choose };
}
