// A Timeline draws units as bars on one axis of time, each step on lanes of its own, with their calls inside.
class Timeline {
  constructor(open) {
    this.open = open;
    this.lanes = [];
    this.canvas = h('canvas', { tabindex: '0', role: 'img', onkeydown: e => this.key(e), ondblclick: () => this.show(0, this.end),
      onpointerdown: e => this.press(e), onpointermove: e => this.move(e), onpointerup: e => this.release(e), onpointerleave: () => this.point(null) });
    this.canvas.addEventListener('wheel', e => this.wheel(e), { passive: false });
    this.tip = h('div', { class: 'tip', hidden: true });
    this.said = h('div', { class: 'unseen', 'aria-live': 'polite' });
    const button = (text, name, act) => h('button', { type: 'button', 'aria-label': name, title: name, onclick: act }, text);
    this.el = h('div', { class: 'timeline' },
      h('div', { class: 'tools' }, h('span', { class: 'quiet' }, 'Drag to move. Ctrl and wheel, or + and −, zoom.'),
        button('−', 'Zoom out', () => this.zoom(1.6)), button('+', 'Zoom in', () => this.zoom(1 / 1.6)), button('All', 'Show everything', () => this.show(0, this.end))),
      h('div', { class: 'drawing' }, this.canvas, this.tip), this.said);
    new ResizeObserver(() => this.draw()).observe(this.el);
    addEventListener('beforeprint', () => this.draw());
  }

  // set packs units into lanes: those of a step side by side where they overlap.
  set(units, pauses, duration) {
    const maxLanes = 24, whole = this.end === undefined || this.from === 0 && this.to === this.end;
    const groups = new Map(), rank = { failed: 2, stopped: 2, cut_off: 2, running: 1 };
    this.pauses = pauses || [];
    this.end = Math.max(duration, 1);
    for (const u of units) {
      if (u.status === 'not_begun' || u.status === 'skipped' && !u.took_ms) continue;
      const path = u.unit.replace(/\[\d+\]|[#~]\d+/g, ''), key = u.elements ? path + ' ' : path;
      if (!groups.has(key)) groups.set(key, { path, bars: [] });
      groups.get(key).bars.push(u);
      this.end = Math.max(this.end, u.begins_ms + u.took_ms);
    }
    this.lanes = [];
    const named = new Set();
    for (const { path, bars } of groups.values()) {
      const ends = [], first = this.lanes.length;
      for (const u of bars.sort((a, b) => a.begins_ms - b.begins_ms)) {
        let lane = ends.findIndex(end => end <= u.begins_ms);
        if (lane < 0) lane = ends.length < maxLanes ? ends.length : ends.length - 1;
        ends[lane] = Math.max(ends[lane] || 0, u.begins_ms + u.took_ms);
        (this.lanes[first + lane] ||= { path: lane || named.has(path) ? '' : path, first: !lane, bars: [] }).bars.push(u);
      }
      named.add(path);
    }
    for (const lane of this.lanes) lane.order = lane.bars.slice().sort((a, b) => (rank[a.status] || 0) - (rank[b.status] || 0));
    this.canvas.setAttribute('aria-label', `Timeline of ${count(units.length, 'unit')} over ${took(this.end)}. Arrows move and choose, plus and minus zoom, Enter opens a unit. The table below has the same units.`);
    if (whole) [this.from, this.to] = [0, this.end];
    this.draw();
  }

  show(from, to) {
    const least = Math.min(20, this.end), span = Math.min(Math.max(to - from, least), this.end);
    this.from = Math.max(0, Math.min(from, this.end - span));
    this.to = this.from + span;
    this.draw();
  }

  zoom(by, at = (this.from + this.to) / 2) { this.show(at - (at - this.from) * by, at + (this.to - at) * by); }

  x(t) { return this.gutter + (t - this.from) / (this.to - this.from) * this.room; }
  t(x) { return this.from + (x - this.gutter) / this.room * (this.to - this.from); }
  y(lane) { return this.lanes[lane].top; }

  draw() {
    const width = this.el.clientWidth, axis = 24, maxHeight = 6000;
    if (!width || !this.lanes.length) return;
    const many = this.lanes.length > 40, tall = many ? 9 : 18;
    let top = axis;
    for (const lane of this.lanes) {
      lane.top = top += lane.first && top > axis ? (many ? 4 : 6) : 0;
      lane.tall = tall;
      top += tall + 2;
    }
    const height = Math.min(top + 6, maxHeight), ratio = devicePixelRatio || 1;
    Object.assign(this, { gutter: Math.round(Math.min(170, width * 0.22)), height });
    this.room = width - this.gutter - 8;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.height = height + 'px';
    const c = this.c = this.canvas.getContext('2d');
    c.scale(ratio, ratio);
    c.font = '12px ' + getComputedStyle(this.el).fontFamily;
    c.textBaseline = 'middle';
    const colours = this.colours = Object.fromEntries(['good', 'bad', 'warn', 'wait', 'busy', 'off', 'text', 'quiet', 'line', 'back'].map(name => [name, colour(name)]));
    this.drawAxis(c, colours, height);
    this.lanes.forEach(lane => this.drawLane(c, colours, lane));
    c.fillStyle = colours.back;
    c.fillRect(0, axis, this.gutter, height);
    for (const lane of this.lanes) {
      if (!lane.path) continue;
      c.fillStyle = colours.text;
      c.fillText(this.fitted(c, visible(lane.path), this.gutter - 14, true), 0, lane.top + lane.tall / 2);
    }
  }

  // fitted cuts a text; of a path the end is left.
  fitted(c, text, width, path) {
    if (c.measureText(text).width <= width) return text;
    while (text && c.measureText(text + '…').width > width) text = path ? text.slice(1) : text.slice(0, -1);
    return path ? '…' + text : text + '…';
  }

  drawAxis(c, colours, height) {
    const most = Math.max(2, this.room / 90), span = this.to - this.from;
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5, 12e5, 18e5, 36e5, 72e5, 216e5, 864e5].find(s => span / s <= most) || 864e5;
    const label = t => t === 0 ? '0' : step < 1000 && t < 6e4 ? `${(t / 1000).toFixed(step < 10 ? 3 : step < 100 ? 2 : 1)} s` : took(t).replace('.0', '');
    c.strokeStyle = colours.line;
    c.fillStyle = colours.quiet;
    for (let t = Math.ceil(this.from / step) * step; t <= this.to; t += step) {
      const x = Math.round(this.x(t)) + 0.5;
      c.beginPath(); c.moveTo(x, 18); c.lineTo(x, height); c.stroke();
      c.textAlign = x > this.gutter + this.room - 30 ? 'right' : 'left';
      c.fillText(label(t), x + (c.textAlign === 'right' ? -2 : 0), 8);
    }
    c.textAlign = 'left';
    for (const [at] of this.pauses) {
      const x = Math.round(this.x(at)) + 0.5;
      c.strokeStyle = colours.wait;
      c.setLineDash([3, 3]); c.beginPath(); c.moveTo(x, 18); c.lineTo(x, height); c.stroke(); c.setLineDash([]);
    }
  }

  drawLane(c, colours, lane) {
    for (const u of lane.order) {
      const x = this.x(u.begins_ms), least = tone(u.status) === 'bad' || tone(u.status) === 'warn' ? 3 : 1.5;
      const width = Math.max(this.x(u.begins_ms + u.took_ms) - x, least);
      if (x > this.gutter + this.room || x + width < this.gutter) continue;
      const busy = u.calls?.length && width > 12, strip = Math.max(2, Math.round(lane.tall / 5));
      c.fillStyle = colours[tone(u.status)];
      c.globalAlpha = u.elements || busy ? 0.38 : 0.8;
      c.beginPath();
      c.roundRect(x, lane.top, Math.max(width - (width > 4 ? 1 : 0), least), lane.tall, Math.min(3, width / 3));
      c.fill();
      c.globalAlpha = 1;
      for (const [at, long, , status] of busy ? u.calls : []) {
        const bad = status === 'denied' || status === 'failed', a = this.x(at);
        c.fillStyle = bad ? colours.bad : colours[tone(u.status)];
        c.fillRect(a, bad ? lane.top : lane.top + lane.tall - strip, Math.max(this.x(at + long) - a, 2), bad ? lane.tall : strip);
      }
      if (u === this.chosen) { c.strokeStyle = colours.text; c.lineWidth = 2; c.strokeRect(x - 1, lane.top - 1, width + 2, lane.tall + 2); c.lineWidth = 1; }
      const text = u.label || (/\[\d+\]$/.test(u.unit) ? u.unit.match(/\[\d+\]$/)[0] : '');
      if (text && width > 60 && lane.tall > 12) {
        c.fillStyle = colours.text;
        const left = Math.max(x, this.gutter);
        c.fillText(this.fitted(c, visible(text).slice(-80), x + width - left - 8, text.includes('/')), left + 4, lane.top + lane.tall / 2);
      }
    }
  }

  // at returns the unit in a place, or near it.
  at(px, py) {
    const lane = this.lanes.find(l => py >= l.top - 1 && py <= l.top + l.tall + 1);
    if (!lane || px < this.gutter) return null;
    const near = 4, t = this.t(px), slack = near / this.room * (this.to - this.from);
    let best = null, distance = slack;
    for (const u of lane.order) {
      const d = Math.max(u.begins_ms - t, t - u.begins_ms - u.took_ms, 0);
      if (d <= distance) [best, distance] = [u, d];
    }
    return best;
  }

  place(e) { const r = this.canvas.getBoundingClientRect(); return [e.clientX - r.left, e.clientY - r.top]; }

  press(e) { this.dragged = { x: e.clientX, from: this.from, to: this.to, moved: false }; this.canvas.setPointerCapture(e.pointerId); }

  move(e) {
    const drag = this.dragged;
    if (drag) {
      drag.moved ||= Math.abs(e.clientX - drag.x) > 3;
      if (drag.moved) this.show(drag.from - (e.clientX - drag.x) / this.room * (drag.to - drag.from), drag.to - (e.clientX - drag.x) / this.room * (drag.to - drag.from));
    }
    this.point(drag?.moved ? null : this.at(...this.place(e)), ...this.place(e));
  }

  release(e) {
    const u = !this.dragged?.moved && this.at(...this.place(e));
    this.dragged = null;
    if (u) this.open(u);
  }

  point(u, x, y) {
    this.canvas.style.cursor = u ? 'pointer' : 'grab';
    this.tip.hidden = !u;
    if (!u) return;
    const t = this.t(x), call = u.calls?.find(([at, long]) => t >= at && t <= at + long);
    replace(this.tip, h('b', {}, u.unit), u.label && ' ' + u.label.slice(0, 80), h('br'), badge(u.status), ` ${took(u.took_ms)}`, u.cost_usd && `, ${dollars(u.cost_usd)}`, call && h('div', {}, `${call[2] || 'call'}: ${call[3] || 'succeeded'} in ${took(call[1])}`));
    this.tip.style.left = Math.min(x + 14, this.el.clientWidth - this.tip.offsetWidth - 4) + 'px';
    this.tip.style.top = y + 16 + 'px';
  }

  wheel(e) {
    if (e.ctrlKey || e.metaKey) this.zoom(e.deltaY > 0 ? 1.25 : 0.8, this.t(this.place(e)[0]));
    else if (Math.abs(e.deltaX) > Math.abs(e.deltaY)) { const by = e.deltaX / this.room * (this.to - this.from); this.show(this.from + by, this.to + by); }
    else return;
    e.preventDefault();
  }

  key(e) {
    const by = (this.to - this.from) / 8;
    const acts = {
      '+': () => this.zoom(1 / 1.6), '=': () => this.zoom(1 / 1.6), '-': () => this.zoom(1.6), 0: () => this.show(0, this.end), Home: () => this.show(0, this.to - this.from),
      ArrowLeft: () => this.show(this.from - by, this.to - by), ArrowRight: () => this.show(this.from + by, this.to + by),
      ArrowDown: () => this.choose(1), ArrowUp: () => this.choose(-1), Enter: () => this.chosen && this.open(this.chosen),
    };
    if (e.ctrlKey || e.metaKey || e.altKey || !acts[e.key]) return;
    e.preventDefault();
    acts[e.key]();
  }

  choose(step) {
    const seen = this.lanes.flatMap(l => l.bars).filter(u => u.begins_ms <= this.to && u.begins_ms + u.took_ms >= this.from);
    this.chosen = seen[Math.max(0, Math.min(seen.length - 1, seen.indexOf(this.chosen) + step))];
    replace(this.said, this.chosen && `${this.chosen.unit} ${this.chosen.label || ''} ${words(this.chosen.status)}, ${took(this.chosen.took_ms)}`);
    this.draw();
  }
}
