const cleanups: (() => unknown)[] = [];

/** Registers a clean-up for the end of the test file. */
export function onCleanup(cleanup: () => unknown): void {
  cleanups.push(cleanup);
}

/** Runs all clean-ups, the last one first. `each-file.ts` calls this, because a hook counts only where a file is collected. */
export async function cleanUp(): Promise<void> {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
}
