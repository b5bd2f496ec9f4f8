// For the drift check: petctl's command tree, parser, completion and pages, and petctl as a function. Not published.
import { Readable } from 'node:stream';
import { tellError } from './errors/tell-error.ts';
import type { Io, Sink } from './io.ts';
import { readLevel } from './parse/level.ts';
import { type Parsed, parse as parseBy } from './parse/parse.ts';
import { type RunOptions, run } from './run.ts';
import type { CommandNode } from './tree/node.ts';

export { candidates } from './completion/candidates.ts';
export { manPages } from './docs/man.ts';
export { markdown } from './docs/markdown.ts';
export { schemes } from './keys/schemes.ts';
export { type RunOptions, run } from './run.ts';
export { fullTree } from './tree/full-tree.ts';
export { kebab } from './tree/names.ts';
export { type Argument, type CommandNode, type Flag, type Located, walk } from './tree/node.ts';

/** Reads a command line as petctl does. */
export function parse(root: CommandNode, argv: readonly string[]): Parsed {
  return parseBy(root, argv, readLevel);
}

/** How a run ended that was started as a function. */
export interface Finished {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/** What such a run has in the place of a process's own. */
export interface FunctionIo extends RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Uint8Array;
  /** Whether stdout is a terminal. */
  readonly isTerminal?: boolean;
}

/** Runs a command line to its end in this process: nothing of it is read from the environment, or written to the terminal. */
export async function runAsFunction(
  argv: readonly string[],
  { env = {}, stdin = '', isTerminal = false, ...options }: FunctionIo = {},
): Promise<Finished> {
  const [stdout, stderr] = [collector(isTerminal), collector(false)];
  const io: Io = {
    env,
    stdout: stdout.sink,
    stderr: stderr.sink,
    // It has what petctl uses of a process's stdin, unless that is a terminal.
    stdin: () => Readable.from([Buffer.from(stdin)]) as unknown as NodeJS.ReadStream,
    interrupted: new AbortController().signal,
    onInterrupt: () => {},
  };
  const code = await run(argv, io, options).then(
    () => 0,
    (error: unknown) => tellError(error, argv, io),
  );
  return { code, stdout: stdout.bytes(), stderr: Buffer.from(stderr.bytes()).toString() };
}

function collector(isTerminal: boolean): { sink: Sink; bytes: () => Uint8Array } {
  const parts: Uint8Array[] = [];
  const write: Sink['write'] = async (text) => void parts.push(Buffer.from(text));
  const sink = { write, isTerminal, columns: undefined, gone: () => false, end: async () => {} };
  return { sink, bytes: () => Buffer.concat(parts) };
}
