import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';
import { petstore } from '@petstore/client';
import { apiKey } from '@petstore/testing/server';

export interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface RequestError extends NodeJS.ErrnoException {
  /** Whether the server is known to have accepted the connection: it was reused, or a response has begun. */
  isAccepted: boolean;
}

interface RequestOptions {
  /** Without an agent, the request has a connection of its own. */
  agent?: Agent | false;
  key?: string;
  /** Makes the request a POST. */
  body?: string;
  headers?: OutgoingHttpHeaders;
  /** The milliseconds without a byte after which the request is aborted. */
  timeout?: number;
}

/** Sends a request. Rejects with a RequestError if there is no complete response. */
export function send(url: string, options: RequestOptions = {}): Promise<Response> {
  const { agent = false, key = apiKey, body, headers, timeout } = options;
  const type =
    body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${key}`, ...type, ...headers },
      ...(timeout !== undefined && { timeout }),
    });
    sent.on('response', async (response) => {
      try {
        const text = Buffer.concat(await response.toArray()).toString();
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      } catch (error) {
        reject(Object.assign(error as Error, { isAccepted: true }));
      }
    });
    sent.on('error', (error) => reject(Object.assign(error, { isAccepted: sent.reusedSocket })));
    sent.on('timeout', () => sent.destroy(new Error('there was no response')));
    sent.end(body);
  });
}

/** Sends a GET over a connection of its own, or of this agent. */
export const get = (url: string, agent: Agent | false = false, key = apiKey) => send(url, { agent, key });

/** The names of all stored pets by their identifiers. */
export async function storedPets(baseUrl: string): Promise<Map<number, string>> {
  const names = new Map<number, string>();
  for await (const { id, name } of petstore({ baseUrl, apiKey }).listPets({ limit: 100 })) names.set(id, name);
  return names;
}
