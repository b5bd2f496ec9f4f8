import { Readable } from 'node:stream';
import type { Io, Sink } from './io/io.ts';
import { type RunOptions, reportError, run } from './run.ts';

// Not published. For the drift check: the command tree, parser, completion and pages, and petctl as a function.

export { candidates } from './commands/completion.ts';
export { manPages, markdown } from './commands/help/pages.ts';
export { fullTree } from './commands/tree.ts';
export { schemes } from './keys/schemes.ts';
export { type CommandNode, globalFlags, type Located, walk } from './parse/command.ts';
export { read as parse } from './parse/read.ts';
export { type RunOptions, run } from './run.ts';
export type { Argument, Flag } from './settings/flag.ts';
export { kebab } from './settings/flag.ts';

/** The result of `runAsFunction`. */
export interface Finished {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/** The input of `runAsFunction`, instead of a process's own. */
export interface FunctionIo extends RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Uint8Array;
  /** Whether stdout is a terminal. */
  readonly isTerminal?: boolean;
}

/** Runs a command line in this process, without its environment and terminal. */
export async function runAsFunction(
  argv: readonly string[],
  { env = {}, stdin = '', isTerminal = false, ...options }: FunctionIo = {},
): Promise<Finished> {
  const [stdout, stderr] = [collector(isTerminal), collector(false)];
  const io: Io = {
    env,
    stdout: stdout.sink,
    stderr: stderr.sink,
    // Has the part of stdin that petctl uses without a terminal.
    stdin: () => Readable.from([Buffer.from(stdin)]) as unknown as NodeJS.ReadStream,
    interrupted: new AbortController().signal,
    onInterrupt: () => {},
  };
  const code = await run(argv, io, options).then(
    () => 0,
    (error: unknown) => reportError(error, argv, io, options),
  );
  return { code, stdout: stdout.bytes(), stderr: Buffer.from(stderr.bytes()).toString() };
}

function collector(isTerminal: boolean): { sink: Sink; bytes: () => Uint8Array } {
  const parts: Uint8Array[] = [];
  const write: Sink['write'] = async (text) => void parts.push(Buffer.from(text));
  const sink = { write, isTerminal, columns: undefined, gone: () => false, end: async () => {} };
  return { sink, bytes: () => Buffer.concat(parts) };
}
