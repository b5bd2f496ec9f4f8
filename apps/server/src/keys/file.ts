import { closeSync, constants, openSync, readFileSync } from 'node:fs';
import { errorCode, reasonOf } from '../files/errors.ts';
import { replaceFile } from '../files/files.ts';
import { isName, type KnownKey } from './key.ts';

/** keys.json cannot be used. The message never contains its content. */
export class KeysFileError extends Error {
  override readonly name = 'KeysFileError';

  constructor(file: string, finding: string, cause?: unknown) {
    super(`${file} ${finding}`, { cause });
  }
}

/** A key cannot be created or revoked by this name. */
export class KeyNameError extends Error {
  override readonly name = 'KeyNameError';
}

/** A key as stored in keys.json. */
export interface StoredKey extends KnownKey {
  /** The time of creation, in ISO 8601. */
  created: string;
}

/** The keys in the file, or undefined without a file. Throws for a damaged file. */
export function readKeys(file: string): StoredKey[] | undefined {
  let text: string;
  try {
    text = readText(file);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new KeysFileError(file, `cannot be read (${reasonOf(error)}).`, error);
  }
  const keys = parsed(text);
  if (!keys || new Set(keys.map(({ name }) => name)).size < keys.length) {
    throw new KeysFileError(file, 'is damaged; restore it from a backup, or move it away and create new keys.');
  }
  return keys;
}

function parsed(text: string): StoredKey[] | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's message would quote the text.
    return undefined;
  }
  if (!isObject(content) || !Array.isArray(content.keys)) return undefined;
  const keys: unknown[] = content.keys;
  const valid = keys.map(storedKey).filter((key) => key !== undefined);
  return valid.length === keys.length ? valid : undefined;
}

function storedKey(entry: unknown): StoredKey | undefined {
  if (!isObject(entry)) return undefined;
  const { name, created, sha256 } = entry;
  if (typeof name !== 'string' || !isName(name) || typeof created !== 'string') return undefined;
  if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256)) return undefined;
  return { name, created, hash: Buffer.from(sha256, 'hex') };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

export async function writeKeys(file: string, keys: readonly StoredKey[]): Promise<void> {
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
