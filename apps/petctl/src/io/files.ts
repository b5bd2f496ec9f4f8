import { createReadStream, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { InterruptedError, UsageError } from './errors.ts';
import type { Io } from './io.ts';

/** The JSON object in a file; an empty one if there is no file. */
export function readJsonFile(file: string): Record<string, unknown> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return {};
    throw new UsageError(`${file} cannot be read (${codeOf(error)}).`, 'Check its owner and permissions.');
  }
  try {
    const data: unknown = JSON.parse(text);
    if (isObject(data)) return data;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${file} is not a JSON object.`, 'Fix it, or move it away.');
}

export function isObject(data: unknown): data is Record<string, unknown> {
  return typeof data === 'object' && data !== null && !Array.isArray(data);
}

/** The system's code of an error. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

/** Replaces a JSON file atomically. Only its owner can read it. */
export function writeJsonFile(file: string, data: object): void {
  const scratch = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(scratch, `${JSON.stringify(data, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(scratch, file);
  } catch (error) {
    rmSync(scratch, { force: true });
    throw new UsageError(`${file} cannot be written (${codeOf(error)}).`, 'Check its folder and permissions.');
  }
}

/** Far more than a server accepts. A device may never end. */
const MAX_TEXT_MIB = 256;

/** The text of a file, or of stdin for `-`. Rejects malformed UTF-8, which would be sent as other text. */
export async function readText(file: string, { stdin }: Io): Promise<string> {
  const name = file === '-' ? 'stdin' : file;
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of file === '-' ? stdin() : createReadStream(file)) {
      pieces.push(Buffer.from(piece));
      bytes += piece.length;
      if (bytes > MAX_TEXT_MIB * 2 ** 20)
        throw new UsageError(`${name} has more than ${MAX_TEXT_MIB} MiB.`, 'Split it.');
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces));
  } catch (error) {
    if (error instanceof UsageError || error instanceof InterruptedError) throw error;
    throw new UsageError(
      error instanceof TypeError ? `${name} is not UTF-8.` : `${name} cannot be read (${codeOf(error)}).`,
    );
  }
}
