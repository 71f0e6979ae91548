// graph colours the picture of the workflow, which is a part of the page already, by the states of its units.
// A step inside of elements, or of calls, has the worst state that one of its last rounds ended in, and leads there.
function graph(page) {
  const picture = document.querySelector('svg.graph');
  if (!picture) return null;
  const order = ['failed', 'stopped', 'cut_off', 'running', 'waiting', 'succeeded', 'skipped'], rank = u => (order.indexOf(u.status) + 1 || order.length + 1), last = new Map(), worst = new Map();
  for (const u of page.data.units) if (u.unit.includes('[')) last.set(u.unit.replace(/[#~]\d+/g, ''), u);
  for (const [unit, u] of last) {
    const path = unit.replace(/\[\d+\]/g, '');
    if (!(worst.has(path) && rank(worst.get(path)) <= rank(u))) worst.set(path, u);
  }
  for (const step of picture.querySelectorAll('a')) {
    step.path ??= decodeURIComponent(step.getAttribute('href').slice(1));
    const u = page.unitAt(step.path) || worst.get(step.path);
    if (u && u === worst.get(step.path)) step.setAttribute('href', '#' + u.unit);
    step.querySelector('g').setAttribute('class', u && u.status !== 'not_begun' ? u.status : '');
  }
  return section('workflow', 'Workflow', h('div', { class: 'picture' }, picture));
}
