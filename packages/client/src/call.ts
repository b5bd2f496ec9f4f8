import type { OperationId, Result } from '@petstore/types';
import type { CallOptions, HttpResponse } from './connection.ts';
import type { CallError } from './errors.ts';

/** The data of a success, and the response that it came in. */
export interface DataAndResponse<Data> {
  readonly data: Data;
  /** Its `text()` can still be called, unless the data is a stream. */
  readonly response: HttpResponse;
}

/** How a call ended, as a value: with data, or with an error. */
export type Outcome<Id extends OperationId> =
  | ({ readonly ok: true } & DataAndResponse<Result<Id>>)
  | { readonly ok: false; readonly error: CallError };

/** A call in progress. Awaited, it returns the data of a success and throws an error otherwise. */
export interface Call<Id extends OperationId> extends Promise<Result<Id>> {
  readonly operation: Id;
  /** The data, and the response that it came in. */
  withResponse(): Promise<DataAndResponse<Result<Id>>>;
  /** Calls the operation again, with what the function makes of the arguments. */
  repeat(change: (args: Arguments) => Arguments): Promise<DataAndResponse<Result<Id>>>;
}

/** What a call is made of. */
export interface Arguments {
  readonly input: object | undefined;
  readonly options: CallOptions | undefined;
  /** Makes another address from the one that the inputs make. */
  readonly url?: (from: string) => string;
}

/** Starts a call. */
export function createCall<Id extends OperationId>(
  operation: Id,
  args: Arguments,
  run: (args: Arguments) => Promise<DataAndResponse<Result<Id>>>,
): Call<Id> {
  const first = run(args);
  const data = first.then((success) => success.data);
  return Object.assign(data, {
    operation,
    withResponse: () => {
      // The caller sees a rejection there.
      data.catch(() => {});
      return first;
    },
    repeat: (change: (args: Arguments) => Arguments) => run(change(args)),
  });
}

/** How a call ended, as a value. Rejects only for a mistake in how the call was made, such as an input that cannot be sent. */
export async function outcome<Id extends OperationId>(call: Call<Id>): Promise<Outcome<Id>> {
  try {
    return { ok: true, ...(await call.withResponse()) };
  } catch (error) {
    // Not by its class: the call may be of another copy of this package.
    if ('attempts' in Object(error)) return { ok: false, error: error as CallError };
    throw error;
  }
}
