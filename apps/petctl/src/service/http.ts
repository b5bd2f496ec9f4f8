import type { Agent, AgentOptions, IncomingMessage } from 'node:http';
import { CliError, UsageError } from '../errors.ts';
import type { Environment } from '../settings.ts';

/** More characters than any page has. */
const MAX_RESPONSE_LENGTH = 64 * 2 ** 20;

/** What this Node can do. Finding out takes time, so it is read only if a proxy is set. */
interface NodeFeatures {
  readonly knowsProxies: boolean;
}

/** The members of a response that the client uses. */
type UsedResponse = Pick<Response, 'status' | 'body' | 'text'> & { headers: Pick<Headers, 'get'> };

/**
 * Sends requests by node:http, because loading Node's own `fetch` takes longer than all of petctl.
 */
export class HttpConnections {
  readonly #env: Environment;
  readonly #node: NodeFeatures;
  #agent: Agent | undefined;

  constructor(env: Environment, node: NodeFeatures) {
    this.#env = env;
    this.#node = node;
  }

  /** `fetch`, as far as the client needs it. One run of petctl sends all requests to one origin. */
  fetch = async (
    address: string | URL | Request,
    { method = 'GET', headers, body, signal }: RequestInit = {},
  ): Promise<Response> => {
    const url = new URL(String(address));
    // Only the module in use is loaded.
    const http = url.protocol === 'https:' ? await import('node:https') : await import('node:http');
    this.#agent ??= newAgent(http, this.#proxyOptions(url));
    const options = {
      method,
      agent: this.#agent,
      headers: { ...(headers as Record<string, string>), ...lengthOf(body) },
      signal: signal ?? undefined,
    };
    return new Promise((resolve, reject) => {
      const request = http.request(url, options, (message) => resolve(responseOf(message)));
      request.on('error', (error) => {
        reject(signal?.aborted ? signal.reason : networkFailure(error));
      });
      request.end(body);
    });
  };

  /** Closes the connections that are kept for further requests. */
  close(): void {
    this.#agent?.destroy();
  }

  #proxyOptions(url: URL): object {
    const proxy = proxyFor(url, this.#env);
    if (proxy === undefined) return {};
    if (!this.#node.knowsProxies)
      throw new UsageError(
        'This version of Node does not support proxies.',
        'Use Node 22.21 or later, or name the host in no_proxy.',
      );
    return { proxyEnv: { http_proxy: proxy, https_proxy: proxy } };
  }
}

function newAgent(http: { Agent: new (options: AgentOptions) => Agent }, proxy: object): Agent {
  try {
    return new http.Agent({ keepAlive: true, ...proxy });
  } catch (error) {
    // Node cannot read the address of the proxy, for example its password.
    throw networkFailure(error);
  }
}

/** The error that `fetch` throws for a failure of the network. */
function networkFailure(cause: unknown): TypeError {
  return new TypeError('fetch failed', { cause });
}

function lengthOf(body: RequestInit['body']): Record<string, string> {
  return typeof body === 'string' ? { 'content-length': String(Buffer.byteLength(body)) } : {};
}

/**
 * A response without the members that the client does not use: Node's own class would load all of
 * `fetch`.
 */
function responseOf(message: IncomingMessage): Response {
  const headers = new Map(
    Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
  );
  const response: UsedResponse = {
    status: message.statusCode ?? 0,
    headers: { get: (name) => headers.get(name.toLowerCase()) ?? null },
    body: null,
    text: () => textOf(message),
  };
  return response as Response;
}

async function textOf(message: IncomingMessage): Promise<string> {
  let text = '';
  for await (const part of message.setEncoding('utf8')) {
    text += part;
    if (text.length > MAX_RESPONSE_LENGTH)
      throw new CliError('failed', 'The response is too long.', 'Check --base-url.');
  }
  return text.replace(/^\ufeff/, '');
}

/** The proxy for an address, as curl finds it in the environment; undefined if there is none. */
function proxyFor(url: URL, env: Environment): string | undefined {
  const variable = proxyVariable(url, env);
  if (variable === undefined || isExcepted(url, env)) return undefined;
  const value = env[variable] ?? '';
  // Like curl, take a host without a scheme for an HTTP proxy.
  const proxy = value.includes('://') ? value : `http://${value}`;
  const protocol = URL.canParse(proxy) ? new URL(proxy).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return proxy;
  // The message does not quote the value, because it may contain a password.
  throw new UsageError(
    `${variable} is not the address of an HTTP proxy.`,
    'Use an address such as http://proxy:3128, or name the host in no_proxy.',
  );
}

/** The name of the variable that applies to an address. */
function proxyVariable({ protocol }: URL, env: Environment): string | undefined {
  const name = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  return [name, name.toUpperCase()].find((each) => env[each]);
}

/** Whether `no_proxy` lists the host of an address. */
function isExcepted(url: URL, env: Environment): boolean {
  const list = env.no_proxy ?? env.NO_PROXY ?? '';
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  return entries.some((entry) => entry === '*' || matches(entry, url));
}

/**
 * Whether an entry of `no_proxy` matches an address. Entries are `10.0.0.1`, `example.com`, which
 * includes its subdomains, or `example.com:8080`.
 */
function matches(entry: string, { protocol, hostname, port }: URL): boolean {
  const address = `${protocol}//${entry.replace(/^\*?\./, '')}`;
  if (!URL.canParse(address)) return false;
  const excepted = new URL(address);
  const hasPort = entry.includes(':') && !entry.endsWith(']');
  if (hasPort && excepted.port !== port) return false;
  if (hostname === excepted.hostname) return true;
  return hostname.endsWith(`.${excepted.hostname}`);
}
