import { readFileSync } from 'node:fs';
import { UsageError } from '../errors/errors.ts';

/** What a file of JSON holds, as an object; nothing in it where there is no file. */
export function readJsonFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    throw new UsageError(`${file} cannot be read (${codeOf(error)}).`, 'Look at its owner and permissions.');
  }
  try {
    const data: unknown = JSON.parse(text);
    if (isObject(data)) return data;
  } catch {
    // It is said below.
  }
  throw new UsageError(`${file} is no JSON object.`, 'Mend it, or move it away.');
}

export function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

/** What the system called an error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
