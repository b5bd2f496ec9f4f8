import { Readable } from 'node:stream';
import { InterruptedError, OutputError, type SignalName, signalNames, UsageError } from './errors.ts';

/** A stream that is written to. */
export interface Sink {
  /** Resolves when the stream accepts more, so that its buffer stays small. */
  write(text: string | Uint8Array): Promise<void>;
  readonly isTerminal: boolean;
  /** The width of the terminal; undefined elsewhere. */
  readonly columns: number | undefined;
  /** Whether the reader has closed it. */
  readonly isClosed: () => boolean;
  /** Resolves when everything is written, the reader is gone, or the run is interrupted; rejects for a failed write, as of a full disk. */
  readonly flush: () => Promise<void>;
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment, the streams and the signals of a run. */
export interface Io {
  readonly env: Environment;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Opens stdin. Throws the second time, because nothing would be left to read. */
  readonly stdin: () => NodeJS.ReadStream;
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP, with an InterruptedError as its reason. */
  readonly interrupted: AbortSignal;
  /** Registers a listener that the first signal calls instead of aborting; the next one aborts. */
  readonly onInterrupt: (listener: (reason: InterruptedError) => void) => void;
  /** Runs something that blocks the process. Meanwhile a signal ends the process at once, unless a listener is registered. */
  readonly blocking: <T>(run: () => Promise<T>) => Promise<T>;
}

/** The process's own streams and signals. */
export function processIo(): Io {
  const interrupt = new AbortController();
  const { signal } = interrupt;
  let listener: ((reason: InterruptedError) => void) | undefined;
  const terminal = { isLineOpen: false };
  const stdout = sink(process.stdout, signal, terminal);
  const stderr = sink(process.stderr, signal, terminal);
  let stdin: NodeJS.ReadStream | undefined;
  const onSignal = (name: SignalName) => {
    const reason = new InterruptedError(name);
    const first = listener;
    listener = undefined;
    // While stdout is blocked, the calls in progress could never finish.
    if (first && !stdout.isStalled()) return first(reason);
    interrupt.abort(reason);
    stdin?.destroy(reason);
  };
  const handleSignals = () => {
    for (const name of signalNames) process.on(name, onSignal);
  };
  handleSignals();
  return {
    env: process.env,
    stdout,
    stderr,
    stdin: () => {
      if (stdin) throw new UsageError('stdin is read twice.', 'Pass only one of the inputs on stdin.');
      stdin = process.stdin;
      // If Node cannot read stdin, for example a folder, `process.stdin` is an empty stream of the base class.
      if (stdin.constructor === Readable)
        throw new UsageError('stdin is no file, pipe or terminal.', 'Redirect a file to it: < FILE');
      return stdin;
    },
    interrupted: signal,
    onInterrupt: (added) => {
      listener = added;
    },
    blocking: async (run) => {
      if (listener) return run();
      // Node calls no handler while the process is blocked, but without a handler the system ends it.
      for (const name of signalNames) process.off(name, onSignal);
      return run().finally(handleSignals);
    },
  };
}

/** The time that an interrupted run has to end. */
const GRACE_MS = 2000;

/** Resolves with the run; rejects if it was interrupted and does not end in time. */
export async function untilInterrupted<T>(run: Promise<T>, { interrupted }: Io): Promise<T> {
  const overdue = new Promise<never>((_, reject) => {
    const wait = () => setTimeout(() => reject(interrupted.reason), GRACE_MS);
    if (interrupted.aborted) wait();
    else interrupted.addEventListener('abort', wait, { once: true });
  });
  return Promise.race([run, overdue]);
}

/** What both streams know of the terminal: whether stdout has begun a line that it has not ended. */
interface Terminal {
  isLineOpen: boolean;
}

function sink(
  stream: NodeJS.WriteStream,
  interrupted: AbortSignal,
  terminal: Terminal,
): Sink & { isStalled: () => boolean } {
  /** Prevents that a message continues a line of data, or that a progress bar erases it. */
  const endOpenLine = (text: string | Uint8Array) => {
    if (!stream.isTTY) return;
    if (stream === process.stderr && terminal.isLineOpen) stream.write('\n');
    terminal.isLineOpen =
      stream === process.stdout && (typeof text === 'string' ? !text.endsWith('\n') : text.at(-1) !== 10);
  };
  let isClosed = false;
  let failure: Error | undefined;
  const waiting: (() => void)[] = [];
  const proceed = () => {
    for (const resume of waiting.splice(0)) resume();
  };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error;
    isClosed = true;
    proceed();
  });
  stream.on('drain', proceed);
  interrupted.addEventListener('abort', proceed);
  return {
    isTerminal: Boolean(stream.isTTY),
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    isClosed: () => isClosed,
    isStalled: () => waiting.length > 0,
    flush: async () => {
      if (!interrupted.aborted) await new Promise((done) => stream.write('', done));
      if (failure) throw new OutputError(failure);
    },
    write: async (text) => {
      if (isClosed || text.length === 0) return;
      endOpenLine(text);
      if (stream.write(text) || interrupted.aborted) return;
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
      // stderr still takes the message of the interrupt.
      if (stream === process.stdout) interrupted.throwIfAborted();
    },
  };
}
