import { createReadStream, statSync } from 'node:fs';
import { UsageError } from '../errors/errors.ts';
import type { Io } from '../io.ts';
import { codeOf } from '../settings/json-file.ts';

/** A file that is read bit by bit, or stdin. */
export interface Source {
  readonly chunks: AsyncIterable<string>;
  /** How much of it was read, from 0 to 1; nothing where its length is not known. */
  readonly progress: () => number | undefined;
  /** Ends the reading. */
  readonly close: () => void;
}

/** Opens what is to be imported. */
export function openSource(file: string, { stdin }: Io): Source {
  const size = file === '-' ? undefined : sizeOf(file);
  const stream = size === undefined ? stdin() : createReadStream(file);
  let read = 0;
  async function* chunks(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { fatal: true });
    try {
      for await (const chunk of stream) {
        read += chunk.length;
        yield decoder.decode(chunk, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      if (stream.destroyed && codeOf(error) === 'ERR_STREAM_PREMATURE_CLOSE') return;
      if (!(error instanceof TypeError)) throw new UsageError(`${file} cannot be read (${codeOf(error)}).`);
      throw new UsageError(`${file} is not in UTF-8, somewhere behind byte ${Math.max(0, read - 65_536)}.`);
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
    const about = statSync(file);
    if (about.isDirectory()) throw new UsageError(`${file} is a folder.`, 'Give a file, or - for stdin.');
    return about.size;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} cannot be read (${codeOf(error)}).`);
  }
}
