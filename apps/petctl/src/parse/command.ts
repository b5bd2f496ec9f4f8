import { type Argument, type Flag, switchFlag, valueFlag } from '../flags/flag.ts';
import type { HttpTransport } from '../io/http.ts';
import type { Io } from '../io/process-io.ts';
import type { Operation } from '../old.ts';
import type { ResolvedSettings } from '../settings/resolve.ts';
import { settings } from '../settings/settings.ts';

/** A command or group as data, for the parser, help and completion. */
export interface CommandNode {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  /** Examples of arguments and flags, without `petctl` and the names of the command: `--flag value`. */
  readonly examples?: readonly Example[];
  readonly args?: readonly Argument[];
  readonly flags?: readonly Flag[];
  readonly commands?: readonly CommandNode[];
  readonly operation?: Operation;
  /** A sentence about deprecation or stability. */
  readonly notice?: string;
  readonly run?: (invocation: Invocation) => Promise<void>;
}

/** Arguments and flags (`examplesOf` makes them a command line), and what the example does. */
export type Example = readonly [line: string, comment: string];

/** A command and the words that select it, for example `['auth', 'login']`. */
export interface CommandAtPath {
  readonly path: readonly string[];
  readonly node: CommandNode;
}

/** Yields a node and all commands below it. */
export function* walk(node: CommandNode, path: readonly string[] = []): Generator<CommandAtPath> {
  yield { path, node };
  for (const child of node.commands ?? []) yield* walk(child, [...path, child.name]);
}

/** The input of an operation: parameters and properties of the body by name. */
export type Input = Record<string, unknown>;

/** The parsed arguments and flags of a command. */
export interface CommandInput {
  readonly args: readonly unknown[];
  /** The values by the name of the flag. */
  readonly flags: ReadonlyMap<string, unknown>;
}

/** One run of a command: its parsed input, the resolved settings, the streams and the transport. */
export interface Invocation extends CommandAtPath, CommandInput {
  readonly root: CommandNode;
  /** All operations of the service. */
  readonly operations: readonly Operation[];
  readonly userSettings: ResolvedSettings;
  readonly io: Io;
  readonly transport: HttpTransport;
}

/** Returns ` Use 'petctl …' instead.` for the operation that replaces a deprecated one; an empty text if there is none. */
export function successorHint(id: string | undefined, operations: readonly Operation[]): string {
  const successor = operations.find((operation) => operation.id === id);
  return successor ? ` Use 'petctl ${successor.command.join(' ')}' instead.` : '';
}

/** The flags that every command accepts: a flag for each setting, and flags without a setting. */
export const globalFlags: readonly Flag[] = [
  ...Object.values(settings).map(({ flag }) => flag),
  valueFlag('fields', 'names', 'The properties to show, comma-separated, in this order.', { completes: 'properties' }),
  valueFlag('jq', 'filter', 'Filter the result with jq: each element with -o jsonl, otherwise the whole result.'),
  switchFlag('quiet', 'Hide notices and progress.', { short: 'q' }),
  switchFlag('verbose', 'Log requests on stderr, with -vv also headers and bodies. Keys are hidden.', {
    short: 'v',
    repeatable: true,
  }),
  switchFlag('help', 'Show this help.', { short: 'h' }),
];

/** All flags of a command, its specific ones first. */
export function flagsOf(node: CommandNode): readonly Flag[] {
  return [...(node.flags ?? []), ...globalFlagsFor(node)];
}

/** The global flags as a command accepts them: without the short forms that the command's specific flags use. */
export function globalFlagsFor({ flags = [] }: CommandNode): readonly Flag[] {
  const letters = flags.map(({ short }) => short);
  return globalFlags.map(({ short, ...flag }) => (short && !letters.includes(short) ? { ...flag, short } : flag));
}

/** Flags of operations' commands. */
export const callFlags: readonly Flag[] = [
  switchFlag('dry-run', 'Show the request without sending it.'),
  switchFlag('curl', 'Show the request as a curl command without sending it.'),
];

/** Whether to show the request without sending it. */
export function isDryRun({ flags }: CommandInput): boolean {
  return flags.has('dry-run') || flags.has('curl');
}
