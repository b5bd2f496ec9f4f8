/** The middle one of the numbers, in the order of their size. */
export function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

/** The median over rounds of one number to another, each pair measured one right after the other. */
export function medianRatio(parts: readonly number[], wholes: readonly number[]): number {
  return median(parts.map((part, round) => part / (wholes[round] ?? Number.NaN)));
}

/**
 * Measures all of them in turns, so that what else the machine does meets all alike: each round begins with another one,
 * and a round before the first one only warms up.
 */
export async function inRounds<T, Measured>(
  subjects: readonly T[],
  rounds: number,
  measure: (subject: T, round: number) => Promise<Measured>,
): Promise<Map<T, Measured[]>> {
  const measured = new Map<T, Measured[]>(subjects.map((subject) => [subject, []]));
  for (let round = -1; round < rounds; round++) {
    const first = Math.max(round, 0) % subjects.length;
    for (const subject of [...subjects.slice(first), ...subjects.slice(0, first)]) {
      const one = await measure(subject, round);
      if (round >= 0) measured.get(subject)?.push(one);
    }
  }
  return measured;
}

/** A number rounded for people to read. */
export function rounded(value: number, digits = 2): number {
  return Number(value.toFixed(digits));
}
