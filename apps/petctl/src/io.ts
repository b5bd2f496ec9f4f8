import { OutputError } from './errors/errors.ts';

/** A stream that is written to. */
export interface Sink {
  /** Resolves when more may come, so that nothing piles up. */
  write(text: string | Uint8Array): Promise<void>;
  readonly isTerminal: boolean;
  /** How wide the terminal is; nothing elsewhere. */
  readonly columns: number | undefined;
  /** Whether nobody reads it any more. */
  readonly gone: () => boolean;
  /** Resolves when all is out; rejects with an OutputError when it could not be written, to a full disk say. */
  readonly end: () => Promise<void>;
}

/** The environment, the streams and the signals of a run. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Sink;
  readonly stderr: Sink;
  /** Opened only when something is read from it. */
  readonly stdin: () => NodeJS.ReadStream;
  /** Aborted when the user presses Ctrl-C. */
  readonly interrupted: AbortSignal;
  /** Called at the first Ctrl-C instead of aborting; the next one aborts. */
  readonly onInterrupt: (listener: () => void) => void;
}

/** The process's own streams and signals. */
export function processIo(): Io {
  const interrupt = new AbortController();
  let listener: (() => void) | undefined;
  process.on('SIGINT', () => {
    const first = listener;
    listener = undefined;
    if (first) first();
    else interrupt.abort();
  });
  return {
    env: process.env,
    stdout: sink(process.stdout),
    stderr: sink(process.stderr),
    stdin: () => process.stdin,
    interrupted: interrupt.signal,
    onInterrupt: (added) => {
      listener = added;
    },
  };
}

function sink(stream: NodeJS.WriteStream): Sink {
  let gone = false;
  let failure: Error | undefined;
  let waiting: (() => void) | undefined;
  const proceed = () => {
    waiting?.();
    waiting = undefined;
  };
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= error;
    gone = true;
    proceed();
  });
  stream.on('drain', proceed);
  return {
    isTerminal: Boolean(stream.isTTY),
    get columns() {
      return stream.isTTY ? stream.columns : undefined;
    },
    gone: () => gone,
    end: async () => {
      await new Promise((done) => stream.write('', done));
      if (failure) throw new OutputError(failure);
    },
    write: async (text) => {
      if (gone || text.length === 0 || stream.write(text)) return;
      await new Promise<void>((resolve) => {
        waiting = resolve;
      });
    },
  };
}
