import type { Authorize, RequestDraft } from './build-request.ts';

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
