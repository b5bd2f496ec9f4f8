import { type HttpTransport, headerPairs } from '../io/http.ts';
import type { Sink } from '../io/process-io.ts';
import { escapeControls } from '../io/text.ts';

/** Logs every request on stderr, from verbosity 2 on with headers and bodies; `redacted` removes the credentials. */
export function trace(stderr: Sink, redacted: (text: string) => string, verbosity: number) {
  const log = (line: string) => void stderr.write(`${escapeControls(redacted(line))}\n`);
  const detail = verbosity > 1 ? log : () => {};
  return {
    transport:
      (inner: HttpTransport): HttpTransport =>
      async (request) => {
        const started = performance.now();
        log(`> ${request.method} ${request.url}`);
        for (const [name, value] of Object.entries(request.headers)) detail(`> ${name}: ${value}`);
        if (request.body) detail(`> ${request.body}`);
        const response = await inner(request);
        const { status, headers, rawHeaders } = response;
        const logHead = (size: string) => {
          const id = headers.get('x-request-id');
          const duration = Math.round(performance.now() - started);
          log(`< ${status} in ${duration} ms${size}${id ? `, request ${id}` : ''}`);
          for (const [name, value] of headerPairs(response)) detail(`< ${name}: ${value}`);
        };
        return {
          status,
          headers,
          rawHeaders,
          // The length of a stream is unknown.
          get body() {
            logHead('');
            return response.body ?? null;
          },
          text: async () => {
            const text = await response.text();
            logHead(`, ${Buffer.byteLength(text)} bytes`);
            if (text) detail(`< ${text}`);
            return text;
          },
        };
      },
    retry: (reason: Error, attempt: number, milliseconds: number) =>
      log(`! ${reason.message}; attempt ${attempt + 1} in ${Math.round(milliseconds)} ms`),
  };
}
