import { connect } from '@petstore/client';
import { type Flag, switchFlag, valueFlag } from '../flags/flag.ts';
import { service } from '../old.ts';

/** A setting, which a flag or an environment variable sets. */
export interface Setting<T> {
  readonly flag: Flag;
  readonly variable: string;
  readonly default?: T;
  /** The default as the help shows it. */
  readonly defaultText?: string;
  /** Converts a text that the schema allows, or returns undefined if it is invalid. Without `parse`, the schema decides the type. */
  readonly parse?: (text: string) => T | undefined;
  /** Describes the texts that `parse` accepts. */
  readonly expected?: string;
}

/** The output formats. */
export const outputs = ['table', 'tsv', 'json', 'jsonl', 'csv'] as const;
export type Output = (typeof outputs)[number];

// petctl has the client's defaults, which do not depend on the URL.
const { timeout: defaultTimeout, limit: defaultRetries } = connect({ baseUrl: 'http://localhost' });

/** All settings, by the names of their flags. */
export const settings = {
  'base-url': setting<string | undefined>(
    valueFlag('base-url', 'url', 'The URL of the service, with the version segment.'),
    {
      parse: parseBaseUrl,
      expected: `an http or https URL without user, query and fragment, such as ${Object.values(service.deployments)[0]}`,
    },
  ),
  deployment: setting<string | undefined>(
    valueFlag('deployment', 'name', 'A deployment of the service, instead of --base-url.', {
      schema: { type: 'string', enum: Object.keys(service.deployments) },
    }),
  ),
  output: setting<Output | undefined>(
    valueFlag('output', 'format', 'The format of results.', { short: 'o', schema: { type: 'string', enum: outputs } }),
    { defaultText: 'table on a terminal, else tsv' },
  ),
  color: setting<boolean | undefined>(switchFlag('color', 'Whether to colour the output.', { negatable: true }), {
    defaultText: 'on a terminal',
  }),
  timeout: setting<number>(
    valueFlag('timeout', 'time', 'The time for one call, retries included: in seconds, or with ms, s or m.'),
    {
      default: defaultTimeout,
      defaultText: `${defaultTimeout / 1000}s`,
      parse: parseDuration,
      expected: 'a time from 1ms to 35791m such as 30, 1.5s, 500ms or 2m',
    },
  ),
  retries: setting<number>(
    valueFlag('retries', 'integer', 'The number of retries of a request that is safe to repeat.', {
      schema: { type: 'integer', minimum: 0, maximum: 100 },
    }),
    { default: defaultRetries, defaultText: String(defaultRetries) },
  ),
  keyring: setting<boolean>(
    switchFlag('keyring', "Store keys in the system's keyring if there is one, else in a file.", { negatable: true }),
    { default: true, defaultText: 'true' },
  ),
} as const;

export type SettingName = keyof typeof settings;

/** Whether a setting has this name. */
export function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(settings, name);
}

function setting<T>(flag: Flag, rest?: Omit<Setting<T>, 'flag' | 'variable'>): Setting<T> {
  return { flag, variable: `PETCTL_${flag.name.toUpperCase().replaceAll('-', '_')}`, ...rest };
}

function parseBaseUrl(text: string): string | undefined {
  return /^https?:\/\/[^\s/?#@]+(\/[^\s?#]*)?$/.test(text) && URL.canParse(text) ? text : undefined;
}

/** The longest timer of Node, 35791 minutes. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

function parseDuration(text: string): number | undefined {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(number) * { ms: 1, s: 1000, m: 60_000 }[unit as 'ms' | 's' | 'm']);
  return milliseconds > 0 && milliseconds <= MAX_TIMEOUT_MS ? milliseconds : undefined;
}
