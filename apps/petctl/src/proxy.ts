import type { Environment } from './context.ts';
import { UsageError } from './errors.ts';

/** The proxy for an address, as curl finds it in the environment; undefined if there is none. */
export function proxyFor(url: URL, env: Environment): string | undefined {
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
    'Use one such as http://proxy:3128, or name the host in no_proxy.',
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

/** Whether an entry of `no_proxy` means an address: `10.0.0.1`, `example.com` with its subdomains, `example.com:8080`. */
function matches(entry: string, { protocol, hostname, port }: URL): boolean {
  const address = `${protocol}//${entry.replace(/^\*?\./, '')}`;
  if (!URL.canParse(address)) return false;
  const excepted = new URL(address);
  const hasPort = entry.includes(':') && !entry.endsWith(']');
  if (hasPort && excepted.port !== port) return false;
  if (hostname === excepted.hostname) return true;
  return hostname.endsWith(`.${excepted.hostname}`);
}
