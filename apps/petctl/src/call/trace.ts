import type { Hooks } from '@petstore/client';
import type { HttpAnswer, HttpTransport } from '../io/http.ts';
import type { Sink } from '../io/io.ts';
import { escapeControls } from '../io/text.ts';
import { type Credential, redactor } from '../keys/credentials.ts';

interface Trace {
  transport(inner: HttpTransport): HttpTransport;
  readonly retry: NonNullable<Hooks['retry']>;
}

/** Writes every request to stderr: a summary, from 2 on headers and bodies too. No credential is shown. */
export function trace(stderr: Sink, credentials: readonly Credential[], verbosity: number): Trace {
  const redacted = redactor(credentials);
  const tell = (line: string) => void stderr.write(`${escapeControls(redacted(line))}\n`);
  const detail = verbosity > 1 ? tell : () => {};
  return {
    transport: (inner) => async (request) => {
      const started = performance.now();
      tell(`> ${request.method} ${request.url}`);
      for (const [name, value] of Object.entries(request.headers)) detail(`> ${name}: ${value}`);
      if (typeof request.body === 'string') detail(`> ${request.body}`);
      else if (request.body) detail('> (a body that is no text)');
      const answer = await inner(request);
      const { status, headers, rawHeaders } = answer;
      const tellHead = (size: string) => {
        const id = headers.get('x-request-id');
        const took = Math.round(performance.now() - started);
        tell(`< ${status} in ${took} ms${size}${id ? `, request ${id}` : ''}`);
        for (const [name, value] of headersOf(answer)) detail(`< ${name}: ${value}`);
      };
      return {
        status,
        headers,
        rawHeaders,
        // Bytes are passed on as they come, so their number is not known yet.
        get body() {
          tellHead('');
          return answer.body ?? null;
        },
        text: async () => {
          const text = await answer.text();
          tellHead(`, ${Buffer.byteLength(text)} bytes`);
          if (text) detail(`< ${text}`);
          return text;
        },
      };
    },
    retry: (reason, attempt, milliseconds) =>
      tell(`! ${reason.message}; try ${attempt + 1} in ${Math.round(milliseconds)} ms`),
  };
}

function* headersOf({ rawHeaders }: HttpAnswer): Generator<[name: string, value: string]> {
  for (let i = 0; i < rawHeaders.length; i += 2) yield [(rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? ''];
}
