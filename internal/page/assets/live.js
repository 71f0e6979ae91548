// ask posts an order for a run, and says what was wrong with it.
async function ask(page, what, order, said) {
  const answer = await fetch(`/run/${encodeURIComponent(page.id)}/${what}`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(order || {}) });
  if (!answer.ok) replace(said, h('span', { class: 'badge bad' }, (await answer.text()).trim()));
}

// buttons cancel a run that goes on, and resume one that does not. Cancelling has to be confirmed.
function buttons(page) {
  const { run, working } = page.data, said = h('span', {});
  if (run.state === 'running') {
    const label = () => page.sure ? 'Really cancel?' : 'Cancel';
    const cancel = h('button', { type: 'button', onclick: () => {
      if (page.sure) ask(page, 'cancel', null, said);
      page.sure = !page.sure;
      cancel.textContent = label();
    } }, label());
    return h('span', { class: 'answers' }, cancel, said);
  }
  if (working) return h('span', { class: 'badge busy' }, 'resuming');
  if (run.state === 'succeeded' || run.broken || run.state === 'waiting') return null;
  return h('span', { class: 'answers' }, h('button', { type: 'button', onclick: () => ask(page, 'resume', null, said) }, 'Resume'), said);
}

// answerForm answers a question, or lets a call run.
function answerForm(page, w) {
  const said = h('span', {}), drafts = page.drafts ||= new Map();
  const send = answer => ask(page, 'resume', { answers: [{ address: w.address, ...answer }] }, said);
  const field = (name, label) => h('input', { type: 'text', placeholder: label, 'aria-label': label, value: drafts.get(w.address + name), oninput: e => drafts.set(w.address + name, e.target.value) });
  if (w.until && new Date(w.until) < new Date()) return h('div', { class: 'answers' }, h('button', { type: 'button', onclick: () => ask(page, 'resume', null, said) }, 'Continue'), said);
  if (w.tool) {
    const reason = field('reason', 'Why not (the model is told)');
    return h('div', { class: 'answers' }, h('button', { type: 'button', class: 'primary', onclick: () => send({ allowed: true }) }, 'Approve'), h('button', { type: 'button', onclick: () => send({ allowed: false, reason: reason.value }) }, 'Deny'), reason, said);
  }
  const comment = w.comment && field('comment', 'Comment');
  const give = value => send({ value, comment: comment ? comment.value : '' });
  if (w.choices?.length) return h('div', { class: 'answers' }, w.choices.map(c => h('button', { type: 'button', class: c === w.default && 'primary', onclick: () => give(c) }, c)), comment, said);
  const value = field('value', w.form || 'Answer');
  return h('div', { class: 'answers' }, value, h('button', { type: 'button', class: 'primary', onclick: () => give(value.value) }, 'Answer'), comment, said);
}

// A RunsPage lists all runs.
class RunsPage {
  constructor() {
    this.table = new Table({ label: 'Runs', columns: runColumns, sort: 'began', empty: 'There are no runs yet. flow run FILE makes one.', open: r => { location.href = this.address(r); } });
    this.table.el.classList.add('runs');
    this.filters = filters(this.table, { label: 'Search runs', search: r => `${r.run_id} ${r.workflow} ${r.failed_first?.message || ''}`, status: r => r.in_part ? 'in_part' : r.state || 'unreadable' });
    replace(document.getElementById('page'), h('main', {}, h('header', { class: 'run' }, h('div', { class: 'name' }, h('h1', {}, 'Runs'))), h('section', {}, this.filters.el, this.table.el)));
    document.title = 'Runs – flow';
    document.getElementById('page').classList.add('unread');
    this.follow();
  }

  address(r) { return '/run/' + encodeURIComponent(r.folder.split('/').at(-1)); }

  // follow asks for the runs again while somebody looks.
  async follow() {
    if (!document.hidden) {
      try {
        const text = await (await fetch('/runs')).text();
        if (text !== this.text) { this.text = text; this.table.set(JSON.parse(text)); this.filters.update(); document.getElementById('page').classList.remove('unread'); }
        document.body.classList.remove('lost');
      } catch { document.body.classList.add('lost'); }
    }
    setTimeout(() => this.follow(), 3000);
  }
}

const runColumns = [
  { name: 'run', title: 'Run', narrow: 'narrow', value: r => r.run_id, cell: r => h('a', { href: '/run/' + encodeURIComponent(r.folder.split('/').at(-1)) }, r.run_id) },
  { name: 'workflow', title: 'Workflow', value: r => r.workflow, cell: r => r.workflow },
  { name: 'state', title: 'State', narrow: 'narrow', value: r => r.state || '', cell: r => badge(r.in_part ? 'in_part' : r.state || 'unreadable', r.in_part && [h('span', { class: 'wide' }, 'succeeded'), ' in part']) },
  { name: 'failed', title: 'Failed first', value: r => r.failed_first?.unit || '', cell: r => r.failed_first ? [r.failed_first.unit, h('span', { class: 'quiet' }, firstLine(r.failed_first.message))] : r.broken || '' },
  { name: 'began', title: 'Began', number: true, value: r => Date.parse(r.started_at), cell: r => moment(r.started_at), down: true },
  { name: 'cost', title: 'Cost', number: true, value: r => r.cost_usd || 0, cell: r => r.cost_usd == null ? '' : dollars(r.cost_usd) },
  { name: 'time', title: 'Time', number: true, narrow: 'narrow', value: r => r.duration_ms, cell: r => took(r.duration_ms) },
];

const given = JSON.parse(document.querySelector('script.data').textContent);
if (given.runs) new RunsPage();
else new Page(given);
