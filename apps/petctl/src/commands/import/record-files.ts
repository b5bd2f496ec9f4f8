import { closeSync, createReadStream, existsSync, openSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InterruptedError, OutputError, systemCode, UsageError } from '../../io/errors.ts';
import { unreadable } from '../../io/files.ts';
import type { Io } from '../../io/process-io.ts';
import type { Records } from './records.ts';

/** A file or stdin as chunks. */
export interface Source {
  readonly chunks: AsyncIterable<string>;
  /** How much was read, from 0 to 1; undefined if the length is unknown. */
  readonly progress: () => number | undefined;
  /** Stops reading. */
  readonly close: () => void;
}

/** Opens the file to import. */
export function openSource(file: string, { stdin }: Io): Source {
  const [name, size] = file === '-' ? ['stdin'] : [file, sizeOf(file)];
  const stream = size === undefined ? stdin() : createReadStream(file);
  let [start, read] = [0, 0];
  async function* chunks(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for await (const chunk of stream) {
        start = read;
        read += chunk.length;
        yield decoder.decode(chunk, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      // An error after `close` or an interrupt is expected, so the chunks just end.
      if (stream.destroyed && (error instanceof InterruptedError || systemCode(error) === 'ERR_STREAM_PREMATURE_CLOSE'))
        return;
      if (!(error instanceof TypeError)) throw unreadable(name, error);
      throw new UsageError(
        `${name} is not UTF-8 between byte ${start} and byte ${read}. Records after byte ${start} were not read.`,
        'Convert it to UTF-8.',
      );
    }
  }
  return {
    chunks: chunks(),
    progress: () => (size ? Math.min(1, read / size) : undefined),
    close: () => void stream.destroy(),
  };
}

function sizeOf(file: string): number {
  try {
    const stats = statSync(file);
    if (stats.isDirectory()) throw new UsageError(`${file} is a folder.`, 'Pass a file, or - for stdin.');
    return stats.size;
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(file, error);
  }
}

/** A file for failed or unknown records, in the format of the imported file. */
export interface RecordsFile {
  add(raw: string): void;
  close(): void;
  /** The error of the first failed write; after the error the file is incomplete. */
  readonly error: OutputError | undefined;
}

/** Creates the file of a flag at once, so that an error occurs before a record is sent. */
export function openRecordsFile(
  flag: string,
  recordsFile: string,
  importedFile: string,
  { frame }: Records,
): RecordsFile {
  const descriptor = openForWriting(flag, recordsFile, importedFile);
  let isEmpty = true;
  let failure: OutputError | undefined;
  const write = (text: string) => {
    if (failure) return;
    try {
      writeFileSync(descriptor, text);
    } catch (error) {
      failure = new OutputError(error, `The records for ${recordsFile}`);
    }
  };
  return {
    add: (raw) => {
      write((isEmpty ? frame.head : frame.between) + raw);
      isEmpty = false;
    },
    close: () => {
      if (!isEmpty) write(frame.tail);
      closeSync(descriptor);
    },
    get error() {
      return failure;
    },
  };
}

function openForWriting(flag: string, recordsFile: string, importedFile: string): number {
  if (importedFile !== '-' && isSameFile(recordsFile, importedFile))
    throw new UsageError(`--${flag}: ${recordsFile} is the file to import.`, 'Pass another file.');
  try {
    return openSync(recordsFile, 'w');
  } catch (error) {
    throw new UsageError(`--${flag}: ${recordsFile} cannot be written (${systemCode(error)}).`);
  }
}

/** Whether two flags name the same file. A device such as /dev/stderr can be written to twice. */
export function isSameFile(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  if (!existsSync(one)) return resolve(one) === resolve(other);
  return statSync(one).isFile() && existsSync(other) && realpathSync(one) === realpathSync(other);
}
