import { openSync, type Stats, statSync, writeFileSync } from 'node:fs';
import { CliError, type ErrorKind, UsageError } from '../errors.ts';
import { codeOf } from '../text.ts';

/** The file with the records that are not added. It has the format of the file that is imported. */
export class FailedFile {
  readonly #name: string;
  readonly #descriptor: number;
  #header: string;

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

  /** Adds a record so many times. Without records, the file stays empty. */
  add(record: string, copies: number): void {
    try {
      for (let i = 0; i < copies; i++) {
        writeFileSync(this.#descriptor, `${this.#header}${record}\n`);
        this.#header = '';
      }
    } catch (error) {
      throw unwritable(this.#name, 'unwritten', error);
    }
  }
}

function unwritable(name: string, kind: ErrorKind, error: unknown): CliError {
  const message = `${name} cannot be written (${codeOf(error)}).`;
  return new CliError(kind, message, 'Check its folder and the disk.');
}
