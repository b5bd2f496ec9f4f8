const cleanups: (() => unknown)[] = [];

/** Registers a clean-up for the end of the test file. */
export function onCleanup(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Runs all clean-ups, the last one first. `each-file.ts` calls it, because without isolation only set-up files run for each test file. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
