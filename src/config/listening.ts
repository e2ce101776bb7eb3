// Where to listen, out of a configuration that may be full of errors: a snowgauge that cannot use it says so at the address where
// it is expected.

import * as z from 'zod/mini';
import { wholeNumber } from '../protocol/scalars.ts';
import { check } from '../yaml/check.ts';
import { override } from '../yaml/given.ts';
import type { Variables } from '../yaml/parse.ts';
import { readYaml } from '../yaml/read.ts';
import { host } from './fields.ts';
import { fromVariables } from './load.ts';

export interface Listening {
  readonly listen: { readonly host: string; readonly port: number };
  readonly probes?: { readonly port: number };
}

const usual = { host: '0.0.0.0', port: 9652 } as const;
const port = wholeNumber(0, 65_535);
const ofHost = z.looseObject({ listen: z.looseObject({ host }) });
const ofPort = z.looseObject({ listen: z.looseObject({ port }) });
const ofProbes = z.looseObject({ probes: z.looseObject({ port }) });

/** Each setting that is an error gives way to what holds without it. Variables beat the text, as they do in a good file. */
export const listeningOf = async (text: string, env: Variables): Promise<Listening> => {
  const reading = await readYaml(text, env);
  const placed = override(reading.readable ? reading : { value: {}, places: new Map() }, fromVariables(env));
  // One by one: an error in one of them costs that one.
  const [hostRead, portRead, probesRead] = [check(ofHost, placed), check(ofPort, placed), check(ofProbes, placed)];
  const listen = {
    host: hostRead.kind === 'ok' ? hostRead.value.listen.host : usual.host,
    port: portRead.kind === 'ok' ? portRead.value.listen.port : usual.port,
  };
  const probes = probesRead.kind === 'ok' ? probesRead.value.probes.port : undefined;
  const apart = probes !== undefined && (probes === 0 || probes !== listen.port);
  return { listen, ...(apart && { probes: { port: probes } }) };
};
