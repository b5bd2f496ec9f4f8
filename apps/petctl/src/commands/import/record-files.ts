import { closeSync, createReadStream, existsSync, fstatSync, openSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { InterruptedError, OutputError, systemCode, UsageError } from '../../io/errors.ts';
import { unreadable } from '../../io/files.ts';
import type { Io } from '../../io/process-io.ts';
import type { Invocation } from '../../parse/command.ts';
import type { ImportedRecords } from './records.ts';

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
  const name = file === '-' ? 'stdin' : file;
  const stream = file === '-' ? stdin() : createReadStream(file);
  let [size, start, read] = [0, 0, 0];
  stream.on('open', (descriptor: number) => {
    size = fstatSync(descriptor).size;
  });
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

export type RecordsFiles = ReturnType<typeof openRecordsFiles>;

/** Opens the files of --failed and --unknown, if these flags are set, before a record is sent. */
export function openRecordsFiles(flags: Invocation['flags'], importedFile: string, { frame }: ImportedRecords) {
  if (isSameFile(flags.get('failed'), flags.get('unknown')))
    throw new UsageError('--failed and --unknown name the same file.', 'Pass two files.');
  const [failed, unknown] = ['failed', 'unknown'].map((flag) => {
    const recordsFile = flags.get(flag);
    if (typeof recordsFile !== 'string') return undefined;
    if (isSameFile(recordsFile, importedFile === '-' ? '/dev/stdin' : importedFile))
      throw new UsageError(`--${flag}: ${recordsFile} is the file to import.`, 'Pass another file.');
    return createRecordsFile(flag, recordsFile, frame);
  });
  return { failed, unknown, error: () => failed?.error ?? unknown?.error };
}

/** Creates the file of a flag for records in the format of the imported file. */
function createRecordsFile(flag: string, recordsFile: string, frame: ImportedRecords['frame']) {
  let descriptor: number;
  try {
    descriptor = openSync(recordsFile, 'w');
  } catch (error) {
    throw new UsageError(
      `--${flag}: ${recordsFile || "''"} cannot be written (${systemCode(error)}).`,
      'Check its folder and permissions.',
    );
  }
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
    add: (raw: string) => {
      write((isEmpty ? frame.head : frame.between) + raw);
      isEmpty = false;
    },
    close: () => {
      if (!isEmpty) write(frame.tail);
      closeSync(descriptor);
    },
    /** The error of the first failed write; after the error the file is incomplete. */
    get error() {
      return failure;
    },
  };
}

/** Whether two names lead to the same file. A device such as /dev/stderr can be written to twice. */
function isSameFile(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return false;
  if (!existsSync(one) || !existsSync(other)) return resolve(one) === resolve(other);
  const [first, second] = [statSync(one), statSync(other)];
  return first.isFile() && first.dev === second.dev && first.ino === second.ino;
}
