import type { Meant } from './errors.ts';

const MAX_EDITS = 3;

/** The candidate that a misspelt word was meant to be, if one is close enough. */
function closest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    // Each letter that one of them has more is an edit; a word may be as long as a file.
    .filter(({ length }) => Math.abs(length - word.length) <= MAX_EDITS)
    .map((candidate) => ({ candidate, edits: editsBetween(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, edits }) => edits <= MAX_EDITS && edits <= Math.max(candidate.length, word.length) / 2)
    .sort((a, b) => a.edits - b.edits);
  return best?.candidate;
}

/** A sentence that suggests what was meant, or says where to look. */
export function sentence({ word, candidates, otherwise }: Meant): string {
  const meant = closest(word, candidates);
  return meant === undefined ? otherwise : `Did you mean '${meant}'?`;
}

/** How many letters have to be added, removed, changed or swapped with the next (Damerau). */
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
