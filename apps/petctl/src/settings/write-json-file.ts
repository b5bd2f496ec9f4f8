import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from '../errors/errors.ts';
import { codeOf } from './json-file.ts';

/** Writes a file of JSON that only its owner can read, as a whole or not at all. */
export function writeJsonFile(file: string, data: object): void {
  const scratch = `${file}.${process.pid}.tmp`;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(scratch, `${JSON.stringify(data, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(scratch, file);
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${codeOf(error)}).`, 'Look at its folder and permissions.');
  }
}
