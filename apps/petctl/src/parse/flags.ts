import type { Flag } from '../settings/flag.ts';
import { settings } from '../settings/settings.ts';
import type { CommandInput, CommandNode } from './node.ts';

/** Flags that every command takes, before and after its name: the settings, and what concerns this one run. */
export const globalFlags: readonly Flag[] = [
  ...Object.values(settings).map(({ flag }) => flag),
  {
    name: 'fields',
    value: 'names',
    description: 'The properties to show, in this order, separated by commas.',
    rules: { type: 'string' },
    completes: 'properties',
  },
  {
    name: 'jq',
    value: 'filter',
    description: 'Apply this jq filter to the response: to each element with -o jsonl, to the whole otherwise.',
    rules: { type: 'string' },
  },
  { name: 'quiet', short: 'q', description: 'No notices and no progress.', rules: { type: 'boolean' } },
  {
    name: 'verbose',
    short: 'v',
    description: 'Log each request on stderr; twice (-vv) with headers and bodies. The key stays hidden.',
    rules: { type: 'boolean' },
    repeatable: true,
  },
  { name: 'help', short: 'h', description: 'Show this.', rules: { type: 'boolean' } },
];

/** All flags of a command, its own first. */
export function flagsOf(node: CommandNode): readonly Flag[] {
  return [...(node.flags ?? []), ...sharedFlagsOf(node)];
}

/** The flags of every command, as this one takes them: without the letters that its own flags have. */
export function sharedFlagsOf({ flags = [] }: CommandNode): readonly Flag[] {
  const letters = flags.flatMap(({ short }) => short ?? []);
  if (letters.length === 0) return globalFlags;
  return globalFlags.map((flag) => {
    if (flag.short === undefined || !letters.includes(flag.short)) return flag;
    const { short, ...rest } = flag;
    return rest;
  });
}

/** Flags of every command that sends a request. */
export const callFlags: readonly Flag[] = [
  {
    name: 'dry-run',
    description: 'Show the request and send nothing.',
    rules: { type: 'boolean' },
  },
  {
    name: 'curl',
    description: 'Show the request as a curl command and send nothing.',
    rules: { type: 'boolean' },
  },
];

/** Whether a request is only to be shown. */
export function dryRunOnly({ flags }: CommandInput): boolean {
  return flags.has('dry-run') || flags.has('curl');
}
