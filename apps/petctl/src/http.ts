import type { Agent, IncomingMessage } from 'node:http';
import { CliError, UsageError } from './errors.ts';

/** More than any page has. */
const MAX_LENGTH = 256 * 2 ** 20;

let agent: Agent | undefined;

/** `fetch` over node:http, because Node's own takes longer to load than all of petctl. It has what the client needs. */
export async function fetchOverHttp(
  address: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const url = new URL(String(address));
  // Only the module in use is loaded.
  const http = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
  checkProxies();
  try {
    agent ??= new http.Agent({ keepAlive: true, proxyEnv: process.env });
  } catch (cause) {
    // Node cannot read the proxy. Like fetch, throw a TypeError for what is no mistake in the code.
    throw new TypeError('fetch failed', { cause });
  }
  const { method = 'GET', body, signal } = init;
  const length =
    typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
  const headers = { ...(init.headers as Record<string, string>), ...length };
  const options = { method, headers, agent, ...(signal && { signal }) };
  return new Promise((resolve, reject) => {
    const request = http.request(url, options, (message) => resolve(responseOf(message)));
    request.on('error', (error) => reject(signal?.aborted ? signal.reason : error));
    request.end(body);
  });
}

/** Throws if the environment names a proxy that Node would ignore. */
function checkProxies(): void {
  for (const [name, value] of Object.entries(process.env)) {
    if (!/^https?_proxy$/i.test(name) || !value) continue;
    if (!/^https?:\/\//i.test(value))
      throw new UsageError(`${name} is invalid.`, 'It has to begin with http://.');
    if (!process.allowedNodeEnvironmentFlags.has('--use-env-proxy'))
      throw new UsageError(
        `Node ${process.versions.node} knows no proxies.`,
        `Use Node 22.21, or unset ${name}.`,
      );
  }
}

/** A response with the members that the client uses: Node's own class would load all of fetch. */
function responseOf(message: IncomingMessage): Response {
  const all = new Map(
    Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
  );
  const headers = { get: (name: string) => all.get(name.toLowerCase()) ?? null };
  const response = {
    status: message.statusCode ?? 0,
    headers,
    body: null,
    text: () => textOf(message),
  };
  // The other members are missing, those that change headers too, so TypeScript sees no relation.
  return response as unknown as Response;
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of message.setEncoding('utf8')) {
    text += part;
    if (text.length > MAX_LENGTH)
      throw new CliError('failed', 'The response is too long.', 'Check --base-url.');
  }
  return text.replace(/^\ufeff/, '');
}
