// How the input of a handler differs from the input of the client's call.

/** One sentence for each sent value that is missing or changed. Additional received values are defaults. */
export async function changes(sent: unknown, received: unknown): Promise<string[]> {
  return difference(await comparable(sent), await comparable(received), 'input');
}

/** A copy in which files are text with their bytes. */
async function comparable(value: unknown): Promise<unknown> {
  if (value instanceof Blob) return `bytes ${Buffer.from(await value.arrayBuffer()).toString('base64')}`;
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('base64')}`;
  if (Array.isArray(value)) return Promise.all(value.map(comparable));
  if (typeof value !== 'object' || value === null) return value;
  const entries = await Promise.all(
    Object.entries(value).map(async ([name, property]) => [name, await comparable(property)] as const),
  );
  return Object.fromEntries(entries);
}

/** One sentence for each difference. Properties that only the received value has are ignored. */
function difference(sent: unknown, received: unknown, where: string): string[] {
  if (typeof sent !== 'object' || sent === null || typeof received !== 'object' || received === null) {
    const isEmpty =
      received === undefined && (sent === null || (typeof sent === 'object' && Object.keys(sent).length === 0));
    return Object.is(sent, received) || isEmpty ? [] : [`${where} is ${show(received)} instead of ${show(sent)}`];
  }
  const names = Array.isArray(sent)
    ? Array.from({ length: Math.max(sent.length, (received as unknown[]).length) }, (_, i) => String(i))
    : Object.keys(sent);
  return names.flatMap((name) =>
    difference(
      (sent as Record<string, unknown>)[name],
      (received as Record<string, unknown>)[name],
      `${where}.${name}`,
    ),
  );
}

const show = (value: unknown) => JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? `${item}n` : item));
