// A silent log that reports messages which must never occur.

import { type Log, silentLog } from '../../src/log.ts';

const never = /bug in snowgauge|not written|unreadable|damaged|scheduler failed|another snowgauge/;

export const strictLog = (fault: (text: string) => void): Log => {
  const listen = (fields: unknown, message: string): void => {
    if (never.test(message)) fault(`log: ${message} ${JSON.stringify(fields)}`);
  };
  return { ...silentLog, warn: listen, error: listen };
};
