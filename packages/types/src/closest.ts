const MAX_EDITS = 3;

/** The candidate closest to a misspelt word; undefined if none is close. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    // The number of edits is at least the difference in length. This cheap test is first, because a word may be very long.
    .filter((candidate) => Math.abs(candidate.length - word.length) <= MAX_EDITS)
    .map((candidate) => ({
      candidate,
      edits: editsBetween(word.toLowerCase(), candidate.toLowerCase()),
    }))
    .filter(
      ({ candidate, edits }) =>
        edits <= MAX_EDITS && edits <= Math.max(candidate.length, word.length) / 2,
    )
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}

/** The Levenshtein distance: letters to add, remove or change. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [j, other] of [...to].entries()) {
      const [above = 0, diagonal = 0, left = 0] = [row[j + 1], row[j], next[j]];
      next.push(Math.min(above + 1, left + 1, diagonal + (letter === other ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
