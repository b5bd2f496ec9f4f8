/** What a fake service does with a request in place of, or beside, what it would do. */
export interface Interruption {
  /** Responds with this error and does nothing. */
  readonly status?: number;
  /** The code of the error; by default the one that the status has. */
  readonly code?: string;
  /** The message of the error. */
  readonly message?: string;
  /** Further headers of the response, `retry-after` for example. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The text of the response, in place of any other. */
  readonly text?: string;
  /** Waits this many milliseconds first. */
  readonly delay?: number;
  /** Ends the connection: before the request is done, or after it, so that only the response is lost. */
  readonly disconnect?: 'before' | 'after';
}

/** Waits, and rejects as fetch does when the signal aborts. */
export function wait(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(handle);
      reject(signal.reason);
    };
    const handle = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
}
