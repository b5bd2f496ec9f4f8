import { connect } from '@petstore/client';
import { service } from '@petstore/types';
import type { Flag, Rules } from './flag.ts';

/** Something that can be set by a flag, in the environment and in a profile, in this order. */
export interface Setting<T> {
  readonly flag: Flag;
  readonly env: string;
  readonly fallback: T;
  /** What is shown where nothing is given. */
  readonly shown: string;
  /** Reads it; gives what it has to be where that cannot be done. */
  readonly read: (text: string) => { readonly value: T } | { readonly expected: string };
}

/** How results can be written. */
export const outputs = ['table', 'tsv', 'json', 'jsonl', 'yaml', 'csv'] as const;
export type Output = (typeof outputs)[number];

// What the client does by itself is what petctl does by itself.
const usual = connect({ apiKey: '-', baseUrl: 'http://localhost' });

/** All settings, by the names that they have in a profile. */
export const settings = {
  profile: setting<string | undefined>(
    {
      name: 'profile',
      value: 'name',
      description: 'The profile of the configuration to use.',
      completes: 'profile',
    },
    { fallback: undefined, shown: 'default', read: (value) => ({ value }) },
  ),
  'base-url': setting<string | undefined>(
    { name: 'base-url', value: 'url', description: 'Address of the service, ending in the version segment.' },
    { fallback: undefined, shown: '', read: address },
  ),
  deployment: setting<string | undefined>(
    {
      name: 'deployment',
      value: 'name',
      description: 'A deployment that the interface names, instead of an address.',
      rules: { type: 'string', enum: Object.keys(service.deployments) },
    },
    { fallback: undefined, shown: '', read: oneOf(Object.keys(service.deployments)) },
  ),
  output: setting<Output | undefined>(
    {
      name: 'output',
      short: 'o',
      value: 'format',
      description: 'How to write results: a table on a terminal, tab-separated in a pipe.',
      rules: { type: 'string', enum: outputs },
    },
    { fallback: undefined, shown: 'table on a terminal, else tsv', read: oneOf(outputs) },
  ),
  color: setting<boolean | undefined>(
    {
      name: 'color',
      description: 'Colours, or none; by itself on a terminal only.',
      rules: { type: 'boolean' },
      negatable: true,
    },
    { fallback: undefined, shown: 'on a terminal', read: yesOrNo },
  ),
  timeout: setting<number>(
    {
      name: 'timeout',
      value: 'time',
      description: 'How long one call may take, retries included: seconds, or with ms, s or m.',
    },
    { fallback: usual.timeout, shown: `${usual.timeout / 1000}s`, read: duration },
  ),
  retries: setting<number>(
    {
      name: 'retries',
      value: 'integer',
      description: 'How often to retry a request that is safe to repeat.',
      rules: { type: 'integer', minimum: 0, maximum: 100 },
    },
    { fallback: usual.limit, shown: String(usual.limit), read: (text) => ({ value: Number(text) }) },
  ),
  keyring: setting<boolean>(
    {
      name: 'keyring',
      description: 'Keep keys in the keyring of the system where it has one, else in a file.',
      rules: { type: 'boolean' },
      negatable: true,
    },
    { fallback: true, shown: 'true', read: yesOrNo },
  ),
} as const;

export type SettingName = keyof typeof settings;

function setting<T>(
  flag: Omit<Flag, 'rules'> & { readonly rules?: Rules },
  rest: Pick<Setting<T>, 'fallback' | 'shown' | 'read'>,
): Setting<T> {
  const env = `PETCTL_${flag.name.toUpperCase().replaceAll('-', '_')}`;
  return { flag: { rules: { type: 'string' }, ...flag }, env, ...rest };
}

function oneOf<T extends string>(choices: readonly T[]): Setting<T | undefined>['read'] {
  return (text) => {
    const value = choices.find((choice) => choice === text);
    return value === undefined ? { expected: `one of ${choices.join(', ')}` } : { value };
  };
}

function yesOrNo(text: string): { value: boolean } | { expected: string } {
  return /^(true|false)$/.test(text) ? { value: text === 'true' } : { expected: 'true or false' };
}

function address(text: string): { value: string } | { expected: string } {
  const fits = /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(text) && URL.canParse(text);
  return fits
    ? { value: text.replace(/\/+$/, '') }
    : { expected: `an address such as ${Object.values(service.deployments)[0]}` };
}

function duration(text: string): { value: number } | { expected: string } {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  const value = Math.round(Number(number) * { ms: 1, s: 1000, m: 60_000 }[unit as 'ms' | 's' | 'm']);
  const most = 2 ** 31 - 1;
  return value > 0 && value <= most ? { value } : { expected: 'a time above zero such as 30, 1.5s, 500ms or 2m' };
}
