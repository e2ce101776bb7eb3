// Responses to requests without valid credentials, and to requests above the rate limit.

import { plainText, type Reply } from '../reply.ts';
import type { Authentication } from './auth.ts';

export const turnedAway: Readonly<Record<Exclude<Authentication, 'ok'>, Reply>> = {
  unauthorized: plainText(401, 'Unauthorized\n', { 'WWW-Authenticate': 'Basic' }),
  'too-many': plainText(429, 'Too Many Requests\n', { 'Retry-After': '60' }),
};
