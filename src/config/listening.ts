// Reads from a configuration with errors where to listen: with --stay, snowgauge serves the errors at the address where it is expected.

import * as z from 'zod/mini';
import { check } from '../yaml/check.ts';
import { override } from '../yaml/given.ts';
import type { Variables } from '../yaml/parse.ts';
import { readYaml } from '../yaml/read.ts';
import { defaultListen } from './config.ts';
import { host, port } from './fields.ts';
import { fromVariables } from './load.ts';

export interface Listening {
  readonly listen: { readonly host: string; readonly port: number };
  readonly probes?: { readonly port: number };
}

const ofHost = z.looseObject({ listen: z.looseObject({ host }) });
const ofPort = z.looseObject({ listen: z.looseObject({ port }) });
const ofProbes = z.looseObject({ probes: z.looseObject({ port }) });

/** A setting with an error has its default. Variables override the text, as in a valid file. */
export const listeningOf = async (text: string, env: Variables): Promise<Listening> => {
  const reading = await readYaml(text, env);
  const overridden = override(reading.readable ? reading : { value: {}, positions: new Map() }, fromVariables(env));
  // One by one, so that an error in one does not affect the others.
  const [hostRead, portRead, probesRead] = [check(ofHost, overridden), check(ofPort, overridden), check(ofProbes, overridden)];
  const listen = {
    host: hostRead.kind === 'ok' ? hostRead.value.listen.host : defaultListen.host,
    port: portRead.kind === 'ok' ? portRead.value.listen.port : defaultListen.port,
  };
  const probes = probesRead.kind === 'ok' ? probesRead.value.probes.port : undefined;
  const isSeparate = probes !== undefined && (probes === 0 || probes !== listen.port);
  return { listen, ...(isSeparate && { probes: { port: probes } }) };
};
