import type { OperationId, operations, Result } from '@petstore/types';
import type { Answer } from './connection.ts';
import type { FailureOf } from './failure-of.ts';
import type { ElementsOf } from './pages.ts';

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
  ? AsyncIterable<ElementOf<Items<Result<Id>, (typeof operations)[Id]['pagination']>>>
  : unknown;

type Items<Data, Rule> = Rule extends { readonly items: infer Name extends keyof Data } ? Data[Name] : Data;
type ElementOf<List> = NonNullable<List> extends readonly (infer Element)[] ? Element : never;

/** What asks for a further page: other inputs, or another address in the place of the one that the inputs make. */
export interface NextPage {
  readonly input?: object;
  readonly url?: (from: string) => string;
}

export type Start<Data> = (page?: NextPage, stop?: AbortSignal) => Promise<Exchange<Data>>;

/** Starts a call. */
export function callOf<Id extends OperationId>(start: Start<Result<Id>>, elements: ElementsOf | undefined): Call<Id> {
  const first = start();
  const data = first.then((exchange) => exchange.data);
  // Whoever asks in another way answers for a rejection there.
  const instead = <Other>(other: Other): Other => {
    data.catch(() => {});
    return other;
  };
  // Whether elements can be asked for is known of each operation by its type alone, so the types are told at the end.
  return Object.assign(data, {
    withResponse: () => instead(first),
    outcome: () =>
      instead(
        first.then(
          (exchange) => ({ ok: true, ...exchange }),
          (error) => {
            if (error instanceof TypeError || error instanceof RangeError) throw error;
            return { ok: false, error };
          },
        ),
      ),
    ...(elements && { [Symbol.asyncIterator]: () => instead(elements(first, start)) }),
  }) as unknown as Call<Id>;
}
