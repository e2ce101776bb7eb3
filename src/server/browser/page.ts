// The page's script, which is inline and allowed by its hash. Without it the page is complete, but does not update.
//
// It creates no markup. On an event it loads the page again as a document, which the browser parses without running scripts, and applies
// the differences.

import { span } from '../../text.ts';
import { growAges } from './ages.ts';
import { narrowNames, watchForm } from './filter.ts';
import { sync } from './sync.ts';

const timeoutMs = 10_000;
/** Without an event for this long the page is loaded anyway. */
const longestQuietMs = 15_000;
/** If only the other version has responded for this long, the update is over. */
const longestOtherMs = 30_000;

const the = (id: string, of: Document = document): HTMLElement => {
  const found = of.getElementById(id);
  if (found === null) throw new Error(`the page has no ${id}`);
  return found;
};

/**
 * Returns the milliseconds since this call. The monotonic clock stops while the machine sleeps, and the wall clock may be set back: the larger
 * difference counts.
 */
const stopwatch = (): (() => number) => {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonic, Date.now() - wall);
};

const shown = document.documentElement.dataset;
let sinceShown = stopwatch();
let lostSince: string | undefined;

const grow = (): void => {
  const passed = sinceShown() / 1000;
  growAges(passed);
  if (lostSince !== undefined) the('live').textContent = `Disconnected for ${span(Math.ceil(passed))}`;
};

const isLive = (): void => {
  lostSince = undefined;
  shown.live = 'yes';
  the('lost').textContent = '';
  the('live').textContent = 'Live';
};

/** `status`: HTTP status, 0 if there was no response. */
const isLost = (status: number): void => {
  if (lostSince !== undefined) return;
  lostSince = the('asof').getAttribute('datetime') ?? '';
  shown.live = 'no';
  const why = status === 0 ? 'is not responding' : `returns status ${status} instead of the page`;
  const since = `Disconnected since ${lostSince.slice(11, 19)} UTC: snowgauge ${why}.`;
  the('lost').textContent = `${since} The content below is from that time.`;
  the('icon').setAttribute('href', the('icon').dataset.unknown ?? '');
  document.title = `Disconnected · ${document.title}`;
  grow();
};

let otherSince: number | undefined;

/** During an update the old and the new version both respond. The page is reloaded once for each, which history.state remembers. */
const meet = (build = ''): void => {
  otherSince ??= performance.now();
  const met: readonly unknown[] = Array.isArray(history.state) ? history.state : [shown.build];
  if (met.includes(build) && performance.now() - otherSince < longestOtherMs) return;
  history.replaceState([...met, build], '');
  // Until the page is unloaded, the other version may respond once more.
  otherSince = undefined;
  location.reload();
};

const take = (fresh: Document): void => {
  if (fresh.documentElement.dataset.build !== shown.build) {
    meet(fresh.documentElement.dataset.build);
    return;
  }
  otherSince = undefined;
  const focused = document.activeElement;
  for (const id of ['lead', 'asof', 'page', 'footer']) sync(the(id), the(id, fresh));
  // An element that moved has lost its focus.
  if (focused instanceof HTMLElement && focused.isConnected) focused.focus({ preventScroll: true });
  the('icon').setAttribute('href', the('icon', fresh).getAttribute('href') ?? '');
  document.title = fresh.title;
  sinceShown = stopwatch();
  narrowNames();
  isLive();
  grow();
};

let asking = false;
let again = false;
let sinceAsked = stopwatch();

const ask = (): void => {
  if (asking) {
    again = true;
    return;
  }
  asking = true;
  again = false;
  sinceAsked = stopwatch();
  const where = new URL(location.href);
  where.searchParams.set('part', 'page');
  const request = new XMLHttpRequest();
  request.open('GET', where);
  request.responseType = 'document';
  request.timeout = timeoutMs;
  request.onloadend = () => {
    asking = false;
    const fresh: unknown = request.response;
    if (fresh instanceof Document && fresh.getElementById('page') !== null) take(fresh);
    else isLost(request.status);
    if (again) ask();
  };
  request.send();
};

let events: EventSource | undefined;

/** A browser opens at most six connections to a server for all its tabs. Only visible tabs hold one, the others poll. */
const follow = (): void => {
  if (document.hidden) {
    events?.close();
    events = undefined;
    return;
  }
  // It is closed if the server refused it, as with too many clients.
  if (events !== undefined && events.readyState !== EventSource.CLOSED) return;
  events = new EventSource('api/v1/events');
  for (const name of ['changed', 'heartbeat', 'error']) events.addEventListener(name, ask);
};

isLive();
watchForm();
follow();
document.addEventListener('visibilitychange', follow);
setInterval(() => {
  grow();
  const quietMs = sinceAsked();
  if (asking && quietMs > timeoutMs + 1000) isLost(0);
  if (quietMs > longestQuietMs) {
    follow();
    ask();
  }
}, 1000);
