import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as secure } from 'node:tls';
import { UsageError } from './errors.ts';

/** Opens a request to one place. */
export type Open = (options: http.RequestOptions) => http.ClientRequest;

export type Environment = Readonly<Record<string, string | undefined>>;

/** The proxy that the environment names for an address: `http_proxy`, `https_proxy` or `all_proxy`, except what `no_proxy` lists. */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const scheme = url.protocol.slice(0, -1);
  const named = variable(env, `${scheme}_proxy`) ?? variable(env, 'all_proxy');
  if (!named || excepted(url, variable(env, 'no_proxy') ?? '')) return undefined;
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(named) ? named : `http://${named}`;
  const proxy = URL.canParse(address) ? new URL(address) : undefined;
  if (proxy && /^https?:$/.test(proxy.protocol)) return proxy;
  // A request that passed a proxy by would be a surprise, to whoever set it up.
  throw new UsageError(
    `The proxy for ${scheme} in the environment is not an http or https address.`,
    `Look at ${scheme}_proxy and all_proxy.`,
  );
}

function variable(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}

/** Whether `no_proxy` lists a host: by its name, as a domain above it, with a port, or all by `*`. */
function excepted({ hostname, port, protocol }: URL, list: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '');
  const actualPort = port || (protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      if (entry === '*') return true;
      const [, name = '', wanted] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
      if (wanted && wanted !== actualPort) return entry.includes('::') && entry === host;
      const domain = name.replace(/^\*?\./, '');
      return host === domain || host.endsWith(`.${domain}`);
    });
}

/** How to open requests through a proxy: with the whole address for http, inside a tunnel for https. */
export function throughProxy(url: URL, proxy: URL): Open {
  const { request: send, Agent } = proxy.protocol === 'https:' ? https : http;
  const toProxy = {
    protocol: proxy.protocol,
    hostname: bare(proxy.hostname),
    port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
  };
  const authorization = authorizationOf(proxy);
  if (url.protocol === 'http:') {
    const agent = new Agent({ keepAlive: true });
    return ({ hostname, path, headers, ...options }) =>
      send({
        ...options,
        ...toProxy,
        agent,
        path: url.origin + path,
        headers: { ...Object.fromEntries(Object.entries(headers ?? {})), ...authorization, host: url.host },
      });
  }
  const agent = new Tunnels(() => tunnel(send, { ...toProxy, headers: authorization }, url), bare(url.hostname));
  return (options) => https.request({ ...options, agent });
}

/** Keeps connections that go through a proxy. */
class Tunnels extends https.Agent {
  readonly #open: () => Promise<Duplex>;
  readonly #servername: string;

  constructor(open: () => Promise<Duplex>, servername: string) {
    super({ keepAlive: true });
    this.#open = open;
    this.#servername = servername;
  }

  /** Node waits for the callback where nothing is returned. */
  override createConnection(
    _: http.RequestOptions,
    done?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | null | undefined {
    this.#open().then(
      (socket) => done?.(null, secure({ socket, servername: this.#servername })),
      // What is reported as an error takes no socket, whatever its type says.
      (error: Error) => Reflect.apply(done ?? (() => {}), undefined, [error]),
    );
    return undefined;
  }
}

/** A connection to the host, made by the proxy. */
function tunnel(send: typeof http.request, toProxy: http.RequestOptions, url: URL): Promise<Duplex> {
  const host = `${url.hostname}:${url.port || 443}`;
  return new Promise((resolve, reject) => {
    const request = send({ ...toProxy, method: 'CONNECT', path: host });
    request.on('error', reject);
    request.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy answered ${statusCode}`));
    });
    request.end();
  });
}

const bare = (hostname: string) => hostname.replace(/^\[|\]$/g, '');

function authorizationOf({ username, password }: URL): Record<string, string> {
  if (!username) return {};
  const both = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(both).toString('base64')}` };
}
