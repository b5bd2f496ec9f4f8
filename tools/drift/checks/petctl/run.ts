import { Readable } from 'node:stream';
import type { Io, RunOptions, Sink } from 'petctl/internal';

export type Petctl = typeof import('petctl/internal');

/** The result of `runPetctl`. */
export interface Finished {
  readonly code: number;
  readonly stdout: Uint8Array;
  readonly stderr: string;
}

/** The environment of `runPetctl`. */
export interface RunPetctlOptions extends RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdin?: string | Uint8Array;
  /** Whether stdout is a terminal. */
  readonly isTerminal?: boolean;
}

/** Runs a command line in this process, without its environment and terminal. */
export async function runPetctl(
  { run, reportError }: Pick<Petctl, 'run' | 'reportError'>,
  argv: readonly string[],
  { env = {}, stdin = '', isTerminal = false, ...options }: RunPetctlOptions = {},
): Promise<Finished> {
  const [stdout, stderr] = [collector(isTerminal), collector(false)];
  const io: Io = {
    env,
    stdout: stdout.sink,
    stderr: stderr.sink,
    // Without a terminal, petctl uses only the members of a Readable.
    stdin: () => Readable.from([Buffer.from(stdin)]) as unknown as NodeJS.ReadStream,
    interrupted: new AbortController().signal,
    onInterrupt: () => {},
    blocking: (run) => run(),
  };
  const code = await run(argv, io, options).then(
    () => 0,
    (error: unknown) => reportError(error, argv, io, options),
  );
  return { code, stdout: stdout.bytes(), stderr: Buffer.from(stderr.bytes()).toString() };
}

/** Returns what a command line writes to stdout. */
export async function outputOf(petctl: Petctl, ...argv: string[]): Promise<string> {
  return Buffer.from((await runPetctl(petctl, argv)).stdout).toString();
}

/**
 * The error by which petctl rejects a command line; undefined if petctl accepts it. Nothing is sent: an operation prints its
 * request, and any other command prints its help.
 */
export async function rejectionOf(petctl: Petctl, words: readonly string[]): Promise<string | undefined> {
  const isOperation = [...petctl.walk(petctl.fullTree())].some(
    ({ path, node }) =>
      node.operation?.command.join(' ') === path.join(' ') && path.every((word, i) => words[i] === word),
  );
  const env = { PETCTL_API_KEY: 'k', XDG_CONFIG_HOME: '/nonexistent' };
  const { code, stderr } = await runPetctl(petctl, [...words, isOperation ? '--dry-run' : '--help'], { env });
  return code === 0 ? undefined : stderr.trim().split('\n')[0];
}

/** The words of a command line, as a shell reads them. */
export function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, one, two, three]) => one ?? two ?? three ?? '');
}

function collector(isTerminal: boolean): { sink: Sink; bytes: () => Uint8Array } {
  const parts: Uint8Array[] = [];
  const write: Sink['write'] = async (text) => void parts.push(Buffer.from(text));
  const sink = { write, isTerminal, columns: 10_000, isClosed: () => false, flush: async () => {} };
  return { sink, bytes: () => Buffer.concat(parts) };
}
