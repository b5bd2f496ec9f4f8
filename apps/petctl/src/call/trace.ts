import type { Hooks } from '@petstore/client';
import type { Sink } from '../io.ts';
import { escapeControls } from '../out/escape-controls.ts';
import type { HttpAnswer, HttpTransport } from './transport.ts';

interface Trace {
  transport(inner: HttpTransport): HttpTransport;
  readonly retry: NonNullable<Hooks['retry']>;
}

/** Tells of every request on stderr: a summary, from 2 on headers and bodies too. The key is nowhere to be seen. */
export function trace(stderr: Sink, key: string, verbosity: number): Trace {
  const tell = (line: string) => void stderr.write(`${escapeControls(line.replaceAll(key, '***'))}\n`);
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
      return {
        status,
        headers,
        rawHeaders,
        // Whoever reads the bytes takes them from the answer itself.
        get body() {
          return answer.body ?? null;
        },
        text: async () => {
          const text = await answer.text();
          const id = answer.headers.get('x-request-id');
          const took = Math.round(performance.now() - started);
          tell(`< ${answer.status} in ${took} ms, ${Buffer.byteLength(text)} bytes${id ? `, request ${id}` : ''}`);
          for (const [name, value] of headersOf(answer)) detail(`< ${name}: ${value}`);
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
