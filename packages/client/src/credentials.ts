import { type Authorize, addCookie, addQuery, type RequestDraft } from './build-request.ts';
import type { UserAndPassword } from './connection.ts';

/** A security scheme: its name, the function that adds its credential, and the option that may hold the credential. */
export type Scheme = readonly [
  name: string,
  addCredential: (draft: RequestDraft, credential: never) => void,
  option?: 'apiKey',
];

/** Adds the credential of a scheme. Throws if the connection has no such credential. */
export function authorizeBy([name, addCredential, option]: Scheme): Authorize {
  return async (draft, connection, id) => {
    const credential = connection.credentials?.[name] ?? connection[option as 'apiKey'];
    const value = typeof credential === 'function' ? await credential() : credential;
    if (!value) throw new TypeError(`${id}: set apiKey or credentials.${name}`);
    addCredential(draft, value as never);
  };
}

/** Adds the credentials of the first complete combination. An empty combination is always complete, and adds no credentials. */
export function authorizeByOneOf(...combinations: Scheme[][]): Authorize {
  return async (draft, connection, id) => {
    const complete = combinations.find((schemes) =>
      schemes.every(([name, , option]) => connection.credentials?.[name] ?? connection[option as 'apiKey']),
    );
    if (!complete) {
      const names = combinations.map((schemes) => schemes.map(([name]) => name).join(' and ')).join(', or ');
      throw new TypeError(`${id}: set credentials for ${names}`);
    }
    for (const scheme of complete) await authorizeBy(scheme)(draft, connection, id);
  };
}

/** Sends a token as `Authorization: Bearer …`. */
export function bearer(draft: RequestDraft, token: string): void {
  draft.headers.authorization = `Bearer ${token}`;
}

/** Sends a user and a password as `Authorization: Basic …`, in UTF-8 (RFC 7617). */
export function basic(draft: RequestDraft, { username, password }: UserAndPassword): void {
  if (username.includes(':')) throw new TypeError('a user name cannot contain a colon');
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  draft.headers.authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Sends an API key in the header with this name. */
export const keyInHeader = (name: string) => (draft: RequestDraft, key: string) => {
  draft.headers[name.toLowerCase()] = key;
};

/** Sends an API key as a query parameter, unless the URL already contains the parameter: the URL of a next page may. */
export const keyInQuery = (name: string) => (draft: RequestDraft, key: string) => {
  const pair = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`;
  if (!draft.url.split(/[?&]/).includes(pair)) addQuery(draft, `&${pair}`);
};

/** Sends an API key as a cookie. */
export const keyInCookie = (name: string) => (draft: RequestDraft, key: string) =>
  addCookie(draft, name, encodeURIComponent(key));
