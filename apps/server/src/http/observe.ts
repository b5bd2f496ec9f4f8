import type { ServerResponse } from 'node:http';
import type { LogRequest, RequestEntry } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { RequestContext } from './request-context.ts';

/** Creates a function that counts and logs a request after its response was sent or aborted. */
export function observer(logRequest: LogRequest, metrics: Metrics) {
  return (response: ServerResponse, context: RequestContext): void => {
    const { requestId, started, method, target, operation, client, trace, keyName } = context;
    const milliseconds = performance.now() - started;
    const status = response.headersSent ? response.statusCode : 0;
    metrics.responded(operation?.id ?? 'none', status, milliseconds);
    const entry: RequestEntry = {
      requestId,
      method,
      path: target.path,
      operation: operation?.id,
      key: keyName,
      client,
      status,
      ms: Math.round(milliseconds * 1000) / 1000,
    };
    if (trace) Object.assign(entry, trace);
    // Node 22 also reports aborted responses as finished.
    if (response.req.socket.destroyed) entry.aborted = true;
    logRequest(entry);
  };
}

/** A response to malformed bytes, a late head or CONNECT. It has no method, path and operation. */
export type Rejection = Pick<RequestEntry, 'requestId' | 'client' | 'status'>;

/** Creates a function that counts and logs a `Rejection`. */
export function rejectionObserver(logRequest: LogRequest, metrics: Metrics) {
  return (rejection: Rejection): void => {
    metrics.responded('none', rejection.status, 0);
    logRequest({ ...rejection, ms: 0 });
  };
}
