#!/usr/bin/env node
// argv, environment, signals, exit codes: the only file that touches `process`.

import { once } from 'node:events';
import { fstatSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { type CommandContext, readerGone } from './commands/context.ts';
import { exitCodes } from './commands/exit-codes.ts';
import { runProgram } from './commands/program.ts';
import { paintFor } from './commands/terminal.ts';
import { silentLog } from './log.ts';
import { createLog, pipeTo } from './logger.ts';
import { version } from './version.ts';

/** Milliseconds that the end of the log has to be read. */
const unreadMs = 500;

const stop = new AbortController();
// The second signal ends the process at once: a person who presses Ctrl-C twice means it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

// Of the one command that reloads: a SIGHUP that nobody hears yet waits for who will. It ends any other, as it ends any process.
let isHungUp = false;
if (process.argv[2] === 'run')
  process.on('SIGHUP', () => {
    isHungUp ||= process.listenerCount('SIGHUP') === 1;
  });

type WriteFailed = (error: Error & { readonly code?: unknown }) => void;

const stdoutFailed: WriteFailed = ({ code, message }) => {
  // A reader that went away (`snowgauge ... | head`) is no fault of ours.
  if (code === 'EPIPE') {
    stop.abort(readerGone);
    return;
  }
  // A full disk: nobody has the answer, which is no answer of no.
  say(`stdout: ${message}\n`);
  process.exit(exitCodes.unknown);
};
process.stdout.on('error', stdoutFailed);
// Without a reader for what we say we go on, and without room for it.
process.stderr.on('error', () => undefined);

/**
 * To a file, Node.js 20 throws what later ones give to the listener, and takes the part of a text that a nearly full disk has room for to be
 * all of it.
 */
const written = (stream: NodeJS.WriteStream & { readonly fd: number }, text: string, failed: WriteFailed): void => {
  try {
    if (fstatSync(stream.fd).isFile()) writeFileSync(stream.fd, Buffer.from(text));
    else stream.write(text);
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    failed(error);
  }
};

const say = (text: string): void => written(process.stderr, text, () => undefined);

// A fault of ours ends the process with its stack alone: Node.js would print every property of the error, and of what caused it, which
// may hold a request with its headers.
process.on('uncaughtException', (error) => {
  say(`${error instanceof Error ? error.stack : 'an uncaught exception that is not an Error'}\n`);
  process.exit(1);
});

const isTerminal = process.stderr.isTTY === true;
const isPipe = !isTerminal && process.stderr instanceof Socket;
let isLogging = false;

const context: CommandContext = {
  env: process.env,
  stdout: (text) => written(process.stdout, text, stdoutFailed),
  stdoutReady: async () => {
    // Aborted: its reader has gone, or we are to stop.
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain', { signal: stop.signal }).catch(() => undefined);
  },
  stderr: say,
  // What is piped in may never end.
  stdin: () => addAbortSignal(stop.signal, process.stdin),
  signal: stop.signal,
  onHangup: (heard, signal) => {
    process.on('SIGHUP', heard);
    signal.addEventListener('abort', () => process.off('SIGHUP', heard), { once: true });
    if (isHungUp) heard();
    isHungUp = false;
  },
  now: () => (performance.timeOrigin + performance.now()) / 1000,
  sinceBoot: () => Number(process.hrtime.bigint()) / 1e9,
  wallClock: () => Date.now() / 1000,
  version,
  isTerminal: process.stdout.isTTY,
  terminal: () => (process.stdin.isTTY && process.stdout.isTTY ? { input: process.stdin, output: process.stdout } : undefined),
  stderrIsTerminal: isTerminal,
  stderrColumns: () => process.stderr.columns,
  exit: (code) => {
    process.exitCode = code;
  },
  // A command that logs opens its own.
  log: silentLog,
  openLog: (settings) => {
    isLogging = true;
    const paint = paintFor({ env: process.env, isTerminal });
    return createLog(settings, { isTerminal, paint, ...(isPipe && { destination: pipeTo(process.stderr) }) });
  },
};

await runProgram(process.argv.slice(2), context);
// What is left of a log that nobody reads would keep the process for good. An answer on stdout waits for its reader.
const isUnread = isLogging && process.stderr.writableLength > 0 && process.stdout.writableLength === 0;
if (isUnread) setTimeout(() => process.exit(), unreadMs);
