import type { ServerResponse } from 'node:http';
import type { LogRequest, RequestEntry } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { RequestContext } from './request-context.ts';

/** Counts and logs a request after its response was sent or aborted. */
export type Observe = (response: ServerResponse, context: RequestContext) => void;

export function observer(logRequest: LogRequest, metrics: Metrics): Observe {
  return (response, { requestId, started, method, target, operation, client, trace, keyName }) => {
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
    if (!response.writableFinished) entry.aborted = true;
    logRequest(entry);
  };
}

/** A response to malformed bytes. */
export interface Rejection {
  requestId: string;
  client: string | undefined;
  status: number;
}

/** Counts and logs a response to malformed bytes, which has no method, path and operation. */
export function rejectionObserver(logRequest: LogRequest, metrics: Metrics): (rejection: Rejection) => void {
  return ({ requestId, client, status }) => {
    metrics.responded('none', status, 0);
    logRequest({ requestId, client, status, ms: 0 });
  };
}
