import { deployments } from '@petstore/types';
import { resolvedUrl } from './addresses.ts';
import type { CallOptions, Hooks, Options, Retry } from './options.ts';

/** The checked options of a client, with all defaults. */
export interface Settings {
  readonly baseUrl: string;
  readonly apiKey: NonNullable<Options['apiKey']>;
  readonly fetch: Options['fetch'];
  readonly timeout: number;
  readonly retry: RetryLimits;
  readonly headers: Readonly<Record<string, string>>;
  readonly on: Hooks;
}

interface RetryLimits {
  readonly limit: number;
  readonly base: number;
  readonly cap: number;
}

/** The settings of a new client. Only this function reads the environment. */
export function settingsFrom(options: Options): Settings {
  const [firstDeployment = ''] = Object.values<string>(deployments);
  const defaults: Settings = {
    baseUrl:
      addressIn(options) ??
      checkedAddress('PETSTORE_BASE_URL', environment('PETSTORE_BASE_URL') ?? firstDeployment),
    apiKey: options.apiKey ?? environment('PETSTORE_API_KEY') ?? '',
    fetch: undefined,
    timeout: 30_000,
    retry: { limit: 2, base: 500, cap: 20_000 },
    headers: {},
    on: {},
  };
  return changedSettings(defaults, options);
}

/** The settings with those options that are given. Throws for a wrong one, with its name. */
export function changedSettings(settings: Settings, options: Options): Settings {
  const { apiKey = settings.apiKey, fetch = settings.fetch, timeout = settings.timeout } = options;
  checkCount('timeout', timeout);
  const changed = {
    baseUrl: addressIn(options) ?? settings.baseUrl,
    apiKey,
    fetch,
    timeout,
    retry: changedLimits(settings.retry, options.retry),
    headers: mergedHeaders(settings.headers, options.headers),
    on: { ...settings.on, ...options.on },
  };
  if (typeof apiKey !== 'function') checkKey(apiKey);
  return changed;
}

/** The settings of one call. Most calls have no options of their own. */
export function callSettings(settings: Settings, options: CallOptions): Settings {
  return Object.keys(options).length === 0 ? settings : changedSettings(settings, options);
}

/** Throws for a value that is no number from 0 on, NaN among them. */
export function checkCount(option: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0) return;
  throw new RangeError(`option ${option} must be a number >= 0`);
}

/** Throws for a key that cannot be sent, with a message that does not contain it. */
export function checkKey(key: string): void {
  if (!key) throw new TypeError('no API key: pass apiKey, or set PETSTORE_API_KEY');
  if (!headerValue.test(key))
    throw new TypeError('the API key has a character that no header can have');
}

/** Such as `x-team`. */
const headerName = /^[\w!#$%&'*+.^`|~-]+$/;

/** Characters of ISO 8859-1 without control characters, such as `a b`. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

type HeaderRecord = Readonly<Record<string, string | undefined>>;

/**
 * Merges headers, whose names become lower case; the later of two with the same name takes
 * precedence. Throws for one that cannot be sent.
 */
export function mergedHeaders(...sources: (HeaderRecord | undefined)[]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const source of sources) {
    if (source !== undefined) addHeaders(headers, source);
  }
  return headers;
}

function addHeaders(headers: Record<string, string>, source: HeaderRecord): void {
  if (Symbol.iterator in source)
    throw new TypeError('headers must be a plain object: pass Object.fromEntries(headers)');
  for (const [name, value] of Object.entries(source)) {
    if (value === undefined || value === null) continue;
    // fetch would throw a message with the value, which may be a secret.
    if (!headerName.test(name) || !headerValue.test(value))
      throw new TypeError(`the header ${name} has a character that cannot be sent`);
    headers[name.toLowerCase()] = String(value);
  }
}

function changedLimits(limits: RetryLimits, retry: Retry | undefined): RetryLimits {
  if (retry === undefined) return limits;
  const given = typeof retry === 'object' && retry !== null ? retry : { limit: retry };
  const { limit = limits.limit, base = limits.base, cap = limits.cap } = given;
  checkCount('retry', limit);
  checkCount('retry.base', base);
  checkCount('retry.cap', cap);
  return { limit, base, cap };
}

function addressIn({ baseUrl, deployment }: Options): string | undefined {
  if (deployment === undefined)
    return baseUrl === undefined ? undefined : checkedAddress('baseUrl', baseUrl);
  if (baseUrl !== undefined || !Object.hasOwn(deployments, deployment)) {
    const names = Object.keys(deployments).join(' or ');
    throw new TypeError(`deployment must be ${names}, without baseUrl`);
  }
  return checkedAddress('deployment', deployments[deployment]);
}

/** The address without trailing slashes. In a browser it may be relative to the page. */
function checkedAddress(option: string, address: string): string {
  const { location } = globalThis as { location?: { href: string } };
  const url = resolvedUrl(address, location?.href);
  const isPlain = url && !url.username && !url.password && !/[?#]/.test(address);
  // The message does not contain the address, because that may contain a password.
  if (!isPlain || !/^https?:$/.test(url.protocol))
    throw new TypeError(`${option} must be like https://host/v1, without user, query or fragment`);
  let path = url.pathname;
  while (path.endsWith('/')) path = path.slice(0, -1);
  return url.origin + path;
}

/** A variable of the environment; undefined where there is none, as in browsers. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string> } };
  return process?.env?.[name] || undefined;
}
