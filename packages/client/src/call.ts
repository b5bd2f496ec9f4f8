import type { OperationId, operations, Result } from '@petstore/types';
import type { Answer } from './connection.ts';
import type { FailureOf } from './failure-of.ts';
import { nextPage } from './pages.ts';

/** The data of a success beside the answer that it came in. */
export interface Exchange<Data> {
  readonly data: Data;
  readonly response: Answer;
}

/** How a call ended, as a value: the data, or one of the errors that the operation can end with. */
export type Outcome<Id extends OperationId> =
  | ({ readonly ok: true } & Exchange<Result<Id>>)
  | { readonly ok: false; readonly error: FailureOf<Id> };

/** A call under way: awaited it gives the data of a success, a failure rejects. */
export type Call<Id extends OperationId> = Pending<Id> & Pages<Id>;

interface Pending<Id extends OperationId> extends Promise<Result<Id>> {
  /** The answer beside the data. */
  withResponse(): Promise<Exchange<Result<Id>>>;
  /** How it ended, as a value. Rejects only for what is no failure of the call, such as an input that cannot be sent. */
  outcome(): Promise<Outcome<Id>>;
}

/** What a call of a paged operation gives beside its first page: the elements of all pages, one after the other. */
type Pages<Id extends OperationId> = (typeof operations)[Id] extends { readonly pagination: object }
  ? AsyncIterable<Result<Id> extends (infer Element)[] ? Element : never>
  : unknown;

type Start<Data> = (url?: string, stop?: AbortSignal) => Promise<Exchange<Data>>;

class Running<Id extends OperationId> extends Promise<Result<Id>> implements Pending<Id> {
  static override get [Symbol.species]() {
    return Promise;
  }

  readonly #start: Start<Result<Id>>;
  readonly #first: Promise<Exchange<Result<Id>>>;

  constructor(start: Start<Result<Id>>) {
    super(() => {});
    this.#start = start;
    this.#first = start();
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise; whoever takes only the response has handled a rejection too
  override then<A = Result<Id>, B = never>(
    fulfilled?: ((data: Result<Id>) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    return this.#first.then(({ data }) => data).then(fulfilled, rejected);
  }

  withResponse(): Promise<Exchange<Result<Id>>> {
    return this.#first;
  }

  outcome(): Promise<Outcome<Id>> {
    return this.#first.then(
      (exchange) => ({ ok: true, ...exchange }),
      (error) => {
        if (error instanceof TypeError || error instanceof RangeError) throw error;
        return { ok: false, error };
      },
    );
  }

  /** The elements of this page and of all behind it. Asks for at most one page ahead; stops asking when it is left. */
  async *[Symbol.asyncIterator]() {
    const stop = new AbortController();
    let page: Promise<Exchange<Result<Id>>> | undefined = this.#first;
    try {
      while (page) {
        const { data, response }: Exchange<Result<Id>> = await page;
        const url = nextPage(response);
        page = url === undefined ? undefined : this.#start(url, stop.signal);
        // It is awaited once this page is used up, and not at all if the caller leaves before.
        page?.catch(() => {});
        yield* data as Iterable<unknown>;
      }
    } finally {
      stop.abort();
    }
  }
}

/** Starts a call. */
export function callOf<Id extends OperationId>(start: Start<Result<Id>>): Call<Id> {
  return new Running<Id>(start) as Call<Id>;
}
