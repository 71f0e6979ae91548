// graph colours the picture of the workflow, which is a part of the page already, by the states of its units.
function graph(page) {
  const picture = document.querySelector('svg.graph');
  if (!picture) return null;
  for (const step of picture.querySelectorAll('a')) {
    const u = page.unitAt(decodeURIComponent(step.getAttribute('href').slice(1)));
    step.querySelector('g').setAttribute('class', u?.status || '');
  }
  return section('workflow', 'Workflow', h('div', { class: 'picture' }, picture));
}
