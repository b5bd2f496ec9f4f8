import { operations as all, type Operation } from '@petstore/types';
import { type HttpTransport, httpTransport } from './call/transport.ts';
import { UnreadableError, UsageError } from './errors/errors.ts';
import type { Io } from './io.ts';
import type { Level } from './parse/level.ts';
import { type Parsed, parse } from './parse/parse.ts';
import { type Resolved, resolve } from './settings/resolve.ts';
import type { CommandNode } from './tree/node.ts';
import { tree } from './tree/tree.ts';
import { version } from './version.ts';

/** What a run may be given in place of the service's own. */
export interface RunOptions {
  readonly operations?: readonly Operation[];
  readonly transport?: HttpTransport;
}

/** Runs a command line to its end. Throws whatever goes wrong. */
export async function run(argv: readonly string[], io: Io, options: RunOptions = {}): Promise<void> {
  const { operations = Object.values(all), transport = httpTransport(io.env) } = options;
  const { root, parsed } = await read(argv, operations);
  const { node, path, flags } = parsed;
  if (node === root && flags.has('version')) return io.stdout.write(`${version}\n`);
  if (!node.run || flags.has('help')) {
    const { help } = await import('./docs/help.ts');
    return io.stdout.write(help({ path, node }, io));
  }
  let settings: Resolved | undefined;
  await node.run({
    ...parsed,
    root,
    operations,
    io,
    transport,
    // A broken configuration is no reason not to help, to complete or to mend it.
    get settings() {
      settings ??= resolve(flags, io.env);
      return settings;
    },
  });
}

/** Reads the command line; by the operations alone first, because petctl's own commands are many and seldom meant. */
async function read(
  argv: readonly string[],
  operations: readonly Operation[],
): Promise<{ root: CommandNode; parsed: Parsed }> {
  // commander is half of all the code: it is loaded where there is a flag for it to read, as are the flags there are.
  const flagged = argv.some((word) => word.startsWith('-'));
  const readLevel = flagged ? (await import('./parse/level.ts')).readLevel : wordsAlone;
  const flagsOf = flagged ? (await import('./tree/field-flags.ts')).operationFlags : undefined;
  const root = tree(operations, flagsOf);
  try {
    const parsed = parse(root, argv, readLevel);
    if (parsed.node.operation && !parsed.flags.has('help')) return { root, parsed };
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof UnreadableError)) throw error;
  }
  const { fullTree } = await import('./tree/full-tree.ts');
  const full = fullTree(operations);
  return { root: full, parsed: parse(full, argv, readLevel) };
}

function wordsAlone(_: CommandNode, words: readonly string[]): Level {
  return { flags: new Map(), operands: words };
}
