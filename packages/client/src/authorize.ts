import { type Authorize, addQuery, type RequestDraft } from './build-request.ts';
import type { UserAndPassword } from './connection.ts';

type Put = (draft: RequestDraft, credential: never) => void;

/** A security scheme: its name, the function that adds its credential, and the option that may hold the credential. */
export type Scheme = readonly [name: string, put: Put, option?: 'apiKey'];

/** Adds the credential of a scheme. */
export function needs([name, put, option]: Scheme): Authorize {
  return async (draft, connection, id) => {
    const credential = connection.credentials?.[name] ?? connection[option as 'apiKey'];
    const value = typeof credential === 'function' ? await credential() : credential;
    if (!value) throw new TypeError(`${id}: give apiKey or credentials.${name}`);
    put(draft, value as never);
  };
}

/** Adds the credentials of the first combination that is complete; an empty combination needs none. */
export function needsOneOf(...alternatives: Scheme[][]): Authorize {
  return async (draft, connection, id) => {
    const all = alternatives.find((schemes) =>
      schemes.every(([name, , option]) => connection.credentials?.[name] ?? connection[option as 'apiKey']),
    );
    if (!all) {
      const names = alternatives.map((schemes) => schemes.map(([name]) => name).join(' and ')).join(', or ');
      throw new TypeError(`${id}: give credentials for ${names}`);
    }
    for (const scheme of all) await needs(scheme)(draft, connection, id);
  };
}

/** As `Authorization: Bearer …`. */
export function bearer({ headers }: RequestDraft, token: string): void {
  headers.authorization = `Bearer ${token}`;
}

/** As `Authorization: Basic …`, in UTF-8 (RFC 7617). */
export function basic({ headers }: RequestDraft, { username, password }: UserAndPassword): void {
  const bytes = new TextEncoder().encode(`${username}:${password}`);
  headers.authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

export const keyInHeader = (name: string) => (draft: RequestDraft, key: string) => {
  draft.headers[name.toLowerCase()] = key;
};

/** The address of a further page may carry the key already. */
export const keyInQuery = (name: string) => (draft: RequestDraft, key: string) => {
  const pair = `${encodeURIComponent(name)}=${encodeURIComponent(key)}`;
  if (!draft.url.split(/[?&]/).includes(pair)) addQuery(draft, pair);
};

export const keyInCookie = (name: string) => (draft: RequestDraft, key: string) => {
  const before = draft.headers.cookie;
  draft.headers.cookie = `${before ? `${before}; ` : ''}${name}=${encodeURIComponent(key)}`;
};
