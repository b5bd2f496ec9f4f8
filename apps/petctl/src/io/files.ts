import {
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { CliError, systemCode, UsageError } from './errors.ts';
import type { Io } from './process-io.ts';
import { isObject, jsonValueIfValid } from './text.ts';

/** The JSON object in a file; an empty object if the file does not exist. */
export function readJsonFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return {};
    throw unreadable(file, error);
  }
  const data = jsonValueIfValid(text);
  if (isObject(data)) return data;
  throw new UsageError(`${file} is not a JSON object.`, 'Fix it, or move it away.');
}

/** Replaces a JSON file atomically, readable by its owner only. Replaces the target of a symbolic link, not the link. */
export function writeJsonFile(file: string, data: object): void {
  const target = existsSync(file) ? realpathSync(file) : file;
  const temporaryFile = `${target}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeFileSync(temporaryFile, `${JSON.stringify(data, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(temporaryFile, target);
  } catch (error) {
    rmSync(temporaryFile, { force: true });
    throw new UsageError(`${file} cannot be written (${systemCode(error)}).`, 'Check its folder and permissions.');
  }
}

/** More than any server accepts. */
const MAX_TEXT_MIB = 256;

/** Throws if a text is too large, so that an endless device does not fill the memory. */
export function rejectLarge(length: number, name: string): void {
  if (length > MAX_TEXT_MIB * 2 ** 20) throw new UsageError(`${name} has more than ${MAX_TEXT_MIB} MiB.`, 'Split it.');
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
  return new UsageError(`${file} cannot be read (${systemCode(error)}).`, 'Check its name and permissions.');
}
