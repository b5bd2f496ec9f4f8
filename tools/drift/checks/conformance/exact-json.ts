/** JSON whose integers keep all of their digits: those that a number cannot hold are bigints. */
export function parseExact(text: string): unknown {
  // TypeScript does not know the third argument yet.
  const parse = JSON.parse as (
    text: string,
    reviver: (key: string, value: unknown, at: { source?: string }) => unknown,
  ) => unknown;
  return parse(text, (_, value, { source = '' }) =>
    typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? BigInt(source) : value,
  );
}

/** A value for people, with the digits of bigints. */
export function shown(value: unknown): string {
  return (JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one)) ?? 'nothing').slice(0, 200);
}
