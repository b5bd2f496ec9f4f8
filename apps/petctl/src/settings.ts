import { deployments, service } from '@petstore/types';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseValue } from './input.ts';

export const formats = ['table', 'tsv', 'json', 'jsonl', 'csv'] as const;

/** The values of the options that every command has. */
export interface Settings {
  readonly baseUrl?: string;
  readonly deployment?: keyof typeof deployments;
  readonly output?: (typeof formats)[number];
  readonly fields?: string;
  readonly jq?: string;
  readonly timeout?: number;
  readonly retries?: number;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** The settings of a command: an option stands after the command, before it, or in the environment. */
export function settingsOf(command: Command): Settings {
  for (let parent = command.parent; parent; parent = parent.parent)
    for (const [name, value] of Object.entries(parent.opts()))
      if (command.getOptionValueSource(name) !== 'cli')
        command.setOptionValueWithSource(name, value, 'cli');
  return command.opts();
}

/** Those that every command has. Only a command that runs reads the environment, so that it counts less than any flag. */
export function globalOptions(hasEnvironment = true): Option[] {
  const option = (flags: string, description: string) =>
    new Option(flags, description).helpGroup('Options of every command:');
  const setting = (
    flags: string,
    description: string,
    values: readonly string[] | ((text: string) => unknown),
  ) => {
    const one = option(flags, description);
    if (hasEnvironment) one.env(`PETCTL_${one.name().toUpperCase().replaceAll('-', '_')}`);
    return typeof values === 'function' ? one.argParser(values) : one.choices(values);
  };
  const parseRetries = (text: string) =>
    parseValue(text, { type: 'integer', minimum: 0, maximum: 100 });
  return [
    setting(
      '--base-url <url>',
      `The address of the service, ending in ${service.basePath}.`,
      String,
    ),
    setting(
      '--deployment <name>',
      'A deployment of the service, instead of --base-url.',
      Object.keys(deployments),
    ),
    setting(
      '-o, --output <format>',
      'The format of results. On a terminal a table, else tab-separated.',
      formats,
    ),
    option('--fields <names>', 'The members to show, comma-separated, in this order.'),
    option(
      '--jq <filter>',
      'Filter the result with jq; with -o jsonl each element, as it arrives.',
    ),
    setting(
      '--timeout <time>',
      'The time for a call with its retries, such as 30, 1.5s, 500ms or 2m.',
      parseTime,
    ),
    setting('--retries <number>', 'How often a failed request is sent again.', parseRetries),
    option('-q, --quiet', 'Hide notices and progress.'),
    option('-v, --verbose', 'Show the requests on stderr.'),
  ];
}

function parseTime(text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m)?$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(number) * ({ ms: 1, s: 1000, m: 60_000 }[unit] ?? 0));
  // The longest timer of Node has 31 bits.
  if (milliseconds > 0 && milliseconds < 2 ** 31) return milliseconds;
  throw new InvalidArgumentError('Use a time from 1ms to 35791m, such as 30, 1.5s or 2m.');
}
