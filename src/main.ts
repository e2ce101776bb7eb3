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

/** Milliseconds that the process waits at its end for the reader of the log. */
const unreadMs = 500;

const stop = new AbortController();
// The second signal ends the process at once: a person who presses Ctrl-C twice means it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

// Only `run` reloads. A SIGHUP before its listener exists is remembered. For other commands, it ends the process as usual.
let isHungUp = false;
if (process.argv[2] === 'run')
  process.on('SIGHUP', () => {
    isHungUp ||= process.listenerCount('SIGHUP') === 1;
  });

type WriteFailed = (error: Error & { readonly code?: unknown }) => void;

const stdoutFailed: WriteFailed = ({ code, message }) => {
  // A closed pipe (`snowgauge ... | head`) is not an error.
  if (code === 'EPIPE') {
    stop.abort(readerGone);
    return;
  }
  // For example, the disk is full. The result was not written, so the exit code must not mean that the result is negative.
  say(`stdout: ${message}\n`);
  process.exit(exitCodes.unknown);
};
process.stdout.on('error', stdoutFailed);
// A closed stderr or a full disk must not end the process.
process.stderr.on('error', () => undefined);

/**
 * Files are written directly. With the stream, Node.js 20 throws errors that later versions emit, and does not notice if a nearly full disk
 * takes only part of the text.
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

// A bug ends the process, and only its stack is printed. Node.js would print all properties of the error and of its cause, which may
// include a request with its headers.
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
    // Aborted if the reader has gone, or if the process is stopping.
    if (process.stdout.writableNeedDrain) await once(process.stdout, 'drain', { signal: stop.signal }).catch(() => undefined);
  },
  stderr: say,
  // Aborted by the signal, because input from a pipe may never end.
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
  // Commands that log call `openLog`.
  log: silentLog,
  openLog: (settings) => {
    isLogging = true;
    const paint = paintFor({ env: process.env, isTerminal });
    return createLog(settings, { isTerminal, paint, ...(isPipe && { destination: pipeTo(process.stderr) }) });
  },
};

await runProgram(process.argv.slice(2), context);
// Unread log lines in a pipe must not keep the process running forever. A result on stdout waits for its reader.
const isUnread = isLogging && process.stderr.writableLength > 0 && process.stdout.writableLength === 0;
if (isUnread) setTimeout(() => process.exit(), unreadMs);
