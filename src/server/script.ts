// The page's script, as the text that stands in it: allowed by its hash. Without it the page is whole, but does not update.
//
// It makes no markup of its own. On an event it asks for the page again, as a document that the browser itself parses and in
// which nothing runs, and changes what differs: so what is selected, focused or unfolded stays so.

/** `span` and `ago` of text.ts for the browser: a test holds the two to the same words. */
export const formatting = `
const units = [['d', 86400], ['h', 3600], ['min', 60], ['s', 1]];
const span = (seconds) => {
  if (seconds === 0) return '0 s';
  if (seconds < 0.001) return Math.round(seconds * 1e6) + ' µs';
  if (seconds < 1) return Math.round(seconds * 1000) + ' ms';
  const whole = Math.round(seconds);
  const at = units.findIndex((unit) => whole >= unit[1]);
  const [name, size] = units[at];
  const small = units[at + 1];
  const rest = small ? Math.floor(whole % size / small[1]) : 0;
  return Math.floor(whole / size) + ' ' + name + (rest ? ' ' + rest + ' ' + small[0] : '');
};
const ago = (seconds) => Math.abs(seconds) < 1 ? 'just now' : seconds < 0 ? span(-seconds) + ' ahead' : span(seconds) + ' ago';
`;

export const script = `'use strict';
(() => {
const byId = (id) => document.getElementById(id);
const root = document.documentElement;
${formatting}
/* Ages grow by the browser's own steady clock: its time of day may be wrong. */
let shownAt = performance.now();
let lostSince;
const grow = () => {
  const passed = (performance.now() - shownAt) / 1000;
  for (const time of document.querySelectorAll('[data-age]')) {
    const age = Number(time.dataset.age) + passed;
    const text = time.dataset.as === 'span' ? span(Math.max(0, age)) : ago(age);
    if (time.firstChild && time.firstChild.data !== text) time.firstChild.data = text;
  }
  if (lostSince !== undefined) byId('live').textContent = 'Not live for ' + span(Math.ceil(passed));
};

const alike = (a, b) => a.nodeName === b.nodeName && (a.nodeType !== 1 || a.getAttribute('data-key') === b.getAttribute('data-key'));
const keyed = (node) => node.nodeType === 1 && node.hasAttribute('data-key');
const sync = (old, fresh) => {
  if (old.nodeType !== 1) {
    if (old.data !== fresh.data) old.data = fresh.data;
    return;
  }
  for (const { name, value } of fresh.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes]) if (!fresh.hasAttribute(name) && name !== 'open') old.removeAttribute(name);
  if (old.nodeName === 'INPUT') return;
  let at = old.firstChild;
  for (const child of fresh.childNodes) {
    let match = at;
    if (keyed(child)) while (match && !alike(match, child)) match = match.nextSibling;
    if (match && alike(match, child)) {
      if (match !== at) old.insertBefore(match, at);
      else at = at.nextSibling;
      sync(match, child);
    } else old.insertBefore(document.importNode(child, true), at);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
};

const isLive = () => {
  lostSince = undefined;
  root.dataset.live = 'yes';
  byId('lost').textContent = '';
  byId('live').textContent = 'Live';
};
const isLost = () => {
  if (lostSince !== undefined) return;
  lostSince = byId('asof').dateTime;
  root.dataset.live = 'no';
  byId('lost').textContent = 'No longer live since ' + lostSince.slice(11, 19) + ' UTC: snowgauge does not answer. What stands below is what was known then.';
  document.title = 'Not live · ' + document.title;
  grow();
};

const take = (fresh) => {
  if (fresh.documentElement.dataset.build !== root.dataset.build) {
    location.reload();
    return;
  }
  for (const id of ['lead', 'asof', 'page']) sync(byId(id), fresh.getElementById(id));
  byId('icon').href = fresh.getElementById('icon').href;
  document.title = fresh.title;
  shownAt = performance.now();
  isLive();
  grow();
};

let asking = false;
let again = false;
let askedAt = performance.now();
const ask = () => {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  again = false;
  askedAt = performance.now();
  const where = new URL(location.href);
  where.searchParams.set('part', 'page');
  const request = new XMLHttpRequest();
  request.open('GET', where);
  request.responseType = 'document';
  request.timeout = 10000;
  request.onloadend = () => {
    asking = false;
    const fresh = request.response;
    if (fresh && fresh.getElementById('page')) take(fresh);
    else isLost();
    if (again) ask();
  };
  request.send();
};

let events;
const listen = () => {
  events = new EventSource('/api/v1/events');
  events.addEventListener('changed', ask);
  events.addEventListener('beat', ask);
  events.addEventListener('error', ask);
};
isLive();
listen();
setInterval(() => {
  grow();
  const quiet = performance.now() - askedAt;
  /* Refused, as when too many listen: the page is asked for all the same. */
  if (quiet > 15000) {
    if (events.readyState === 2) listen();
    ask();
  }
  if (asking && quiet > 11000) isLost();
}, 1000);
})();
`;
