/** Returns a generator of pseudo-random numbers, which are the same for the same seed. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** A seed that is printed, so a failing run can be repeated: `SEED=… vitest run …`. */
export function seed(): number {
  const chosen = Number(process.env.SEED ?? Date.now() % 2 ** 32);
  console.log(`SEED=${chosen}`);
  return chosen;
}
