import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { proxyErrors, UsageError } from './errors.ts';
import type { Environment } from './process-io.ts';

/** Opens a request to one host. */
export type OpenRequest = (options: http.RequestOptions) => http.ClientRequest;

/** The proxy for a URL: `http_proxy`, `https_proxy` or `all_proxy`, unless `no_proxy` lists the host. */
export function proxyFor(url: URL, env: Environment): URL | undefined {
  const scheme = url.protocol.slice(0, -1);
  const setting = variable(env, `${scheme}_proxy`) ?? variable(env, 'all_proxy');
  if (!setting || bypassesProxy(url, variable(env, 'no_proxy') ?? '')) return undefined;
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(setting) ? setting : `http://${setting}`;
  const proxy = parseProxy(address);
  if (proxy) return proxy;
  throw new UsageError(
    `The proxy for ${scheme} in the environment is not an http or https URL.`,
    `Fix ${scheme}_proxy or all_proxy.`,
  );
}

function parseProxy(address: string): URL | undefined {
  try {
    const proxy = new URL(address);
    // Throws if the user or the password cannot be decoded.
    urlToHttpOptions(proxy);
    return /^https?:$/.test(proxy.protocol) ? proxy : undefined;
  } catch {
    return undefined;
  }
}

function variable(env: Environment, name: string): string | undefined {
  return env[name] || env[name.toUpperCase()] || undefined;
}

/** Whether `no_proxy` lists a host: by name, parent domain, with a port, or by `*`. */
function bypassesProxy(url: URL, list: string): boolean {
  const host = urlToHttpOptions(url).hostname ?? '';
  const actualPort = url.port || (url.protocol === 'https:' ? '443' : '80');
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      // The whole entry is compared first, because the end of an IPv6 address looks like a port.
      if (entry === '*' || entry === host) return true;
      const [, name = '', port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? [];
      if (port && port !== actualPort) return false;
      const domain = name.replace(/^\*?\./, '');
      return host === domain || host.endsWith(`.${domain}`);
    });
}

/** Opens requests through a proxy: with the absolute URL for http, in a tunnel for https. */
export function throughProxy(url: URL, proxy: URL): OpenRequest {
  const { request: send, Agent } = proxy.protocol === 'https:' ? https : http;
  const { protocol, hostname, port, auth } = urlToHttpOptions(proxy);
  const toProxy = { protocol, hostname, port };
  const authorization = auth ? { 'proxy-authorization': `Basic ${Buffer.from(auth).toString('base64')}` } : {};
  const markProxyError = (error: Error) =>
    proxyErrors.set(error, { origin: proxy.origin, scheme: url.protocol.slice(0, -1) });
  if (url.protocol === 'http:') {
    const agent = new Agent({ keepAlive: true });
    return ({ hostname, path, headers, ...options }) =>
      send({
        ...options,
        ...toProxy,
        agent,
        path: url.origin + path,
        headers: { ...(headers as http.OutgoingHttpHeaders), ...authorization, host: url.host },
      }).on('error', markProxyError);
  }
  const agent = new https.Agent({ keepAlive: true });
  // Returns nothing, so Node waits for the callback. The options contain the name that the certificate must have.
  agent.createConnection = (options, done) => {
    tunnel(send, { ...toProxy, headers: authorization }, url)
      .catch((error: Error) => {
        markProxyError(error);
        throw error;
      })
      .then((socket) => connectTls({ ...(options as ConnectionOptions), socket }))
      .then(
        (socket) => done?.(null, socket),
        // With an error there is no socket, against the type of the callback.
        (error: Error) => Reflect.apply(done ?? (() => {}), undefined, [error]),
      );
    return undefined;
  };
  return (options) => https.request({ ...options, agent });
}

/** A connection to the host through the proxy. */
function tunnel(send: typeof http.request, toProxy: http.RequestOptions, url: URL): Promise<Duplex> {
  const host = `${url.hostname}:${url.port || 443}`;
  return new Promise((resolve, reject) => {
    const request = send({ ...toProxy, method: 'CONNECT', path: host });
    request.on('error', reject);
    request.on('connect', ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(new Error(`the proxy responded ${statusCode}`));
    });
    request.end();
  });
}
