// Authorization headers that are valid for a besieged server, and that are nearly valid.

import { hostileTexts } from './hostile.ts';
import { pick } from './mutations.ts';

const userAndPassword = 'prometheus:s3cret';

/** Token of the maintenance API. */
export const token = 'fuzz-token-0c8f2a';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;

export const right = { users: basic(userAndPassword), token: `Bearer ${token}` } as const;

/** Hostile bytes, one per character. */
export const odd = (choice: number): string =>
  Buffer.from(pick(hostileTexts, choice) ?? '')
    .toString('latin1')
    .slice(0, 3000);

const nearly: readonly ((choice: number) => string)[] = [
  () => right.users,
  () => right.token,
  (choice) => basic(`prometheus:${odd(choice)}`),
  (choice) => basic(`${odd(choice)}:s3cret`),
  (choice) => basic(`${userAndPassword}${pick(['\0', '\0s3cret', ' ', ':', '\n', 'x'.repeat(100)], choice)}`),
  (choice) => basic(pick(['prometheus', ':', ':s3cret', '\0:\0', '\ud800:\udfff', 'PROMETHEUS:s3cret'], choice) ?? ''),
  (choice) => `Basic ${odd(choice)}`,
  (choice) => `Basic ${pick(['', '=', '====', '!', 'cHJv bWV0', 'cHJvbWV0aGV1czpzM2NyZXQ===', '-_-_', '\0'], choice)}`,
  (choice) => `${basic(`prometheus:${'x'.repeat(choice % 9000)}`)}`,
  (choice) => `Bearer ${odd(choice)}`,
  (choice) => `Bearer ${token}${pick(['x', '\0', ',', ` ${token}`, '\r\n', '='.repeat(8000)], choice)}`,
  (choice) => `Bearer ${token.slice(0, choice % token.length)}`,
  (choice) => `${pick(['bearer  ', 'BASIC ', 'Digest ', 'Negotiate ', '', 'Basic\t', 'Bearer'], choice)}${token}`,
  (choice) => `${odd(choice)}\r\nAuthorization: ${pick([right.users, right.token], choice)}`,
  (choice) => `${pick([right.users, right.token], choice)}\r\nAuthorization: ${odd(choice)}`,
];

/** Every other header is the valid one for that server; some requests have none. */
export const authorization = (to: 'users' | 'token', kind: number, choice: number): readonly string[] => {
  if (kind % 2 === 0) return [`Authorization: ${right[to]}`];
  return kind % 16 === 1 ? [] : [`Authorization: ${pick(nearly, kind >> 1)?.(choice)}`];
};

/** Whether these bytes contain credentials that basic_auth_users may accept; bcrypt ignores what follows a long password. */
export const hasPassword = (bytes: string): boolean =>
  Array.from(bytes.matchAll(/Basic +([a-z0-9+/]+)/gi), ([, encoded = '']) => Buffer.from(encoded, 'base64').toString()).some(
    (text) => text.startsWith(userAndPassword),
  );

/** Secrets that no response to these bytes may contain: all that are not in the bytes outside of the Authorization header. */
export const secretsUnknownTo = (bytes: string): readonly string[] => {
  const said = bytes.replace(/authorization:[^\r\n]*/gi, '');
  return ['s3cret', right.users.slice('Basic '.length), token].filter((secret) => !said.includes(secret));
};
