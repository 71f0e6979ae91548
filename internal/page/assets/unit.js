// A Conversation shows the records of an attempt of a unit in their order: its work, turns, calls, checks, its result.
class Conversation {
  constructor({ unit }, page) {
    this.page = page;
    this.unit = unit.unit.replace(/~\d+$/, '');
    this.ran = new Map(); // how often each tool was called
    const began = new Set((unit.records || []).filter(r => r.kind === 'call').map(r => r.call));
    this.invalid = new Set((unit.records || []).filter(r => r.kind === 'answer' && r.status === 'failed' && !began.has(r.call)).map(r => r.call));
    this.el = h('div', { class: 'conversation' });
    this.calls = new Map();
    this.begun = new Map();
    this.last = null;
    this.repairs = 0;
    for (const record of unit.records || []) {
      this.take(record, record.data || {});
      this.last = record.time;
    }
  }

  add(...children) { add(this.el, children); }

  since(time, from = this.last) { return from ? took(Math.max(0, new Date(time) - new Date(from))) : ''; }

  take(r, data) {
    switch (r.kind) {
      case 'began': return this.began(data);
      case 'said': return this.said(r, data);
      case 'call': this.begun.set(r.call || data.place, [r.time, data]); return this.call(this.callOf(data), data, null);
      case 'answer': return this.answered(r, data);
      case 'warned': return this.note('warn', [data.message, data.error].filter(Boolean).join(': '));
      case 'again': this.result(r, data); return this.note('warn', `Tried again after this failure (${words(r.reason)})`);
      case 'asked': return this.note('wait', data.tool ? `Waits for approval of ${data.tool}: the rule ${data.rule || 'ask'}` : `Asked a person: ${data.text || ''}`);
      case 'answered': return this.reply(r, data);
      case 'decided': return this.decided(r, data);
      case 'ended': return this.result(r, data);
    }
  }

  note(tone, ...text) { this.add(h('p', { class: 'note ' + tone }, text)); }

  began(work) {
    if (this.work) return this.note('off', 'Continued after the run was resumed');
    this.work = work;
    const { agent, script, question } = work;
    this.checks = agent?.checks || [];
    if (agent) {
      this.add(h('p', { class: 'quiet' }, [agent.models?.length > 1 && `Models: ${agent.models.join(', then ')}`, work.tools?.length > 0 && `Tools: ${work.tools.map(t => t.name).join(', ')}`].filter(Boolean).join(' · ')));
      this.add(block('System', agent.system, false), block('Prompt', agent.prompt, true));
    }
    if (script) this.add(block('Script', script.source, true), script.values?.length > 0 && block('Values', script.values.map(v => `${v.Name || v.name}=${v.Value || v.value}`).join('\n')));
    if (question) this.add(block('Question', question.text, true));
    if (!agent && work.arguments) this.add(block(work.tools?.[0]?.name || 'Call', work.arguments, true));
    if (work.inputs) this.add(block('Inputs', work.inputs));
    if (work.rules?.length) this.add(block('Rules', rulesText(work.rules), false));
  }

  said(r, data) {
    this.turn = new Map();
    const name = this.repair ? `Turn ${data.turn}, repair ${this.repair}` : `Turn ${data.turn}`;
    this.repair = 0;
    const used = r.used || {}, all = (used.usage?.input_tokens || 0) + (used.usage?.output_tokens || 0);
    const about = [this.since(r.time), all > 0 && `${number(all)} tokens`, used.cost_usd && dollars(used.cost_usd), used.cached_turns && 'cached', data.retries && `after ${count(data.retries, 'retry')}`, data.last && 'closing turn', data.cut && 'interrupted'];
    const model = data.message?.model || data.used?.at(-1)?.model;
    const turn = h('section', { class: 'turn' }, h('h4', {}, name, h('span', { class: 'quiet' }, about.filter(Boolean).join(' · ')), model && model !== this.work?.agent?.models?.[0] && h('span', { class: 'quiet model' }, model)));
    let place = 0;
    for (const b of data.message?.blocks || []) {
      if (b.type === 'thinking') add(turn, [block('Thinking', b.text, false)]);
      else if (b.type === 'text') { this.text = (b.text || '').trim(); add(turn, [block('Text', b.text)]); }
      else if (b.type === 'tool_call') {
        const el = h('details', { class: 'call off' });
        const made = { el, block: b, unit: this.unitOf(b) };
        this.turn.set(place++, made);
        this.call(made, { tool: b.name, arguments: b.arguments }, null);
        add(turn, [el]);
      }
    }
    if (data.error) add(turn, [h('p', { class: 'note bad' }, `${data.error.message} (${words(data.error.kind)})`)]);
    this.add(turn);
  }

  // unitOf returns the unit of a call that runs a workflow: the valid calls of a tool are its elements.
  unitOf({ id, name }) {
    if (this.invalid.has(id)) return null;
    const n = this.ran.get(name) || 0;
    this.ran.set(name, n + 1);
    return this.page.byUnit.get(`${this.unit}/${name}[${n}]`);
  }

  // callOf returns where a call is shown: in its turn, if that is known.
  callOf(data) {
    const known = this.turn?.get(data.place);
    if (known) return known;
    const el = h('details', { class: 'call off' });
    this.add(el);
    const made = { el, block: { name: data.tool, arguments: data.arguments } };
    (this.turn ||= new Map()).set(data.place, made);
    return made;
  }

  call({ el, block: b, unit }, data, answer, time) {
    const begun = answer && this.begun.get(answer.call || data.place);
    const status = answer ? data.status : 'running', rule = data.reason || data.rule || begun?.[1].rule;
    el.className = 'call ' + (answer ? tone(status) : 'busy');
    const args = b.arguments ?? data.arguments;
    replace(el, h('summary', {}, h('code', { class: 'tool' }, b.name || data.tool || 'call'), ' ', h('code', { class: 'first' }, mainArgument(args)),
      h('span', { class: 'how' }, status !== 'succeeded' && answer && badge(status), begun && h('span', { class: 'quiet' }, this.since(time, begun[0])))),
      rule && h('p', { class: 'quiet' }, status === 'denied' ? 'Denied: ' : 'Allowed by ', h('code', {}, rule)),
      unit && h('p', {}, link(unit.unit, unit.unit)),
      args != null && block('Arguments', args),
      data.error && h('p', { class: 'note bad' }, data.error),
      answer && !(status === 'denied' && rule && data.content?.trim() === `Denied: ${rule}.`) && block(data.truncated ? 'Answer, truncated' : 'Answer', data.content, true),
      data.lost && h('p', { class: 'quiet' }, 'The whole output was not kept.'), wholeIn(answer));
    if (status === 'denied') el.open = true;
  }

  answered(r, data) { this.call(this.callOf(data), data, r, r.time); }

  reply(r, data) {
    const by = data.by === 'time' ? 'No answer in time' : 'A person answered';
    const comment = data.comment ? ` “${data.comment}”` : '';
    if (r.call) return this.note(data.allowed ? 'good' : 'bad', `A person ${data.allowed ? 'approved' : 'denied'} the call ${r.call}${comment}`);
    this.note('good', data.value === undefined ? by : [`${by}: `, h('code', {}, json(data.value)), comment]);
  }

  decided(r, data) {
    if (r.about === 'if') return this.note('off', `Its condition was ${Boolean(r.holds)}`);
    if (r.about === 'until') return this.note('off', `After round ${r.count} its condition was ${Boolean(r.holds)}`);
    if (r.about === 'elements') return this.note('off', `Goes over ${count(r.count || 0, 'element')}`);
    if (r.about === 'keep') { this.note('off', 'Its result was kept after the files changed'); return this.result(r, data); }
    if (data.time_up) this.note('warn', 'The time of the step was over');
    if (data.check) this.checked(r, data.check);
  }

  // checked shows one run of all checks, from the answer that they judge to their verdict.
  checked(r, verdict) {
    const failed = new Set(verdict.failed || (verdict.problem ? this.checks.map((_, i) => i) : []));
    const good = !verdict.problem, stopped = Math.max(...failed, -1);
    if (!good) this.repair = ++this.repairs;
    this.add(h('section', { class: 'checks ' + (good ? 'good' : 'bad') },
      h('h4', {}, good ? 'Checks passed' : 'Checks failed', h('span', { class: 'quiet' }, this.since(r.time))),
      this.checks.length > 0 && h('ul', {}, this.checks.map((c, i) => h('li', { class: failed.has(i) ? 'bad' : good || i < stopped ? 'good' : 'off' }, h('code', {}, c.source)))),
      verdict.problem && h('pre', {}, verdict.problem)));
  }

  result(r, data) {
    const e = data.error;
    if (e) this.add(failure(e));
    if (data.exit_code) this.note('bad', `Exit code ${data.exit_code}`);
    const value = data.output ?? data.text;
    const said = typeof value === 'string' && value.trim() === this.text;
    this.add(value !== undefined && value !== '' && !said && !data.elements && block(data.partial ? 'Result, incomplete' : 'Result', value, true), wholeIn(r), data.comment && block('Comment', data.comment, true), block('Standard error', data.stderr));
    if (typeof data.output === 'object' && data.text && data.kind !== 'prompt' && data.text.trim() !== JSON.stringify(data.output)) this.add(block('Text', data.text, false));
  }
}

// wholeIn says which file has all of the output of which a record has a part.
function wholeIn(record) {
  return record?.file && h('p', { class: 'quiet' }, `The whole output is in the run's folder: ${record.file}`);
}

// rulesText is rules, a line each; with whose they are, and of which folder, where there are several.
function rulesText(layers) {
  const one = layers.length === 1, lines = [];
  for (const { folder, ...parts } of layers) {
    if (!one) lines.push(`In ${folder || '.'}, with the rules above:`);
    for (const [whose, rules] of Object.entries(parts)) for (const [tool, list] of Object.entries(rules || {})) for (const rule of list) lines.push(`${one ? '' : '  '}${tool}: ${rule}${whose === 'step' ? '' : `, by the ${whose}`}`);
  }
  return lines.join('\n');
}

// mainArgument is the argument that says most of a call: the only text, or all of them on one line.
function mainArgument(args) {
  if (typeof args !== 'object' || !args) return firstLine(String(args ?? ''));
  for (const name of ['command', 'filePath', 'pattern', 'url', 'path', 'folder', 'query']) if (typeof args[name] === 'string') return firstLine(args[name]);
  return firstLine(JSON.stringify(args));
}

// failure shows an error with its hint.
function failure(e, ...more) {
  const [first, ...rest] = (e.message || '').split('\n');
  return h('div', { class: 'failure' }, h('p', {}, h('b', {}, first), ' ', e.kind && h('span', { class: 'kind' }, words(e.kind))), rest.length > 0 && h('pre', {}, rest.join('\n')), e.hint && h('p', { class: 'quiet' }, e.hint), ...more);
}

// A Drawer shows one unit beside the page. Its place is the fragment of the address.
class Drawer {
  constructor(page) {
    this.page = page;
    this.body = h('div', { class: 'body' });
    this.el = h('aside', { class: 'drawer', hidden: true, tabindex: '-1', 'aria-label': 'Unit' }, this.body);
    addEventListener('hashchange', () => this.follow());
    addEventListener('keydown', e => { if (e.key === 'Escape' && !this.el.hidden) this.close(); });
  }

  close() {
    history.pushState(null, '', location.pathname + location.search);
    this.follow();
    this.from?.focus?.();
  }

  // follow shows what the address names.
  follow() {
    let address = location.hash.slice(1);
    try { address = decodeURIComponent(address); } catch { /* it is shown as it is */ }
    const place = address.startsWith('@') && document.getElementById(address);
    if (place) place.scrollIntoView();
    const closed = !address || address.startsWith('@');
    if (this.el.hidden && !closed) this.from = document.activeElement;
    this.el.hidden = closed;
    document.body.classList.toggle('beside', !closed);
    if (closed) { this.address = ''; return; }
    if (this.address !== address) { this.address = address; this.key = ''; this.show(); this.el.scrollTop = 0; this.el.focus({ preventScroll: true }); }
  }

  // show shows the unit, and again when something of it has changed.
  async show() {
    const address = this.address, attempt = address.match(/~\d+$/)?.[0], u = this.page.unitAt(address);
    const key = address + JSON.stringify(u || '') + this.page.kept?.kept;
    if (!address || key === this.key) return;
    this.key = key;
    if (!u) return void replace(this.body, this.top(address), h('p', {}, 'The run has no such unit, or it has not begun.'));
    const top = [this.top(address, u), this.facts(u)], inside = this.inside(u);
    if (!this.body.dataset.unit || this.body.dataset.unit !== address) replace(this.body, top, h('p', { class: 'quiet' }, 'Reading…'), inside);
    this.body.dataset.unit = address;
    let attempts, problem = '';
    try { attempts = await this.page.conversation(u.unit, attempt); } catch (e) { problem = e.message; }
    if (this.address !== address) return;
    const open = new Set([...this.body.querySelectorAll('details')].map((d, i) => d.open && i).filter(i => i !== false)), before = this.body.querySelectorAll('details').length;
    const one = attempts?.find(a => attempt && a.unit.unit.endsWith(attempt)) || attempts?.[0];
    const others = one?.unit.others || [];
    replace(this.body, top, this.waits(u.unit),
      others.length > 0 && h('p', { class: 'quiet' }, 'Also: ', others.map((o, i) => [i > 0 && ', ', link(o, o)])),
      one ? new Conversation(one, this.page).el : h('div', { class: 'note off' }, problem || this.page.leftOut(u), !problem && copyable(`flow show ${this.page.data.name} ${quote(address)}`)),
      inside);
    if (before && one && this.body.querySelectorAll('details').length >= before && this.shown === address) [...this.body.querySelectorAll('details')].forEach((d, i) => { if (i < before) d.open = open.has(i); });
    this.shown = address;
  }

  top(address, u) {
    const all = this.page.table.shown, i = u ? all.indexOf(u) : -1;
    const step = (to, text, name) => to && h('a', { class: 'button', href: '#' + to.unit, 'aria-label': name, title: name }, text);
    const around = address.split('/').slice(0, -1).join('/') || (/\[\d+\](~\d+)?$/.test(address) ? address.replace(/\[\d+\](~\d+)?$/, '') : '');
    return h('header', {}, h('div', { class: 'path' }, around && [link(around, around), ' › '], h('h2', {}, address)),
      h('nav', {}, step(all[i - 1], '↑', 'Previous unit'), step(i >= 0 && all[i + 1], '↓', 'Next unit'), h('button', { type: 'button', 'aria-label': 'Close', title: 'Close (Esc)', onclick: () => this.close() }, '✕')));
  }

  facts(u) {
    const fact = (name, value) => value && h('div', {}, h('dt', {}, name), h('dd', {}, value));
    return [u.label && h('p', { class: 'label' }, u.label), h('dl', { class: 'facts' },
      h('div', {}, h('dt', {}, 'Status'), h('dd', {}, badge(u.status), u.continued && ', the run went on')), fact('Time', u.took_ms > 0 && took(u.took_ms)), fact('Began', u.begins_ms >= 0 && `+${took(u.begins_ms)}`), fact('Cost', u.cost_usd && dollars(u.cost_usd)), fact('Tokens', u.tokens && number(u.tokens)),
      fact('Turns', u.turns && number(u.turns)), fact('Calls', u.tool_calls && number(u.tool_calls)), fact('Denied', u.denied_calls && number(u.denied_calls)), fact('Attempts', u.attempts), fact('Model', u.model))];
  }

  waits(unit) { return (this.page.data.waiting || []).filter(w => w.unit === unit).map(w => this.page.question(w)); }

  // inside lists what is directly inside the unit.
  inside(u) {
    const maxListed = 100, depth = u.unit.split('/').length;
    const all = this.page.data.units.filter(o => o.unit !== u.unit && (o.unit.startsWith(u.unit + '[') && o.unit.split('/').length === depth || o.unit.startsWith(u.unit + '/') && o.unit.split('/').length === depth + 1));
    if (!all.length) return null;
    const bad = o => ['bad', 'warn', 'wait'].includes(tone(o.status)) ? 0 : 1;
    const sorted = all.slice().sort((a, b) => bad(a) - bad(b));
    return h('section', { class: 'inside' }, h('h4', {}, 'Inside'), h('ul', {}, sorted.slice(0, maxListed).map(o => h('li', {}, link(o.unit, o.unit), ' ', h('span', { class: 'quiet' }, o.label), badge(o.status), h('span', { class: 'quiet number' }, took(o.took_ms))))),
      all.length > maxListed && h('p', { class: 'quiet' }, `${number(all.length - maxListed)} more are in the table.`));
  }
}

// quote is a word as a shell reads it.
const quote = word => /^[\w.\/:=@%+,-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
