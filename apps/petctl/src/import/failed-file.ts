import { openSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { CliError, type ErrorKind, UsageError } from '../errors.ts';
import { codeOf } from '../text.ts';
import type { RecordKey } from './record-keys.ts';

/** The file for the records that are not added. It has the format of the file that is imported. */
export class FailedFile {
  readonly #name: string;
  readonly #descriptor: number;
  #header: string;
  /** How many times each content is in the file. */
  readonly #copies = new Map<string, number>();

  /** Creates or empties the file. Throws if that would empty the file that is imported. */
  static open(name: string, header: string, imported: Stats | undefined): FailedFile {
    const before = statSync(name, { throwIfNoEntry: false });
    const isSame = before?.dev === imported?.dev && before?.ino === imported?.ino;
    if (before?.isFile() && isSame)
      throw new UsageError(`--failed: ${name} is the file to import.`, 'Pass another file.');
    try {
      return new FailedFile(name, openSync(name, 'w'), header);
    } catch (error) {
      throw unwritable(name, 'usage', error);
    }
  }

  private constructor(name: string, descriptor: number, header: string) {
    this.#name = name;
    this.#descriptor = descriptor;
    this.#header = header;
  }

  /**
   * Adds a record. The key of a record depends on how many equal records precede it. So before the
   * third of three equal records, the first two are written as well, if the file lacks them.
   */
  add(record: string, key: RecordKey | undefined): void {
    if (key === undefined) return this.#write(record);
    const { content, ordinal } = key;
    let copies = this.#copies.get(content) ?? 0;
    for (; copies <= ordinal; copies++) this.#write(record);
    this.#copies.set(content, copies);
  }

  /** Writes a record, the first one after the header. A file without records stays empty. */
  #write(record: string): void {
    try {
      writeFileSync(this.#descriptor, `${this.#header}${record}\n`);
    } catch (error) {
      throw unwritable(this.#name, 'unwritten', error);
    }
    this.#header = '';
  }
}

function unwritable(name: string, kind: ErrorKind, error: unknown): CliError {
  const message = `${name} cannot be written (${codeOf(error)}).`;
  return new CliError(kind, message, 'Check its folder and the disk.');
}
