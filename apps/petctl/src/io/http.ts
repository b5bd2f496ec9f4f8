import type { IncomingMessage } from 'node:http';
import { urlToHttpOptions } from 'node:url';
import type { HttpRequest, HttpResponse } from '@petstore/client';
import { ResponseError } from './errors.ts';
import type { Environment } from './process-io.ts';
import type { OpenRequest } from './proxy.ts';

// Uses node:http, because Node's fetch takes longer to load than everything else in petctl.

/** A response with its raw headers. */
export interface RawResponse extends HttpResponse {
  readonly rawHeaders: readonly string[];
}

export type HttpTransport = (request: HttpRequest) => Promise<RawResponse>;

/** Sends requests with node:http and node:https, over persistent connections and the proxies of the environment. */
export function httpTransport(env: Environment): HttpTransport {
  const openers = new Map<string, Promise<OpenRequest>>();
  return async (request) => {
    const url = new URL(request.url);
    const open = openers.get(url.origin) ?? openTo(url, env);
    openers.set(url.origin, open);
    return sendRequest(request, url, await open);
  };
}

/** The headers of a response in their order, with lower-case names. */
export function* headerPairs({ rawHeaders = [] }: Partial<RawResponse>): Generator<[name: string, value: string]> {
  for (let i = 0; i < rawHeaders.length; i += 2) yield [(rawHeaders[i] ?? '').toLowerCase(), rawHeaders[i + 1] ?? ''];
}

/** The proxy for a URL, if the environment names one; only then the module for proxies is loaded. */
export async function proxyOf(url: URL, env: Environment): Promise<URL | undefined> {
  if (!Object.keys(env).some((name) => /_proxy$/i.test(name))) return undefined;
  return (await import('./proxy.ts')).proxyFor(url, env);
}

async function openTo(url: URL, env: Environment): Promise<OpenRequest> {
  const proxy = await proxyOf(url, env);
  if (proxy) return (await import('./proxy.ts')).throughProxy(url, proxy);
  // Loads only the one in use.
  const { request, Agent } = await (url.protocol === 'https:' ? import('node:https') : import('node:http'));
  const agent = new Agent({ keepAlive: true });
  return (options) => request({ ...options, agent });
}

/** Sends one request, and resolves when the head of the response arrives. */
function sendRequest(outgoing: HttpRequest, url: URL, open: OpenRequest): Promise<RawResponse> {
  const { method, body, signal } = outgoing;
  const headers = { ...outgoing.headers, ...framingOf(outgoing) };
  return new Promise((resolve, reject) => {
    const request = open({ ...urlToHttpOptions(url), method, headers, signal });
    request.on('error', reject);
    request.on('response', (response) => resolve(responseOf(response)));
    request.end(body);
  });
}

/** The header that states where a body ends. Node sends none with DELETE and OPTIONS, so the body would be read as the next request. */
function framingOf({ body }: HttpRequest): Record<string, string> {
  return body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
}

/** V8 throws for a text of twice this length: in the listener for `data`, where nothing catches the error. */
const MAX_TEXT_LENGTH = 256 * 2 ** 20;

const tooLarge = () => new ResponseError('The response has more than 256 MiB.');

function responseOf(response: IncomingMessage): RawResponse {
  const { statusCode = 0, headers, rawHeaders } = response;
  // petctl requests no encoding, but a server may ignore that.
  const { 'content-encoding': encoding = '' } = headers;
  return {
    status: statusCode,
    rawHeaders,
    headers: {
      get: (name) => {
        const value = headers[name.toLowerCase()];
        return Array.isArray(value) ? value.join(', ') : (value ?? null);
      },
    },
    get body() {
      return streamOf(response);
    },
    // Events, because an asynchronous iteration costs half a millisecond of a short run.
    text: () =>
      new Promise((resolve, reject) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (part: string) => {
          if (text.length + part.length > MAX_TEXT_LENGTH) response.destroy(tooLarge());
          else text += part;
        });
        response.on('end', () => {
          if (text !== '' && !/^(identity)?$/i.test(encoding))
            reject(new ResponseError(`petctl cannot decode a response with the content encoding ${encoding}.`));
          else resolve(text.replace(/^\ufeff/, ''));
        });
        response.on('error', reject);
      }),
  };
}

/** The body as a stream, whose `cancel` ends the connection also if nothing was read. `ReadableStream.from` leaves it open. */
function streamOf(response: IncomingMessage): ReadableStream<Uint8Array> {
  const parts: AsyncIterator<Uint8Array> = response[Symbol.asyncIterator]();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => {
        response.destroy();
      },
    },
    { highWaterMark: 0 },
  );
}
