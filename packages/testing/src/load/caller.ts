import { Agent, request } from 'node:http';
import { apiKey } from './server.ts';

export interface Response {
  status: number;
  body: unknown;
  retryAfter: string | undefined;
  milliseconds: number;
}

/** The longest that a request may take, whatever happens to the server and its database. */
const MAX_MS = 60_000;

/** Sends requests over its own persistent connections. */
export class Caller {
  readonly #agent = new Agent({ keepAlive: true });

  /** Rejects where there is no response. */
  send(url: string, body?: object): Promise<Response> {
    const started = performance.now();
    const headers = {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
    };
    const method = body ? 'POST' : 'GET';
    return new Promise((resolve, reject) => {
      const sent = request(url, { agent: this.#agent, method, headers, timeout: MAX_MS }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (more) => {
          text += more;
        });
        response.on('error', reject).on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text),
            retryAfter: response.headers['retry-after'],
            milliseconds: performance.now() - started,
          }),
        );
      });
      sent.on('timeout', () => sent.destroy(new Error(`${url} did not answer within ${MAX_MS} ms`)));
      sent.on('error', reject).end(body && JSON.stringify(body));
    });
  }

  end() {
    this.#agent.destroy();
  }
}
