import type { OperationId } from '@petstore/types';
import { isExact } from './read.ts';

/** How an operation goes on the wire. */
export interface Wire<Id extends OperationId = OperationId> {
  readonly id: Id;
  readonly method: string;
  readonly path: string;
  /** Where inputs go: each takes what is its own, the last one all that is left. */
  readonly places: readonly Place[];
  /** There, with the date of its end if it has one, when the operation is deprecated. */
  readonly deprecated?: { readonly sunset?: string };
}

/** What is to be sent; its address is relative. */
export interface Draft {
  url: string;
  readonly headers: Record<string, string>;
  body?: string;
}

type Inputs = [name: string, value: unknown][];

/** Puts inputs in their place, and gives those it leaves. Functions of their own, so that a bundle has only those that it needs. */
export type Place = (draft: Draft, inputs: Inputs) => Inputs;

/** The inputs that the path names. */
export const inPath: Place = (draft, inputs) => {
  const left = inputs.filter(([name, value]) => {
    const slot = `{${name}}`;
    if (!draft.url.includes(slot)) return true;
    const segment = encodeURIComponent(String(value));
    // Dots alone would climb to another path, nothing at all would be another operation.
    if (!/^\.{0,2}$/.test(segment)) draft.url = draft.url.replace(slot, segment);
    return false;
  });
  const [, missing] = /\{(\w+)\}/.exec(draft.url) ?? [];
  if (missing) throw new TypeError(`'${inputs.find(([name]) => name === missing)?.[1]}' cannot be a ${missing}`);
  return left;
};

/** Those of these names, as headers. */
export function inHeaders(...names: string[]): Place {
  return some(names, (draft, inputs) => {
    for (const [name, value] of inputs) draft.headers[name] = String(value);
    return [];
  });
}

/** All of them, as query parameters. */
export const inQuery: Place = (draft, inputs) => {
  let mark = '?';
  for (const [name, value] of inputs) {
    for (const one of [value].flat()) {
      draft.url += `${mark}${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`;
      mark = '&';
    }
  }
  return [];
};

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

function some(names: string[], put: Place): Place {
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
