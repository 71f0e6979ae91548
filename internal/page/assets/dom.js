'use strict';

// h makes an element. What is in it is text: nothing that a model or a file says becomes markup.
function h(tag, props, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props || {})) {
    if (value == null || value === false) continue;
    if (name === 'class') el.className = value;
    else if (name === 'vars') for (const [v, x] of Object.entries(value)) el.style.setProperty(v, x);
    else if (name.startsWith('on')) el.addEventListener(name.slice(2), value);
    else el.setAttribute(name, value === true ? '' : value);
  }
  add(el, children);
  return el;
}

// add appends elements and texts, also those in lists. Only a pre has long ones.
function add(el, children) {
  const longest = el.localName === 'pre' ? Infinity : 1000;
  for (const child of [children].flat(Infinity)) {
    if (child == null || child === false || child === '') continue;
    if (child instanceof Node) { el.append(child); continue; }
    const text = String(child);
    el.append(visible(text.length > longest ? text.slice(0, longest) + '…' : text));
  }
  return el;
}

const replace = (el, ...children) => { el.replaceChildren(); return add(el, children); };

// visible writes characters that one does not see, or that reorder others, as escapes.
const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const visible = text => text.replace(hidden, c => '\\u' + (c.codePointAt(0) > 0xffff ? `{${c.codePointAt(0).toString(16)}}` : c.charCodeAt(0).toString(16).padStart(4, '0')));

// link is a link to a unit, or to another place of the page.
const link = (place, ...children) => h('a', { href: '#' + place }, ...children);

const number = n => Math.round(n || 0).toLocaleString('en-US');
const count = (n, noun) => `${number(n)} ${n === 1 ? noun : noun.replace(/y$/, 'ie') + 's'}`;
const tokens = n => n < 10000 ? number(n) : n < 1e6 ? `${(n / 1e3).toFixed(n < 1e5 ? 1 : 0)}k` : `${(n / 1e6).toFixed(n < 1e7 ? 2 : 1)}M`;
const dollars = x => !x ? '$0.00' : '$' + x.toFixed(x >= 0.1 ? 2 : Math.max(4, Math.min(8, 1 - Math.floor(Math.log10(x)))));
const words = name => (name || '').replaceAll('_', ' ');

function took(ms) {
  const s = ms / 1000, two = n => String(Math.floor(n)).padStart(2, '0');
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (s < 10) return `${s.toFixed(1)} s`;
  if (s < 60) return `${Math.round(s)} s`;
  return s < 3600 ? `${Math.floor(s / 60)}m ${two(s % 60)}s` : `${Math.floor(s / 3600)}h ${two(s % 3600 / 60)}m`;
}

const moment = time => new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });

// tones are what colours mean. A status that is not among them has none.
const tones = {
  succeeded: 'good', 'succeeded in part': 'warn', in_part: 'warn', running: 'busy', waiting: 'wait',
  failed: 'bad', denied: 'bad', stopped: 'warn', cut_off: 'bad', unreadable: 'bad', cancelled: 'off', skipped: 'off', not_begun: 'off',
};
const tone = status => tones[status] || 'off';
const badge = (status, text) => h('span', { class: 'badge ' + tone(status) }, text || words(status));

// copyable is a command line with a button that copies it.
function copyable(command) {
  const button = h('button', { type: 'button', class: 'copy', title: 'Copy', 'aria-label': 'Copy the command', onclick: async () => {
    try { await navigator.clipboard.writeText(command); button.textContent = 'copied'; } catch { getSelection().selectAllChildren(code); }
    setTimeout(() => { button.textContent = 'copy'; }, 1500);
  } }, 'copy');
  const code = h('code', {}, command);
  return h('div', { class: 'command' }, code, button);
}

// json is a value as text: a text as it is, anything else as indented JSON.
const json = value => typeof value === 'string' ? value : JSON.stringify(value, null, 2);

// block is a long text, folded behind its first line if it has many.
function block(name, text, open) {
  if (text == null || text === '') return null;
  const first = firstLine(typeof text === 'string' ? text : JSON.stringify(text));
  text = json(text);
  const lines = text.split('\n').length;
  return h('details', { class: 'block', open: open == null ? lines <= 12 && text.length < 1500 : open },
    h('summary', {}, h('span', { class: 'name' }, name), ' ', h('span', { class: 'first' }, first), lines > 1 && h('span', { class: 'more' }, count(lines, 'line'))),
    h('pre', {}, text));
}

const firstLine = text => text.slice(0, 300).trim().split('\n')[0].slice(0, 160);

// section is a part of the page, with its heading; nothing if it has no content.
const section = (id, title, ...children) => h('section', { id: '@' + id, 'aria-labelledby': 'h-' + id }, h('h2', { id: 'h-' + id }, title), ...children);

// labelled is a label whose end stays where there is no room for all of it: elements often begin alike.
function labelled(label) {
  const letters = [...label.slice(0, 1000)], end = Math.min(innerWidth < 600 ? 9 : 18, Math.ceil(letters.length * 0.7));
  return h('span', { class: 'quiet label', title: label.slice(0, 1000) }, h('span', { class: 'start' }, letters.slice(0, -end).join('')), h('span', {}, letters.slice(-end).join('')));
}

// ending is the end of a text that is too long.
const ending = (text, most) => text.length > most ? '…' + [...text.slice(-most)].slice(1).join('') : text;

const colour = name => getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim();
