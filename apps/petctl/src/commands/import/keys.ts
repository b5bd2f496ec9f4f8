import { createHash, randomUUID } from 'node:crypto';
import type { Operation } from '@petstore/types';
import { jsonText } from '../../io/text.ts';

/**
 * Makes the idempotency key of each record from what it says and its place among the records that say the same. So a
 * file that is imported again, or with records added to it, does nothing twice. With `isAgain` the keys are new ones.
 */
export function recordKeys({ id }: Operation, isAgain: boolean): (input: Record<string, unknown>) => string {
  const run = isAgain ? randomUUID() : '';
  /** How many records had the same content, by its digest. */
  const counts = new Map<string, number>();
  return (input) => {
    const content = digest([id, run, canonical(input)]);
    const count = counts.get(content) ?? 0;
    counts.set(content, count + 1);
    return digest([content, String(count)]);
  };
}

function digest(parts: readonly string[]): string {
  return createHash('sha256').update(parts.join('\n')).digest('base64url');
}

/** The same text for the same value, in whichever order its properties stand. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return jsonText(value) ?? 'null';
  const entries = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`;
}
