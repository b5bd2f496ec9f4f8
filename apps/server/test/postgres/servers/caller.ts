import { Agent, request } from 'node:http';
import { apiKey } from './server.ts';

export interface Answer {
  status: number;
  body: unknown;
  retryAfter: string | undefined;
  milliseconds: number;
}

/** Asks a server; rejects where there is none. Nothing may take longer than this, whatever happens to the database. */
export const longest = 15_000;

export class Caller {
  readonly #agent = new Agent({ keepAlive: true });

  ask(url: string, body?: object): Promise<Answer> {
    const started = performance.now();
    const headers = {
      authorization: `Bearer ${apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
    };
    const method = body ? 'POST' : 'GET';
    return new Promise((resolve, reject) => {
      const sent = request(url, { agent: this.#agent, method, headers, timeout: longest }, (response) => {
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
      sent.on('timeout', () => sent.destroy(new Error(`${url} did not answer within ${longest} ms`)));
      sent.on('error', reject).end(body && JSON.stringify(body));
    });
  }

  end() {
    this.#agent.destroy();
  }
}
