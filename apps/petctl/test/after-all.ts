const undo: (() => unknown)[] = [];

/** Does this when the tests of the file are over, the last first. */
export function whenOver(one: () => unknown): void {
  undo.push(one);
}

/** Does all of it. `each-file.ts` calls this, because a hook counts only where a file is collected. */
export async function undoAll(): Promise<void> {
  for (const one of undo.splice(0).reverse()) await one();
}
