// Content for tests of the page: healthy, failing and hostile targets, on each screen.

import type { Browser } from 'playwright-core';
import { expect } from 'vitest';
import * as z from 'zod/mini';
import type { Targets } from '../../src/conditions/condition.ts';
import { refusedSentence } from '../../src/discovery/problems.ts';
import type { State } from '../../src/server/inputs.ts';
import { changed, fleetOfSize } from '../server/fleet/world.ts';
import { evaluated, look, seriousViolations } from '../support/browser.ts';
import { serveExporter, stateOf } from '../support/exporter-server.ts';
import { failing, fresh, noon, passing, report, targetKnowing, targetOptions, targetsOf } from '../support/snapshot.ts';
import { fleet, markup, troubledTargets, troubledTransitions } from '../support/troubled.ts';

export const wellTargets = (): Targets =>
  targetsOf(targetKnowing(targetOptions(), { health: { all: fresh(report({ network: passing(), P: passing() })) } }));

/** Every text that a node can choose is hostile. */
export const hostileTargets = (): Targets => {
  const checks = {
    [markup]: failing(markup, { message: { [markup]: markup, list: [markup] } }),
    [`${markup}2`]: passing({ message: { [markup]: markup } }),
    plain: failing('\u202egnitide txet eht fo noitcerid eht\u0000'),
  };
  const rpcError = { kind: 'rpc-error', code: -32000, message: markup } as const;
  return targetsOf(
    targetKnowing(targetOptions({ indexes: ['P/block', 'X/block'] }), {
      nodeId: markup,
      health: { all: fresh(report(checks)) },
      readiness: fresh(report({ [markup]: failing(markup) })),
      indexes: {
        'P/block': { state: 'failed', failure: rpcError, failedAt: noon },
        'X/block': fresh({ state: 'ok', last: { id: markup, bytes: markup, timestamp: markup, encoding: 'hex', index: 3n } }),
      },
    }),
  );
};

/** A failing discovery source, and nodes that reject it. */
const discovery = [
  {
    source: 'kubernetes/0',
    successful: false,
    succeededAt: noon - 600,
    failure: 'the API server refuses: 403 Forbidden',
    targets: 30,
    unwatched: [{ reason: 'refused', targets: 12, message: refusedSentence, examples: ['validators.node-1', markup] }],
  },
];

const troubledFleet = () =>
  serveExporter({
    state: () => stateOf(fleetOfSize(30, [3, 7]), { discovery }),
    transitions: () => [changed(3000, 'Unknown', 'True'), changed(600, 'True', 'False')],
  });

export const troubled = () => serveExporter({ targets: troubledTargets(), transitions: troubledTransitions });

export const live = 'html[data-live=yes]';

/** A server whose targets and other state can be changed while a browser shows its page. */
export const changing = async (first: Targets, port = 0) => {
  let state = stateOf(first, { version: 1 });
  const server = await serveExporter({
    state: () => state,
    transitions: troubledTransitions,
    options: { port, events: { tickMs: 50, minTicks: 1 } },
  });
  return {
    ...server,
    change: (next: Targets, over: Partial<State> = {}): void => {
      state = stateOf(next, { version: state.version + 1, ...over });
    },
  };
};

const screens = [
  { screen: 'a desktop', viewport: { width: 1200, height: 800 } },
  { screen: 'a phone', viewport: { width: 360, height: 740 } },
];

const sights = [
  { shown: 'trouble', served: troubled },
  { shown: 'hostile text', served: () => serveExporter({ targets: hostileTargets() }) },
  { shown: 'a fleet', served: () => serveExporter({ targets: fleet() }) },
  { shown: 'a fleet in trouble', served: troubledFleet },
  { shown: 'a healthy node', served: () => serveExporter({ targets: wellTargets() }) },
];

const looks = screens.flatMap((screen) => sights.map((sight) => ({ ...screen, ...sight })));
type Look = (typeof looks)[number];

const isOfSome = ({ screen, shown }: Look): boolean => shown === (screen === 'a phone' ? 'hostile text' : 'a fleet in trouble');
/** Each takes a second of both processors, so the suites have only one per screen. */
export const someLooks = looks.filter(isOfSome);
export const otherLooks = looks.filter((one) => !isOfSome(one));

/** The page fits the width, and axe-core finds no serious violation in the light and dark scheme or when disconnected. */
export const isFit = async (browser: Browser, { viewport, served }: Look): Promise<void> => {
  const server = await served();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page } = await look(browser, server.url, { viewport, colorScheme, bypassCSP: true });
    await page.waitForSelector(live);
    for (const summary of await page.locator('summary').all()) await summary.click();
    const width = await evaluated(page, z.number(), 'document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(viewport.width);
    expect(await seriousViolations(page)).toEqual([]);
    const ground = await evaluated(page, z.string(), 'getComputedStyle(document.body).backgroundColor');
    expect(ground).toBe(colorScheme === 'dark' ? 'rgb(18, 22, 26)' : 'rgb(255, 255, 255)');
    if (colorScheme === 'light') continue;
    await server.close();
    await page.waitForSelector('html[data-live=no]');
    expect(await seriousViolations(page)).toEqual([]);
  }
};
