// Runs petctl within this process.
import { EventEmitter } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { run } from '../apps/petctl/src/run.ts';

/** How a run of petctl ended, and what it wrote. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

type Env = Readonly<Record<string, string>>;

/** Runs a command line with an empty stdin, and pipes for stdout and stderr. */
export async function runPetctl(args: readonly string[], env: Env = {}): Promise<Ran> {
  const stdout = new TextCollector();
  const stderr = new TextCollector();
  const code = await run({
    args,
    env: { PETCTL_KEYRING: 'false', XDG_CONFIG_HOME: '/nonexistent', ...env },
    stdin: Readable.from([]),
    stdout,
    stderr,
    signals: new EventEmitter(),
    knowsProxies: true,
  });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class TextCollector extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false, defaultEncoding: 'utf8' });
  }

  override _write(chunk: string | Buffer, _encoding: string, done: () => void): void {
    this.text += chunk;
    done();
  }
}
