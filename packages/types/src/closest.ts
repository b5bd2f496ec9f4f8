const MAX_EDITS = 3;

/** The candidate closest to a misspelt word; undefined if none is close. `nameOf` returns the part of a candidate that is compared. */
export function closest(
  word: string,
  candidates: readonly string[],
  nameOf = (candidate: string) => candidate,
): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, name: nameOf(candidate).toLowerCase() }))
    // The number of edits is at least the difference in length. This cheap test is first, because a word may be very long.
    .filter(({ name }) => Math.abs(name.length - word.length) <= MAX_EDITS)
    .map(({ candidate, name }) => ({ candidate, name, edits: editsBetween(word.toLowerCase(), name) }))
    .filter(({ name, edits }) => edits <= MAX_EDITS && edits <= Math.max(name.length, word.length) / 2)
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}

/** The Damerau distance: letters to add, remove, change or swap with the next. */
function editsBetween(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const [above = 0, diagonal = 0, left = 0] = [row[j + 1], row[j], next[j]];
      const swapped = from[i] === to[j - 1] && from[i - 1] === to[j] ? (before[j - 1] ?? Infinity) + 1 : Infinity;
      next.push(Math.min(above + 1, left + 1, diagonal + (from[i] === to[j] ? 0 : 1), swapped));
    }
    before = row;
    row = next;
  }
  return row[to.length] ?? 0;
}
