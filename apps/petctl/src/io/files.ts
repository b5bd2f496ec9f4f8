import {
  createReadStream,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { repeatedKey } from '../old.ts';
import { CliError, systemCode, UsageError } from './errors.ts';
import type { Io } from './process-io.ts';
import { isObject, jsonValueIfValid } from './text.ts';

/** The JSON object in a file; an empty object if the file does not exist. */
export function readJsonFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    // ENOTDIR: accounts of services have /dev/null as their home folder.
    if (['ENOENT', 'ENOTDIR'].includes(systemCode(error))) return {};
    if (systemCode(error) === 'EISDIR') throw new UsageError(`${file} is a folder.`, 'Move it away.');
    throw unreadable(file, error);
  }
  const data = jsonValueIfValid(text);
  if (!isObject(data)) throw new UsageError(`${file} is not a JSON object.`, 'Fix it, or move it away.');
  // A change would write only the last value of the property.
  const repeated = repeatedKey(text);
  if (repeated === undefined) return data;
  throw new UsageError(`${file}: the property '${repeated}' appears twice.`, 'Remove one of them.');
}

/** The time that a change waits for those of other processes. */
const MAX_WAIT_MS = 2000;

/**
 * Changes a JSON file atomically. Changes by several processes follow each other, because the new file is also the lock. Only the
 * owner can read the file. Replaces the target of a symbolic link, not the link.
 */
export function changeJsonFile(file: string, change: (data: Record<string, unknown>) => object): void {
  const target = targetOf(file);
  const newFile = `${target}.new`;
  createNewFile(newFile, file);
  try {
    const text = `${JSON.stringify(change(readJsonFile(file)), undefined, 2)}\n`;
    try {
      writeFileSync(newFile, text);
      renameSync(newFile, target);
    } catch (error) {
      throw unwritable(file, error);
    }
  } catch (error) {
    rmSync(newFile, { force: true });
    throw error;
  }
}

/** The file that a path leads to. Creates the folder of a missing file. The target of a link may not exist yet. */
function targetOf(file: string): string {
  try {
    if (existsSync(file)) return realpathSync(file);
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
    return isLink ? resolve(dirname(file), readlinkSync(file)) : file;
  } catch (error) {
    throw unwritable(file, error);
  }
}

/** Creates an empty file. If another process has created it, waits until that process has renamed it. */
function createNewFile(newFile: string, file: string): void {
  const end = Date.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return writeFileSync(newFile, '', { mode: 0o600, flag: 'wx' });
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw unwritable(file, error);
      if (Date.now() > end)
        throw new UsageError(`Another petctl is changing ${file}.`, `If none is running, remove ${newFile}.`);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    }
  }
}

function unwritable(file: string, error: unknown): UsageError {
  return new UsageError(`${file} cannot be written (${systemCode(error)}).`, 'Check its folder and permissions.');
}

/** More than servers accept by default. */
const MAX_TEXT_MIB = 256;

/** Throws if a text is too large, so that an endless device does not fill the memory. */
export function rejectLarge(length: number, name: string, hint = 'Split it.'): void {
  if (length > MAX_TEXT_MIB * 2 ** 20) throw new UsageError(`${name} has more than ${MAX_TEXT_MIB} MiB.`, hint);
}

/** The text of a file, or of stdin for `-`; throws for malformed UTF-8, which would be sent as other text. */
export async function readText(file: string, { stdin }: Io): Promise<string> {
  const name = file === '-' ? 'stdin' : file;
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of file === '-' ? stdin() : createReadStream(file)) {
      pieces.push(Buffer.from(piece));
      bytes += piece.length;
      rejectLarge(bytes, name);
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces));
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw error instanceof TypeError
      ? new UsageError(`${name} is not UTF-8.`, 'Convert it to UTF-8.')
      : unreadable(name, error);
  }
}

/** The error for a file that the system does not let petctl read. */
export function unreadable(file: string, error: unknown): UsageError {
  if (systemCode(error) === 'EISDIR') return new UsageError(`${file} is a folder.`, 'Pass a file, or - for stdin.');
  return new UsageError(`${file || "''"} cannot be read (${systemCode(error)}).`, 'Check its name and permissions.');
}
