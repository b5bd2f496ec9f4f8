import { type FileHandle, open } from 'node:fs/promises';
import { onTestFinished } from 'vitest';

type Call = 'write' | 'sync' | 'datasync' | 'truncate';

/** What happens instead of a call: it returns what the call returns, or rejects. */
type Fault = (call: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>;

/** The disk of this process, whose calls on open files a test can spoil. They are whole again when the test ends. */
export class SpoiledDisk {
  readonly #faults = new Map<Call, Fault>();

  static async create(): Promise<SpoiledDisk> {
    const spoiled = new SpoiledDisk();
    const handle = await open(process.execPath);
    const prototype: FileHandle = Object.getPrototypeOf(handle);
    await handle.close();
    for (const name of ['write', 'sync', 'datasync', 'truncate'] as const)
      spoiled.#wrap(prototype, name);
    return spoiled;
  }

  /** Spoils a call until `restore`. */
  spoil(call: Call, fault: Fault): void {
    this.#faults.set(call, fault);
  }

  restore(): void {
    this.#faults.clear();
  }

  #wrap(prototype: FileHandle, name: Call): void {
    const original = prototype[name] as (...args: unknown[]) => Promise<unknown>;
    const faults = this.#faults;
    const wrapped = function (this: FileHandle, ...args: unknown[]) {
      const call = () => original.apply(this, args);
      const fault = faults.get(name);
      return fault ? fault(call, args) : call();
    };
    Object.defineProperty(prototype, name, { value: wrapped, configurable: true, writable: true });
    onTestFinished(() => {
      Object.defineProperty(prototype, name, {
        value: original,
        configurable: true,
        writable: true,
      });
    });
  }
}

/** An error of the system as Node words it. */
export function systemError(code: string, call: string): Error {
  return Object.assign(new Error(`${code}: it failed, ${call}`), { code });
}
