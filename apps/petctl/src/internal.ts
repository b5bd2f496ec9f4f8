import { Readable } from 'node:stream';
import type { Io, Sink } from './io/io.ts';
import { type RunOptions, run, tellError } from './run.ts';

// For the drift check: petctl's command tree, parser, completion and pages, and petctl as a function. Not published.

export { candidates } from './commands/completion.ts';
export { manPages, markdown } from './commands/help/pages.ts';
export { fullTree } from './commands/tree.ts';
export { schemes } from './keys/schemes.ts';
export { type CommandNode, type Located, walk } from './parse/node.ts';
export { read as parse } from './parse/read.ts';
export { type RunOptions, run } from './run.ts';
export type { Argument, Flag } from './settings/flag.ts';
export { kebab } from './settings/flag.ts';

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
    (error: unknown) => tellError(error, argv, io, options),
  );
  return { code, stdout: stdout.bytes(), stderr: Buffer.from(stderr.bytes()).toString() };
}

function collector(isTerminal: boolean): { sink: Sink; bytes: () => Uint8Array } {
  const parts: Uint8Array[] = [];
  const write: Sink['write'] = async (text) => void parts.push(Buffer.from(text));
  const sink = { write, isTerminal, columns: undefined, gone: () => false, end: async () => {} };
  return { sink, bytes: () => Buffer.concat(parts) };
}
