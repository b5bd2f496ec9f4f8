// What the tests of a file share: a folder, and the environment of the program.
import { makeFolder } from '@petstore/testing';

export type Environment = Record<string, string | undefined>;

/** The folder of a test file, which is also the user's home. */
export let scratch = '';

const cleanups: (() => unknown)[] = [];

/** Registers what to do at the end of the test file; the last one is done first. */
export function atEnd(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Begins a test file. */
export function makeScratch(): void {
  const { folder, remove } = makeFolder('petctl');
  scratch = folder;
  atEnd(remove);
}

/** Ends a test file. */
export async function cleanUp(): Promise<void> {
  for (let cleanup = cleanups.pop(); cleanup; cleanup = cleanups.pop()) await cleanup();
}

/** Settings for a service that is not there. */
export const unreachable = {
  PETCTL_BASE_URL: 'http://127.0.0.1:1/v1',
  PETCTL_API_KEY: 'a-key',
  PETCTL_RETRIES: '0',
};

/** The environment of the program, without the machine's own settings. */
export function environment(more: Environment = {}): Environment {
  return { PATH: process.env.PATH, HOME: scratch, PETCTL_KEYRING: 'false', ...more };
}
