import { type CallError, PetstoreError } from './errors.ts';

/** How a call ended: with data, or with an error. */
export type Outcome<T> =
  | { readonly ok: true; readonly data: T }
  | { readonly ok: false; readonly error: CallError };

/** The data of a success, and the response that contained it. */
export interface Success<T> {
  readonly data: T;
  /** The response. Its body has been read. */
  readonly response: Response;
  /** The address that responded, after redirects. */
  readonly url: string;
}

/**
 * A call in progress. `await` gives the data of a success, and throws a `PetstoreError` otherwise.
 */
export interface Call<T> extends Promise<T> {
  /** The data together with the response, for example to read its headers. */
  withResponse(): Promise<Success<T>>;
  /** How the call ended. Rejects only with an error that is not a `PetstoreError`. */
  outcome(): Promise<Outcome<T>>;
}

/** Makes a call of the promise of its success. */
export function callOf<T>(success: Promise<Success<T>>): Call<T> {
  const call = success.then(({ data }) => data);
  return Object.assign(call, {
    // Chain on `call`, not on `success`. Otherwise `call` rejects without a handler, and Node ends
    // the process.
    withResponse: () => call.then(() => success),
    outcome: () =>
      call.then<Outcome<T>, Outcome<T>>(
        (data) => ({ ok: true, data }),
        (error: unknown) => {
          if (error instanceof PetstoreError) return { ok: false, error };
          throw error;
        },
      ),
  });
}
