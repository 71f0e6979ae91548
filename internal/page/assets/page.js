// A Page shows a run: from the data in the report, or from the server while the run goes on.
class Page {
  constructor(data) {
    this.live = data.live;
    this.id = data.id;
    this.control = data.control;
    this.one = data.one;
    this.root = document.getElementById('page');
    this.table = new Table({ label: 'Units', columns: unitColumns, sort: '', empty: 'Nothing has begun yet.', open: u => this.open(u) });
    this.filters = filters(this.table, { label: 'Search units', search: u => `${u.unit} ${u.label || ''} ${u.reason || ''} ${u.model || ''}`, status: u => u.status, counted });
    this.timeline = new Timeline(u => this.open(u));
    this.drawer = new Drawer(this);
    this.head = h('header', { class: 'run' });
    this.charts = h('div');
    this.graph = h('div');
    this.rest = h('div');
    this.byUnit = new Map();
    replace(this.root, h('a', { class: 'skip', href: '#@units' }, 'Skip to the units'), h('main', {}, this.head,
      section('timeline', 'Timeline', this.timeline.el), this.charts, section('units', 'Units', this.filters.el, this.table.el), this.graph, this.rest), this.drawer.el);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (this.data) this.set(this.data, true); });
    if (!data.live) this.set(data);
    else { this.root.classList.add('unread'); replace(this.head, h('p', { class: 'quiet' }, 'Reading the run…')); this.listen(); }
  }

  open(u) { location.hash = '#' + u.unit; }

  // set shows the data. Charts of a run that goes on are drawn less often.
  set(data, anew) {
    const between = 2000, fresh = anew || data.run.state !== 'running' || !(Date.now() - this.charted < between);
    this.data = data;
    this.root.classList.remove('unread');
    this.kept = data.conversations;
    this.byUnit = new Map(data.units.map(u => [u.unit, u]));
    document.title = visible(`${data.run.workflow} – ${words(data.outcome || data.run.state)} – ${data.run.run_id}`);
    replace(this.head, this.title(), this.tiles(), this.trouble(), (data.waiting || []).length > 0 && this.waiting(), this.notes());
    this.timeline.set(data.units, data.pauses, data.run.duration_ms);
    this.table.set(data.units);
    this.filters.update();
    if (fresh) { this.charted = Date.now(); replace(this.charts, charts(data)); }
    replace(this.graph, graph(this));
    replace(this.rest, this.values(), this.foot());
    if (this.drawer.address === undefined) this.drawer.follow();
    else this.drawer.show();
  }

  // listen takes the state of the run from the server, and then what changes in it.
  listen() {
    const source = new EventSource(`/run/${encodeURIComponent(this.id)}/events`);
    source.onmessage = e => {
      const news = JSON.parse(e.data);
      if (news.problem) return void replace(this.head, h('p', { class: 'note bad' }, news.problem));
      const units = news.whole ? new Map() : new Map(this.byUnit);
      for (const u of news.units) units.set(u.unit, u);
      this.set({ ...news.head, units: inOrder([...units.values()], news.head.steps) });
    };
    source.onopen = () => document.body.classList.remove('lost');
    source.onerror = () => document.body.classList.add('lost');
  }

  title() {
    const { run, outcome } = this.data, state = run.state || 'unreadable';
    const live = this.live && h('span', { class: 'live', title: 'This page follows the run' }, h('span', { class: 'on' }, 'live'), h('span', { class: 'gone' }, 'disconnected'));
    return [this.live && !this.one && h('p', { class: 'path' }, h('a', { href: '/' }, 'All runs')),
      h('div', { class: 'name' }, h('h1', {}, run.workflow || 'A run'), badge(outcome || state, words(outcome || state)), live, this.control && buttons(this)),
      h('p', { class: 'quiet' }, `Run ${run.run_id}, began ${moment(run.started_at)}`)];
  }

  tiles() {
    const { run, units } = this.data, d = this.data;
    const tile = (name, value, more) => h('div', {}, h('dt', {}, name), h('dd', {}, value, more && h('small', {}, more)));
    const leaves = units.filter(counted), bad = leaves.filter(u => ['failed', 'stopped', 'cut_off'].includes(u.status)).length, done = leaves.filter(u => u.status === 'succeeded').length;
    const cost = run.cost_usd == null ? 'unknown' : dollars(run.cost_usd);
    return h('dl', { class: 'tiles' }, tile('Time', took(run.duration_ms)),
      tile('Cost', cost, run.cost_usd == null ? d.unpriced_models && `no price for ${d.unpriced_models.join(', ')}` : d.budget.cost_usd ? `of ${dollars(d.budget.cost_usd)}` : ''),
      tile('Tokens', tokens(d.tokens), d.usage ? `${tokens(d.usage.input_tokens)} in, ${tokens(d.usage.output_tokens)} out` : ''),
      tile('Units', number(leaves.length), `${number(done)} succeeded` + (bad ? `, ${number(bad)} ${leaves.some(u => u.status === 'stopped' || u.status === 'cut_off') ? 'did not' : 'failed'}` : '')), tile('Turns', number(d.turns)), tile('Calls', number(d.tool_calls), d.denied_calls ? `${number(d.denied_calls)} denied` : ''));
  }

  // trouble says what failed first, why, and what to do next.
  trouble() {
    const { run, error, next, short } = this.data, first = run.failed_first;
    const unlike = error && (!first || error.unit !== first.unit && error.message !== first.message) && run.state !== 'waiting';
    const commands = next?.length > 0 && h('div', { class: 'next' }, next.map(command));
    if (run.broken) return h('section', { class: 'card bad' }, h('h2', {}, 'The journal is damaged'), h('p', {}, run.broken, '. What comes after that is not shown.'));
    if (!first && !unlike) return commands ? h('section', { class: 'card off' }, h('h2', {}, 'What next'), commands) : null;
    return h('section', { class: 'card ' + (run.in_part ? 'warn' : 'bad') }, h('h2', {}, first ? ['Failed first: ', link(first.unit, first.unit), first.label && h('span', { class: 'quiet' }, ` (${first.label})`)] : 'Why it failed'),
      first && failure(first), unlike && first && h('h3', {}, run.state === 'failed' ? 'The run failed' : `The run was ${words(run.state)}`), unlike && failure(error), short?.length > 0 && h('ul', { class: 'short' }, short.map(s => h('li', {}, s))), commands);
  }

  waiting() {
    const { waiting, more_waiting: more } = this.data;
    return h('section', { class: 'card wait' }, h('h2', {}, `Waits for ${count(waiting.length + (more || 0), 'answer')}`), waiting.map(w => this.question(w)), more && h('p', { class: 'quiet' }, `${number(more)} more are not shown.`));
  }

  question(w) {
    const over = w.until && new Date(w.until) < new Date();
    return h('article', { class: 'question' }, h('h3', {}, link(w.unit, w.unit), h('span', { class: 'quiet' }, w.label && ` ${w.label}`, w.recipe && ` of recipe ${w.recipe}`, w.tool ? ' asks to make a call' : ' asks')),
      w.tool ? h('pre', {}, `${w.tool} ${json(w.arguments)}`) : h('pre', { class: 'said' }, (w.question || '').trim()),
      h('p', { class: 'quiet' }, w.rule && ['The rule ', h('code', {}, w.rule), ' requires approval. '], w.form && !(this.control && !over) && `Answers: ${w.form}. `, w.until && `${over ? 'The time was over' : 'Until'} ${moment(w.until)}${w.default !== undefined ? `, then the answer is ${json(w.default)}` : ''}.`),
      this.control && !this.data.working ? answerForm(this, w) : h('div', { class: 'next' }, w.commands.map(command)));
  }

  notes() {
    const { warnings, denials } = this.data, list = (title, lines, n = lines?.length) => n > 0 && h('details', { class: 'block' }, h('summary', {}, h('span', { class: 'name' }, count(n, title))), h('ul', {}, lines.map(l => h('li', {}, l))));
    return [warnings?.length > 0 && list('warning', warnings), denials?.length > 0 && list('denied call', denials, this.data.denied_calls || denials.length), this.data.said && block('What flow resume said', this.data.said, true)];
  }

  values() {
    const { inputs, outputs, findings } = this.data;
    const each = values => Object.entries(values || {}).map(([name, value]) => block(name, value));
    const parts = [['Outputs', each(outputs)], ['Findings', [block('findings', findings, false)]], ['Inputs', each(inputs)]].filter(([, blocks]) => blocks.some(Boolean));
    return parts.map(([title, blocks]) => section(title.toLowerCase(), title, blocks));
  }

  foot() {
    const kept = this.kept;
    return h('footer', { class: 'quiet' }, kept && kept.kept < kept.of && h('p', {}, `The conversations of ${number(kept.kept)} of ${number(kept.of)} units are in this file, first of those that did not succeed; to write all of them: `, h('code', {}, `flow report ${this.data.name} --full`)),
      h('p', {}, this.data.written_at ? `Written ${moment(this.data.written_at)} by flow. ` : '', `Folder: ${this.data.run.folder}`));
  }

  leftOut(u) { return u.status !== 'not_begun' && this.kept && this.kept.kept < this.kept.of ? 'This file does not have the conversation of the unit. To see it: ' : 'Nothing is known of what it did. To look again: '; }

  // unitAt returns the unit of an address, which may leave out rounds and attempts: the last one is meant.
  unitAt(address) {
    const plain = address.replace(/~\d+$/, ''), bare = a => a.replace(/[#~]\d+/g, '');
    return this.byUnit.get(plain) || this.data.units.findLast(u => bare(u.unit) === bare(address));
  }

  // conversation returns attempts of a unit: that one, or the last one first.
  async conversation(unit, attempt) {
    if (this.live) {
      const answer = await fetch(`/run/${encodeURIComponent(this.id)}/unit?${new URLSearchParams({ unit: unit + (attempt || '') })}`);
      if (!answer.ok) throw new Error(await answer.text());
      return answer.json();
    }
    if (document.readyState === 'loading') await new Promise(done => addEventListener('DOMContentLoaded', done));
    if (!this.talks) {
      const start = '[{"unit":{"run_id":';
      this.talks = new Map([...document.querySelectorAll('script.unit')].map(s => [/"unit":"([^"]*)"/.exec(s.textContent.slice(start.length, 70_000))?.[1].replace(/~\d+$/, ''), s]));
    }
    const is = this.talks.get(unit);
    return is && JSON.parse(is.textContent);
  }
}

// counted are the units of which numbers are told: a foreach is told by its elements.
const counted = u => !u.elements?.total;

const capital = text => text[0].toUpperCase() + text.slice(1);
const command = c => [h('p', { class: 'quiet' }, capital(c.does)), copyable(c.command)];

// inOrder sorts units as the file has the steps, elements by their index.
function inOrder(units, steps) {
  const rank = new Map(steps.map((s, i) => [s.path, i])), order = new Map();
  for (const u of units) {
    let path = '';
    order.set(u, u.unit.split('/').flatMap(part => {
      const name = part.match(/^[\w-]+/)?.[0] || '', at = mark => Number(part.match(mark)?.[1] ?? -1);
      path = path ? `${path}/${name}` : name;
      return [at(/#(\d+)/), rank.get(path) ?? 0, at(/\[(\d+)\]/)];
    }));
  }
  return units.sort((a, b) => {
    const x = order.get(a), y = order.get(b), i = x.findIndex((n, i) => n !== y[i]);
    return i < 0 ? x.length - y.length : x[i] - (y[i] ?? -1);
  });
}

const unitColumns = [
  { name: 'unit', title: 'Unit', narrow: 'narrow', value: u => u.unit.replace(/\d+/g, n => n.padStart(9, '0')), cell: u => [link(u.unit, u.unit), u.label && labelled(u.label)] },
  { name: 'status', title: 'Status', narrow: 'narrow', value: u => u.status, cell: u => [badge(u.status), u.reason && h('span', { class: 'quiet' }, words(u.reason))] },
  { name: 'model', title: 'Model', value: u => u.model || '', cell: u => u.model || '' },
  { name: 'turns', title: 'Turns', number: true, value: u => u.turns || 0, cell: u => u.turns ? number(u.turns) : '' },
  { name: 'calls', title: 'Calls', number: true, value: u => u.tool_calls || 0, cell: u => u.tool_calls ? number(u.tool_calls) : '' },
  { name: 'tokens', title: 'Tokens', number: true, value: u => u.tokens || 0, cell: u => u.tokens ? number(u.tokens) : '' },
  { name: 'cost', title: 'Cost', number: true, value: u => u.cost_usd || 0, cell: u => u.cost_usd ? dollars(u.cost_usd) : '' },
  { name: 'time', title: 'Time', number: true, narrow: 'narrow', value: u => u.took_ms, cell: u => u.status === 'not_begun' ? '' : took(u.took_ms) },
];

