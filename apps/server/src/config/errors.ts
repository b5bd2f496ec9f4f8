/** An invalid setting. The message names it, its source, and the valid values. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

const MAX_EDITS = 3;

/** The candidate closest to a misspelt word, if one is close enough. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, edits: editsBetween(word, candidate) }))
    .filter(({ candidate, edits }) => edits <= MAX_EDITS && edits <= candidate.length / 2)
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
  return row[to.length] ?? 0;
}
