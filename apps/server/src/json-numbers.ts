// JSON values as validators know them: with numbers, because JSON Schema knows no bigints.
import { invalid } from './errors.ts';

/** What integers can be. The highest double of 64 bits stands for the integers above it. */
export const ranges: Readonly<Record<string, { readonly low: number; readonly high: number }>> = {
  int32: { low: -(2 ** 31), high: 2 ** 31 - 1 },
  int64: { low: -(2 ** 63), high: 2 ** 63 - 1024 },
};

const MAX_INT64 = 2 ** 63 - 1024;
export const MAX_DEPTH = 64;

/**
 * A JSON value with numbers instead of bigints; the same value if it has none. Throws for deep nesting and for malformed
 * Unicode. `name` is the member of the body that the value belongs to.
 */
export function toJsonNumbers(value: unknown, name?: string, depth = 0): unknown {
  if (typeof value === 'bigint') return Math.min(Number(value), MAX_INT64);
  if (typeof value === 'string' && !value.isWellFormed())
    throw invalid(`${placeOf(name)}: it is not well-formed Unicode`);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) throw invalid(`body: it is nested more than ${MAX_DEPTH} deep`);
  if (Array.isArray(value)) return convertedArray(value, name, depth);
  return convertedObject(value as Readonly<Record<string, unknown>>, name, depth);
}

function convertedArray(
  array: readonly unknown[],
  name: string | undefined,
  depth: number,
): unknown {
  let copy: unknown[] | undefined;
  for (const [i, item] of array.entries()) {
    const converted = toJsonNumbers(item, name, depth + 1);
    if (converted === item) continue;
    copy ??= [...array];
    copy[i] = converted;
  }
  return copy ?? array;
}

function convertedObject(
  object: Readonly<Record<string, unknown>>,
  name: string | undefined,
  depth: number,
): unknown {
  let copy: Record<string, unknown> | undefined;
  for (const member of Object.keys(object)) {
    if (!member.isWellFormed())
      throw invalid(`${placeOf(name)}: a name is not well-formed Unicode`);
    const converted = toJsonNumbers(object[member], member, depth + 1);
    if (converted === object[member]) continue;
    copy ??= { ...object };
    copy[member] = converted;
  }
  return copy ?? object;
}

function placeOf(name: string | undefined): string {
  return name === undefined ? 'body' : `body '${name}'`;
}
