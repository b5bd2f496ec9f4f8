import { connect } from '@petstore/client';
import { service } from '@petstore/types';
import type { Flag, Rules } from './flag.ts';

/** A setting: by flag, environment variable or profile, in this order. */
export interface Setting<T> {
  readonly flag: Flag;
  readonly env: string;
  readonly fallback: T;
  /** The default as the help shows it. */
  readonly defaultText: string;
  /** Parses a value, or returns what is expected. */
  readonly read: (text: string) => { readonly value: T } | { readonly expected: string };
}

/** The output formats. */
export const outputs = ['table', 'tsv', 'json', 'jsonl', 'yaml', 'csv'] as const;
export type Output = (typeof outputs)[number];

// petctl's defaults are the client's.
const clientDefaults = connect({ apiKey: '-', baseUrl: 'http://localhost' });

/** All settings, by their names in a profile. */
export const settings = {
  profile: setting<string | undefined>(
    {
      name: 'profile',
      value: 'name',
      description: 'The profile of the configuration.',
      completes: 'profile',
    },
    { fallback: undefined, defaultText: 'default', read: (value) => ({ value }) },
  ),
  'base-url': setting<string | undefined>(
    { name: 'base-url', value: 'url', description: 'The URL of the service, with the version segment.' },
    { fallback: undefined, defaultText: '', read: address },
  ),
  deployment: setting<string | undefined>(
    {
      name: 'deployment',
      value: 'name',
      description: 'A deployment of the interface, instead of a URL.',
      rules: { type: 'string', enum: Object.keys(service.deployments) },
    },
    { fallback: undefined, defaultText: '', read: oneOf(Object.keys(service.deployments)) },
  ),
  output: setting<Output | undefined>(
    {
      name: 'output',
      short: 'o',
      value: 'format',
      description: 'The format of results.',
      rules: { type: 'string', enum: outputs },
    },
    { fallback: undefined, defaultText: 'table on a terminal, else tsv', read: oneOf(outputs) },
  ),
  color: setting<boolean | undefined>(
    {
      name: 'color',
      description: 'Colours, or none.',
      rules: { type: 'boolean' },
      negatable: true,
    },
    { fallback: undefined, defaultText: 'on a terminal', read: yesOrNo },
  ),
  timeout: setting<number>(
    {
      name: 'timeout',
      value: 'time',
      description: 'The time for one call, retries included: in seconds, or with ms, s or m.',
    },
    { fallback: clientDefaults.timeout, defaultText: `${clientDefaults.timeout / 1000}s`, read: duration },
  ),
  retries: setting<number>(
    {
      name: 'retries',
      value: 'integer',
      description: 'The number of retries of a request that is safe to repeat.',
      rules: { type: 'integer', minimum: 0, maximum: 100 },
    },
    {
      fallback: clientDefaults.limit,
      defaultText: String(clientDefaults.limit),
      read: (text) => ({ value: Number(text) }),
    },
  ),
  keyring: setting<boolean>(
    {
      name: 'keyring',
      description: "Store keys in the system's keyring if there is one, else in a file.",
      rules: { type: 'boolean' },
      negatable: true,
    },
    { fallback: true, defaultText: 'true', read: yesOrNo },
  ),
} as const;

export type SettingName = keyof typeof settings;

function setting<T>(
  flag: Omit<Flag, 'rules'> & { readonly rules?: Rules },
  rest: Pick<Setting<T>, 'fallback' | 'defaultText' | 'read'>,
): Setting<T> {
  const env = `PETCTL_${flag.name.toUpperCase().replaceAll('-', '_')}`;
  return { flag: { rules: { type: 'string' }, ...flag }, env, ...rest };
}

function oneOf<T extends string>(values: readonly T[]): Setting<T | undefined>['read'] {
  return (text) => {
    const value = values.find((choice) => choice === text);
    return value === undefined ? { expected: `one of ${values.join(', ')}` } : { value };
  };
}

function yesOrNo(text: string): { value: boolean } | { expected: string } {
  return /^(true|false)$/.test(text) ? { value: text === 'true' } : { expected: 'true or false' };
}

function address(text: string): { value: string } | { expected: string } {
  const fits = /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(text) && URL.canParse(text);
  return fits
    ? { value: text.replace(/\/+$/, '') }
    : { expected: `a URL such as ${Object.values(service.deployments)[0]}` };
}

/** The longest timer of Node. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

function duration(text: string): { value: number } | { expected: string } {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  const value = Math.round(Number(number) * { ms: 1, s: 1000, m: 60_000 }[unit as 'ms' | 's' | 'm']);
  return value > 0 && value <= MAX_TIMEOUT_MS
    ? { value }
    : { expected: 'a time above zero such as 30, 1.5s, 500ms or 2m' };
}
