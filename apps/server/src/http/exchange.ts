import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Operation } from '@petstore/types';
import type { Response } from 'express';
import { type Found, type Place, placeAt } from './places.ts';

/** What is known of a request while it is answered. */
export interface Exchange {
  readonly requestId: string;
  /** The path that was asked for, as it was sent. */
  readonly path: string;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** The path of the interface that it is. */
  readonly place: Place | undefined;
  /** The path fields, as they were sent. */
  readonly pathFields: Found['fields'];
  /** The operation that was asked for. */
  readonly operation: Operation | undefined;
  /** The name of the key that called. */
  keyName: string | undefined;
}

/** Finds out what is asked for: the request's own identifier or a new one, and the operation. */
export function exchangeFor({ url = '', method = '', headers }: IncomingMessage): Exchange {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const found = placeAt(path);
  return {
    requestId: requestIdOf(headers['x-request-id']),
    path,
    query: mark < 0 ? '' : url.slice(mark + 1),
    place: found?.place,
    pathFields: found?.fields ?? {},
    operation: found?.place.methods.get(method === 'HEAD' ? 'GET' : method),
    keyName: undefined,
  };
}

function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\x21-\x7e]{1,128}$/.test(given) ? given : newRequestId();
}

const run = randomUUID().slice(0, -12);
let count = 0;

/** One of its own for each request: a UUID that is random for the run, and counts in its last part. */
export function newRequestId(): string {
  return run + (++count).toString(16).padStart(12, '0');
}

/** The exchange that Express carries along in `response.locals`. */
export function exchangeOf(response: Response): Exchange {
  return response.locals as Exchange;
}
