import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { errorCode, reasonOf } from '../files/errors.ts';
import { replaceFile } from '../files/files.ts';
import { KeysFileError } from './errors.ts';
import { isName, type KnownKey } from './key.ts';

/** A key as it is kept in keys.json. */
export interface KeptKey extends KnownKey {
  /** When it was made, in ISO 8601. */
  created: string;
}

/** The keys in the file; nothing where there is no file. Refuses a file that is anything but a list of keys. */
export function readKeys(file: string): KeptKey[] | undefined {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new KeysFileError(file, `cannot be read (${reasonOf(error)}).`, error);
  }
  const keys = parsed(text);
  if (!keys || new Set(keys.map(({ name }) => name)).size < keys.length) {
    throw new KeysFileError(file, 'is damaged; put it back from a backup, or move it away and make new keys.');
  }
  return keys;
}

function parsed(text: string): KeptKey[] | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // What the parser says quotes the text.
    return undefined;
  }
  if (!isObject(content) || !Array.isArray(content.keys)) return undefined;
  const keys: unknown[] = content.keys;
  const kept = keys.map(keptKey).filter((key) => key !== undefined);
  return kept.length === keys.length ? kept : undefined;
}

function keptKey(entry: unknown): KeptKey | undefined {
  if (!isObject(entry)) return undefined;
  const { name, created, sha256 } = entry;
  if (typeof name !== 'string' || !isName(name) || typeof created !== 'string') return undefined;
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  return { name, created, hash: Buffer.from(sha256, 'hex') };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

export async function writeKeys(file: string, keys: readonly KeptKey[]): Promise<void> {
  const content = { keys: keys.map(({ name, created, hash }) => ({ name, created, sha256: hash.toString('hex') })) };
  try {
    await replaceFile(file, Buffer.from(`${JSON.stringify(content, null, 2)}\n`), 0o600);
  } catch (error) {
    throw new KeysFileError(file, `cannot be written (${reasonOf(error)}).`, error);
  }
}

function readText(file: string): string {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
