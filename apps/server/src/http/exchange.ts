import type { Operation } from '@petstore/types';
import type { Response } from 'express';
import type { Place } from './places.ts';

/** What is known of a request while it is answered; kept in `response.locals`. */
export interface Exchange {
  readonly requestId: string;
  /** The path that was asked for, as it was sent. */
  readonly path: string;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** The path of the interface that it is. */
  readonly place: Place | undefined;
  /** The operation that was asked for. */
  readonly operation: Operation | undefined;
  /** The name of the key that called. */
  keyName: string | undefined;
}

export function exchangeOf(response: Response): Exchange {
  return response.locals as Exchange;
}
