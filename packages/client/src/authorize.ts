import { addQuery, type RequestDraft } from './build-request.ts';
import type { Connection } from './connection.ts';

/** A user name and a password. */
export interface UserAndPassword {
  readonly username: string;
  readonly password: string;
}

/** What a security scheme takes, or how to get it. */
export type Credential = Given | (() => Given | Promise<Given>);
type Given = string | UserAndPassword;

/** Puts the credentials that an operation needs into its request. */
export type Authorize = (draft: RequestDraft, connection: Connection, id: string) => Promise<void>;

type Put = (draft: RequestDraft, credential: never) => void;

/** A security scheme: its name, and what puts its credential into a request. */
export type Scheme = readonly [name: string, put: Put];

/** Puts in the credential of a scheme. */
export function needs([name, put]: Scheme): Authorize {
  return async (draft, { credentials }, id) => {
    const credential = credentials[name];
    const given = typeof credential === 'function' ? await credential() : credential;
    if (!given) throw new TypeError(`${id}: give apiKey or credentials.${name}`);
    put(draft, given as never);
  };
}

/** Puts in the credentials of the first combination of which all are given; an empty one needs none. */
export function needsOneOf(...alternatives: Scheme[][]): Authorize {
  return async (draft, connection, id) => {
    const all = alternatives.find((schemes) => schemes.every(([name]) => connection.credentials[name]));
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
