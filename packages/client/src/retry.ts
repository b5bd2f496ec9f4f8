import type { PetstoreError } from './errors.ts';

/** Whether a request that is safe to repeat may succeed later. */
export function mayRetrySafe(error: Error): boolean {
  // A function of the caller can throw anything.
  const { name, status, code } = Object(error) as Partial<PetstoreError>;
  return /Connection|Timeout|in_flight|408|429|5..$/.test(`${name}${code}${status}`);
}

/** Whether the service certainly did nothing with a request and may accept it later. */
export function mayRetryUnsafe(error: Error): boolean {
  const { code, cause } = Object(error) as Partial<PetstoreError> & { cause?: Cause };
  return (
    // With these codes the service promises that it did nothing, or that it is still handling an earlier attempt; or no
    // connection was made, so nothing has arrived. fetch puts the system's error one cause deeper.
    /rate_limited|unavailable|in_flight|REFUSED|NOTFOUND|EAI_AGAIN|UNREACH|CONNECT_TIMEOUT/.test(
      `${code} ${cause?.code} ${cause?.cause?.code}`,
    )
  );
}

interface Cause {
  readonly code?: string;
  readonly cause?: { readonly code?: string };
}

/** Whether a retry after an error may succeed and does nothing twice. */
export function mayRetry(method: string, error: Error): boolean {
  return mayRetryUnsafe(error) || (/^(GET|HEAD|PUT|DELETE)$/.test(method) && mayRetrySafe(error));
}
