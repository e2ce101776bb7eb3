// Formats the trace of a poll as text for people.

import { isIP } from 'node:net';
import { groupBy } from '../lists.ts';
import { counted, printable } from '../text.ts';
import type { Debugged, DebuggedConnection, DebuggedRequest } from './debugged.ts';
import type { Paint } from './paint.ts';

export const debugText = (debugged: Debugged, paint: Paint): string => {
  const { source, connections, requests } = debugged;
  const isSecure = /^https:/i.test(source);
  // Connections that failed in the same way have a single text.
  const alike = groupBy(connections, ({ id, error, peer }) => (error === undefined ? `${id}` : `${error} ${peer === undefined}`));
  return [
    ...alike.map((group) => connectionText(group, isSecure, paint)),
    ...requestTexts(requests, paint),
    summaryText(debugged, paint),
  ].join('\n');
};

/** A line with a name and a text; empty if there is no text. */
const line = (name: string, text: string | undefined, paint: Paint): string =>
  text === undefined ? '' : `  ${paint.faint(name.padEnd(9))} ${printable(text, 600)}\n`;

const ms = (seconds: number): string => `${(seconds * 1000).toFixed(1)} ms`;

const connectionText = (
  alike: readonly [DebuggedConnection, ...DebuggedConnection[]],
  isSecure: boolean,
  paint: Paint,
): string => {
  const [connection] = alike;
  const { peer, tlsSeconds = 0, tls, error } = connection;
  const failed = error === undefined ? 'failed' : `failed: ${error}`;
  const secured = tls === undefined ? failed : `${tls.version}, ${tls.cipher}, in ${ms(tlsSeconds)}`;
  const certificate = tls?.certificate;
  const resolved = resolvedText(connection);
  return [
    `${paint.strong(`connection ${alike.map(({ id }) => id).join(', ')}`)}\n`,
    resolved === undefined ? line('resolve', failed, paint) : line('resolved', resolved, paint),
    resolved === undefined ? '' : connectedText(connection, failed, paint),
    line('TLS', isSecure && peer !== undefined ? secured : undefined, paint),
    line('subject', certificate && `${certificate.subject} (${certificate.names || 'no names'})`, paint),
    line('issuer', certificate?.issuer, paint),
    line('valid', certificate && `${certificate.validFrom} to ${certificate.validTo}`, paint),
    line('verified', tls?.verified && (tls.verified === true ? 'yes' : `no: ${tls.verified}`), paint),
  ].join('');
};

const connectedText = ({ peer, connectedSeconds = 0 }: DebuggedConnection, failed: string, paint: Paint): string =>
  peer === undefined ? line('connect', failed, paint) : line('connected', `to ${peer} in ${ms(connectedSeconds)}`, paint);

/** Undefined if the name was not resolved: then there was no attempt to connect either. */
const resolvedText = ({ host, addresses, resolvedSeconds }: DebuggedConnection): string | undefined => {
  if (resolvedSeconds !== undefined) return `${host} to ${addresses.join(', ')} in ${ms(resolvedSeconds)}`;
  return isIP(host.replace(/^\[|\]$/g, '')) === 0 ? undefined : `${host}: IP address, no lookup`;
};

/** Of requests that failed in the same way, only the first is described, with the number and the paths of the others. */
const requestTexts = (requests: readonly DebuggedRequest[], paint: Paint): readonly string[] =>
  requests.flatMap((request, at) => {
    const alike = request.message === undefined ? [request] : requests.filter((other) => failure(other) === failure(request));
    if (alike[0] !== request) return [];
    const others = alike.slice(1);
    const paths = [...new Set(others.map(({ path }) => path))].join(', ');
    const same = others.length === 0 ? undefined : `${counted(others.length, 'other request')}: ${paths}`;
    return `${requestText(request, at + 1, paint)}${line('also', same, paint)}`;
  });

const headOf = ({ method, path, rpc, connection, reused }: DebuggedRequest, number: number, paint: Paint): string => {
  const on = connection === undefined ? 'not sent' : `connection ${connection}${reused === true ? ', kept alive' : ''}`;
  return `${paint.strong(`${number}. ${method} ${printable(path)}`)}${rpc === undefined ? '' : ` ${rpc}`} ${paint.faint(`(${on})`)}`;
};

const requestText = (request: DebuggedRequest, number: number, paint: Paint): string => {
  const { status, bytes, contentType, firstByteSeconds, seconds, message } = request;
  const response = [
    status ?? 'none',
    bytes === undefined ? '' : `${bytes} bytes`,
    contentType ?? '',
    seconds === undefined ? '' : `in ${ms(seconds)}`,
    firstByteSeconds === undefined ? '' : `headers after ${ms(firstByteSeconds)}`,
  ];
  return [
    `${headOf(request, number, paint)}\n`,
    line('response', response.filter((part) => part !== '').join(', '), paint),
    line('error', message, paint),
    line('parsed', parsedText(request), paint),
  ].join('');
};

/** The message of a failure without its URL, so that failures of different requests can be compared. */
const failure = ({ message }: DebuggedRequest): string | undefined => message?.replace(/ at https?:\S+/, '');

const parsedText = ({ parsed }: DebuggedRequest): string | undefined => {
  if (parsed === undefined) return undefined;
  if ('checks' in parsed) {
    const { healthy, checks, failing, failingCount } = parsed;
    const more = failingCount > failing.length ? `, and ${failingCount - failing.length} more` : '';
    const fail = failingCount === 0 ? 'none failing' : `${failingCount} failing: ${failing.join(', ')}${more}`;
    return `${healthy ? 'healthy' : 'unhealthy'}, ${counted(checks, 'check')}, ${fail}`;
  }
  if ('isAccepted' in parsed) return parsed.isAccepted ? 'accepted' : 'not accepted';
  if ('nodeId' in parsed) return parsed.nodeId;
  if ('version' in parsed) return parsed.version;
  if ('network' in parsed) return parsed.network;
  if ('peers' in parsed) return counted(parsed.peers, 'peer');
  if ('validators' in parsed) return counted(parsed.validators, 'validator');
  if ('uptimeRatio' in parsed) return `uptime ratio ${parsed.uptimeRatio}, as seen by the network`;
  if ('upgrades' in parsed) return parsed.upgrades.length === 0 ? 'no upgrade scheduled' : parsed.upgrades.join(', ');
  if ('containers' in parsed) return counted(parsed.containers, 'container');
  const { index, id, timestamp } = parsed;
  return id === undefined ? `index ${index}` : `index ${index}, ${id}, accepted ${timestamp}`;
};

const summaryText = ({ nodeId, checkInterval, lastRun, indexes }: Debugged, paint: Paint): string => {
  const { inferredSeconds, configuredSeconds } = checkInterval;
  const interval =
    inferredSeconds === undefined
      ? `${configuredSeconds} s, as configured; one poll cannot measure it`
      : `${inferredSeconds} s, inferred from the reports`;
  return [
    `${paint.strong('result')}\n`,
    line('node ID', nodeId, paint),
    line('interval', interval, paint),
    line('last run', lastRun && `ended ${lastRun.endedAt}, took ${ms(lastRun.seconds)}`, paint),
    ...indexes.map(({ name, state, lastAcceptedIndex: last }) =>
      line(name, state + (last === undefined ? '' : `, last accepted index ${last}`), paint),
    ),
  ].join('');
};
