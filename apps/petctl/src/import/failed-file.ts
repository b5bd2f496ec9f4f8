import { closeSync, openSync, realpathSync, writeFileSync } from 'node:fs';
import { OutputError, UsageError } from '../errors/errors.ts';
import { codeOf } from '../settings/json-file.ts';
import type { Lines } from './records.ts';

/** Where the lines go that are to be given again. */
export interface FailedFile {
  add(raw: string): void;
  close(): void;
  /** Why it does not hold all of them. */
  readonly error: OutputError | undefined;
}

/** Makes the file at once, so that what is wrong with it shows before anything is sent. It stays empty when all works. */
export function openFailedFile(file: string | undefined, input: string, { frame }: Lines): FailedFile {
  if (file === undefined) return { add: () => {}, close: () => {}, error: undefined };
  const handle = opened(file, input);
  let any = false;
  let failure: OutputError | undefined;
  const write = (text: string) => {
    if (failure) return;
    try {
      writeFileSync(handle, text);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      failure = new OutputError(error, 'The lines that are to be given again');
    }
  };
  return {
    add: (raw) => {
      write((any ? frame.between : frame.head) + raw);
      any = true;
    },
    close: () => {
      if (any) write(frame.tail);
      closeSync(handle);
    },
    get error() {
      return failure;
    },
  };
}

function opened(file: string, input: string): number {
  if (input !== '-' && real(file) === realpathSync(input))
    throw new UsageError(`--failed: ${file} is the file that is read.`, 'Give another one.');
  try {
    return openSync(file, 'w');
  } catch (error) {
    throw new UsageError(`--failed: ${file} cannot be written (${codeOf(error)}).`);
  }
}

function real(file: string): string | undefined {
  try {
    return realpathSync(file);
  } catch {
    // It is not there yet.
    return undefined;
  }
}
