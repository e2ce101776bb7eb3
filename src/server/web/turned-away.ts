// What whoever may not come is told.

import type { Authentication } from './auth.ts';

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const plain = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' };

export const turnedAway: Readonly<Record<Exclude<Authentication, 'ok'>, Told>> = {
  unauthorized: { status: 401, headers: { ...plain, 'WWW-Authenticate': 'Basic' }, body: 'Unauthorized\n' },
  'too-many': { status: 429, headers: { ...plain, 'Retry-After': '60' }, body: 'Too Many Requests\n' },
};
