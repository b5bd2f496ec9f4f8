const MAX_EDITS = 3;

/** The candidate closest to a misspelt word; undefined if none is close. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  let best: string | undefined;
  let fewest = MAX_EDITS + 1;
  for (const candidate of candidates) {
    // The number of edits is at least the difference in length. This test is cheap, and a word may be
    // very long.
    if (Math.abs(candidate.length - word.length) > MAX_EDITS) continue;
    const edits = editsBetween(word.toLowerCase(), candidate.toLowerCase());
    const isClose = edits <= Math.max(candidate.length, word.length) / 2;
    if (!isClose || edits >= fewest) continue;
    best = candidate;
    fewest = edits;
  }
  return best;
}

/** The Levenshtein distance: letters to add, remove or change. */
function editsBetween(from: string, to: string): number {
  /** The distances from the letters that were read to each beginning of `to`. */
  let distances = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const letter of from) distances = distancesAfter(distances, letter, to);
  return distances.at(-1) ?? 0;
}

/** The distances after one more letter was read. */
function distancesAfter(distances: readonly number[], letter: string, to: string): number[] {
  const next = [(distances[0] ?? 0) + 1];
  for (const [index, other] of [...to].entries()) {
    const added = (next[index] ?? 0) + 1;
    const removed = (distances[index + 1] ?? 0) + 1;
    const changed = (distances[index] ?? 0) + (letter === other ? 0 : 1);
    next.push(Math.min(added, removed, changed));
  }
  return next;
}
