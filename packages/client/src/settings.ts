import { deployments } from '@petstore/types';
import { resolvedAddress } from './links.ts';
import type { Hooks, Options, Retry } from './options.ts';

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
  // Browsers have no environment.
  const { process } = globalThis as { process?: { env?: Record<string, string> } };
  const { PETSTORE_API_KEY = '', PETSTORE_BASE_URL } = process?.env ?? {};
  const [firstDeployment = ''] = Object.values<string>(deployments);
  const defaults: Settings = {
    baseUrl:
      addressIn(options) ??
      checkedAddress('PETSTORE_BASE_URL', PETSTORE_BASE_URL || firstDeployment),
    apiKey: PETSTORE_API_KEY,
    fetch: undefined,
    timeout: 30_000,
    retry: { limit: 2, base: 500, cap: 20_000 },
    headers: {},
    on: {},
  };
  return changedSettings(defaults, options);
}

/** The settings, changed by the options that are given. Throws for a wrong option, with its name. */
export function changedSettings(settings: Settings, options: Options): Settings {
  for (const name of Object.keys(options)) {
    if (!(name in settings) && name !== 'deployment') throw new TypeError(`unknown option ${name}`);
  }
  const { apiKey = settings.apiKey, fetch = settings.fetch, timeout = settings.timeout } = options;
  checkCount('timeout', timeout);
  // A key that a function returns is checked before each attempt.
  if (typeof apiKey !== 'function') checkedKey(apiKey);
  return {
    baseUrl: addressIn(options) ?? settings.baseUrl,
    apiKey,
    fetch,
    timeout,
    retry: changedLimits(settings.retry, options.retry),
    headers: mergedHeaders(settings.headers, options.headers),
    on: { ...settings.on, ...options.on },
  };
}

/** Throws unless the value is a number of 0 or more. */
export function checkCount(option: string, value: unknown): void {
  if (typeof value === 'number' && value >= 0) return;
  throw new RangeError(`option ${option} must be a number >= 0`);
}

/** Returns the key. Throws if it is missing or cannot be sent. The message does not show the key. */
export function checkedKey(key: string): string {
  if (!key) throw new TypeError('no API key: pass apiKey, or set PETSTORE_API_KEY');
  checkHeader('authorization', key);
  return key;
}

/**
 * A name, and a value of ISO 8859-1 without control characters: `x-team: a b`. Not by `new Headers`:
 * Node loads its fetch for that, which takes as long as Node itself.
 */
const headerLine = /^[\w.-]+: [\t -~\x80-\xff]*$/;

function checkHeader(name: string, value: string): void {
  if (!headerLine.test(`${name}: ${value}`))
    throw new TypeError(`header ${name} has an invalid character`);
}

/**
 * Merges headers. Their names become lower case. Of two headers with the same name, the later takes
 * precedence. Throws for a header that cannot be sent. The message does not show its value, which
 * may be secret.
 */
export function mergedHeaders(...sources: Options['headers'][]): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const source of sources) {
    for (const [name, value] of headerEntries(source)) {
      if (value == null) continue;
      checkHeader(name, value);
      headers[name.toLowerCase()] = value;
    }
  }
  return headers;
}

function headerEntries(source: Options['headers'] = {}): Iterable<readonly [string, string]> {
  return Symbol.iterator in source ? source : Object.entries(source);
}

function changedLimits(limits: RetryLimits, retry: Retry = limits): RetryLimits {
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
  if (baseUrl === undefined && Object.hasOwn(deployments, deployment))
    return deployments[deployment];
  const names = Object.keys(deployments).join(' or ');
  throw new TypeError(`deployment must be ${names}, without baseUrl`);
}

/** Such as `https://host/v1`, without user, query and fragment. */
const plainAddress = /^https?:\/\/[^/@]+\/[^?#]*$/;

/** The address without trailing slashes. In a browser it may be relative to the page. */
function checkedAddress(option: string, address: string): string {
  const { location } = globalThis as { location?: { href: string } };
  const href = resolvedAddress(address, location?.href);
  // The message does not contain the address, because the address may contain a password.
  if (!plainAddress.test(href)) throw new TypeError(`${option} must be like https://host/v1`);
  return href.replace(/\/+$/, '');
}
