// Encoders of JSON bodies, which may contain bigints. `inBody` writes JSON without bigints.

import { type Encoder, writeEach } from './build-request.ts';
import { exactJson } from './old.ts';

/** Writes the inputs as the properties of JSON with integers that may be bigints. */
export function inExactJson(type = 'application/json'): Encoder {
  return (draft, inputs) => {
    draft.headers['content-type'] = type;
    draft.body = exactJson(Object.fromEntries(inputs));
    return [];
  };
}

/** Writes the inputs with this encoder. If there are no inputs, the request has no body. */
export function ifAny(encode: Encoder): Encoder {
  return (draft, inputs) => (inputs.length > 0 ? encode(draft, inputs) : []);
}

/** Writes the input `body` as JSON of any shape, with integers that may be bigints. */
export function wholeJson(type = 'application/json'): Encoder {
  return writeEach(['body'], (draft, body) => {
    draft.headers['content-type'] = type;
    draft.body = exactJson(body);
  });
}
