// How the input of a handler differs from the input of the client's call.

/** A sentence for each value that is not there, or another one. What is there besides are defaults. */
export async function changes(sent: unknown, received: unknown): Promise<string[]> {
  return difference(await comparable(sent), await comparable(received), 'input');
}

/** Values that can be compared: files by name, type and bytes; without what is not sent. */
async function comparable(value: unknown): Promise<unknown> {
  if (value instanceof Blob) return `bytes ${Buffer.from(await value.arrayBuffer()).toString('base64')}`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('base64')}`;
  if (Array.isArray(value)) return Promise.all(value.map(comparable));
  if (typeof value !== 'object' || value === null) return value;
  const entries = await Promise.all(
    Object.entries(value).map(async ([name, one]) => [name, await comparable(one)] as const),
  );
  return Object.fromEntries(entries);
}

/** What is wanted and not there, or another one. What is there besides are defaults. */
function difference(wanted: unknown, got: unknown, where: string): string[] {
  if (typeof wanted !== 'object' || wanted === null || typeof got !== 'object' || got === null) {
    const isEmpty =
      got === undefined && (wanted === null || (typeof wanted === 'object' && Object.keys(wanted).length === 0));
    return Object.is(wanted, got) || isEmpty ? [] : [`${where} is ${show(got)} instead of ${show(wanted)}`];
  }
  const names = Array.isArray(wanted)
    ? Array.from({ length: Math.max(wanted.length, (got as unknown[]).length) }, (_, i) => String(i))
    : Object.keys(wanted);
  return names.flatMap((name) =>
    difference((wanted as Record<string, unknown>)[name], (got as Record<string, unknown>)[name], `${where}.${name}`),
  );
}

const show = (value: unknown) => JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? `${one}n` : one));
