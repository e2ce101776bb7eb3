// `--listen`, which overrides variable and file: for a single port that is in use.

import { Option } from 'commander';
import type { ConfigError } from '../yaml/parse.ts';

/** `unset`: the address without the flag. */
export const listenOption = (unset: string): Option =>
  new Option(
    '--listen <address>',
    `listen address, such as 9652 or 127.0.0.1:9652; port 0 for any free port (default: ${unset})`,
  );

/** The address of the flag. A flag with only a port keeps the configured host. Without a flag, the configured address. */
export const readListen = <Listen extends { readonly host: string; readonly port: number }>(
  flag: string | undefined,
  configured: Listen,
  errors: ConfigError[],
): Listen => {
  if (flag === undefined) return configured;
  const [, bracketed, plain, digits] = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):)?(\d{1,5})$/.exec(flag) ?? [];
  if (digits !== undefined && Number(digits) <= 65_535)
    return { ...configured, host: bracketed ?? plain ?? configured.host, port: Number(digits) };
  const message = `${JSON.stringify(flag)} is not an address: write a port, or host:port, as 9652 or 127.0.0.1:9652`;
  errors.push({ path: '--listen', message });
  return configured;
};

/** Whether `--listen` has the port of `probes`: in a valid configuration they differ. With port 0, each listener gets its own. */
export const sharesPort = (listen: { readonly port: number }, probes: { readonly port: number } | undefined): boolean =>
  listen.port !== 0 && listen.port === probes?.port;
