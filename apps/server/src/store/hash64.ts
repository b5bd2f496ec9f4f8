/** A hash of 64 bits, not a cryptographic one: for a short text the call alone would take longer. */
export function hash64(text: string): string {
  return scrambled(text, 0, (high, low) => `${high | 0}.${low | 0}`);
}

/** Passes the two halves of a hash of 64 bits to a function, and returns its result. The hash depends on the seed. */
export function scrambled<T>(text: string, seed: number, use: (high: number, low: number) => T): T {
  // cyrb53 by bryc, with all of its bits.
  let high = 0xdead_beef ^ seed;
  let low = 0x41c6_ce57 ^ seed;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high = Math.imul(high ^ code, 0x9e37_79b1);
    low = Math.imul(low ^ code, 0x5f35_6495);
  }
  const mixedHigh = Math.imul(high ^ (high >>> 16), 0x85eb_ca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2_ae35);
  const mixedLow = Math.imul(low ^ (low >>> 16), 0x85eb_ca6b) ^ Math.imul(mixedHigh ^ (mixedHigh >>> 13), 0xc2b2_ae35);
  return use(mixedHigh >>> 0, mixedLow >>> 0);
}
