import type { OperationId } from '@petstore/types';
import type { Authorize } from './authorize.ts';
import type { ElementsOf } from './pages.ts';
import type { Read } from './read.ts';

/** The body of a request, as fetch takes it. */
export type Body = string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>;

/** How an operation goes on the wire. */
export interface Wire<Id extends OperationId = OperationId> {
  readonly id: Id;
  readonly method: string;
  readonly path: string;
  /** Where inputs go: each takes what is its own, the last one all that is left. */
  readonly places: readonly Place[];
  /** What puts in the credentials; left out where none is needed. */
  readonly authorize?: Authorize | undefined;
  /** There, with the date of its end if it has one, when the operation is deprecated. */
  readonly deprecated?: { readonly sunset?: string };
  /** The media types that are taken; JSON where it is left out. */
  readonly accept?: string;
  /** What reads the answer; as JSON where it is left out. */
  readonly read?: Read;
  /** What the elements of all pages are. */
  readonly pages?: ElementsOf;
}

/** What is to be sent; its address is relative. */
export interface Draft {
  url: string;
  headers: Record<string, string>;
  body?: Body;
  /** There with a stream, which can be sent only once, and only while the answer is awaited. */
  duplex?: 'half';
}

export type Inputs = [name: string, value: unknown][];

/** Puts inputs in their place, and gives those it leaves. Functions of their own, so that a bundle has only those that it needs. */
export type Place = (draft: Draft, inputs: Inputs) => Inputs;

/** The inputs that the path names, each as one word. */
export const inPath: Place = (draft, inputs) => {
  const left = inputs.filter(([name, value]) => {
    if (!draft.url.includes(`{${name}}`)) return true;
    fill(draft, name, encodeURIComponent(String(value)));
    return false;
  });
  const [, missing] = /\{([^}]+)}/.exec(draft.url) ?? [];
  if (missing) throw new TypeError(`'${inputs.find(([name]) => name === missing)?.[1]}' cannot be a ${missing}`);
  return left;
};

/** Puts text in the place of a name in the path. */
export function fill(draft: Draft, name: string, segment: string): void {
  // Dots alone would climb to another path, nothing at all would be another operation.
  if (!/^\.{0,2}$/.test(segment)) draft.url = draft.url.replace(`{${name}}`, () => segment);
}

/** Those of these names, as headers. */
export function inHeaders(...names: string[]): Place {
  return some(names, (draft, inputs) => {
    for (const [name, value] of inputs) if (value !== null) draft.headers[name.toLowerCase()] = String(value);
    return [];
  });
}

/** All of them, as query parameters. */
export const inQuery: Place = (draft, inputs) => {
  for (const [name, value] of inputs) {
    // Null is not sent (RFC 6570, 2.3).
    for (const one of [value ?? []].flat())
      addQuery(draft, `${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`);
  }
  return [];
};

/** Adds to the query. */
export function addQuery(draft: Draft, pair: string): void {
  draft.url += (draft.url.includes('?') ? '&' : '?') + pair;
}

/** Those of these names, as query parameters, where the rest is a body. */
export function inQueryOf(...names: string[]): Place {
  return some(names, inQuery);
}

/** All of them, as JSON. */
export const inBody: Place = (draft, inputs) => {
  draft.headers['content-type'] = 'application/json';
  draft.body = JSON.stringify(Object.fromEntries(inputs));
  return [];
};

/** Gives a place only the inputs of these names. */
export function some(names: readonly string[], put: Place): Place {
  return (draft, inputs) => {
    put(
      draft,
      inputs.filter(([name]) => names.includes(name)),
    );
    return inputs.filter(([name]) => !names.includes(name));
  };
}

/** Puts each input in its place. Refuses what would arrive as something else. */
export function place({ id, path, places }: Wire, input: object): Draft {
  const draft: Draft = { url: path, headers: {} };
  let inputs: Inputs = Object.entries(input).filter(([name, value]) => {
    if (!isExact(value)) throw new RangeError(`${id}: ${value} as ${name} cannot be carried exactly`);
    return value !== undefined;
  });
  for (const put of places) inputs = put(draft, inputs);
  return draft;
}

/** Whether JSON carries all numbers in it as they are: no larger one is, and none that was rounded is less. */
export function isExact(data: unknown): boolean {
  return typeof data === 'number'
    ? Math.abs(data) <= Number.MAX_SAFE_INTEGER
    : Object(data) !== data || Object.values(data as object).every(isExact);
}
