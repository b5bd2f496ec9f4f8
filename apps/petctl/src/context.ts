import type { EventEmitter } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * What a process is to petctl. `main.ts` makes it of the real process; others may pass streams of
 * their own.
 */
export interface Context {
  /** The words of the command line, without the program. */
  readonly args: readonly string[];
  readonly env: Environment;
  readonly stdin: InputSource;
  readonly stdout: OutputTarget;
  readonly stderr: OutputTarget;
  /** Emits `SIGINT` and `SIGTERM`. A signal without a listener ends the process. */
  readonly signals: Pick<EventEmitter, 'once' | 'off'>;
  /** Whether this Node has agents that use proxies. */
  readonly knowsProxies: boolean;
}

/** A stream to read from. stdin of a process has a file descriptor. */
export type InputSource = Readable & {
  readonly isTTY?: boolean | undefined;
  readonly fd?: number | undefined;
};

/** A stream to write to. A terminal may know its width. */
export type OutputTarget = Writable & {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
};
