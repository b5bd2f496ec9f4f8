import { BaseError, type CallError } from './errors.ts';

/** How a call ended, as a value. */
export type Outcome<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly error: CallError };

/** The data of a success, and the response that contained it. */
export interface Success<T> {
  readonly data: T;
  /** The response. Its body has been read. */
  readonly response: Response;
}

/** A call in progress. `await` gives the data of a success, and throws a `CallError` otherwise. */
export interface Call<T> extends Promise<T> {
  /** The data together with the response, for example for its headers. */
  withResponse(): Promise<Success<T>>;
  /** How the call ended, as a value. Rejects only for wrong arguments, and for errors of the function that gets the key. */
  outcome(): Promise<Outcome<T>>;
}

/** A call whose result is on its way. */
export function callOf<T>(success: Promise<Success<T>>): Call<T> {
  const call = success.then(({ data }) => data);
  return Object.assign(call, {
    // By way of `call`, whose rejection would be unhandled otherwise.
    withResponse: () => call.then(() => success),
    outcome: () =>
      call.then<Outcome<T>, Outcome<T>>(
        (data) => ({ ok: true, data }),
        (error: unknown) => {
          if (error instanceof BaseError) return { ok: false, error: error as CallError };
          throw error;
        },
      ),
  });
}
