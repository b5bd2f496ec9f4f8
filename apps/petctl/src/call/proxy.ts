import { UsageError } from '../errors/errors.ts';

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
    `The proxy for ${scheme} in the environment is no http or https address.`,
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
