import { createReadStream } from 'node:fs';
import { UsageError } from '../errors/errors.ts';
import type { Io } from '../io.ts';
import { codeOf } from '../settings/json-file.ts';

/** Far more than a server takes. A device has no end at all. */
const MAX_TEXT_MIB = 256;

/** The text of a file, or of stdin where it is `-`. Of bytes that are no UTF-8, other text would be sent. */
export async function readText(file: string, { stdin }: Io): Promise<string> {
  const name = file === '-' ? 'stdin' : file;
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of file === '-' ? stdin() : createReadStream(file)) {
      pieces.push(Buffer.from(piece));
      bytes += piece.length;
      if (bytes > MAX_TEXT_MIB * 2 ** 20) throw new UsageError(`${name} has more than ${MAX_TEXT_MIB} MiB.`);
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(pieces));
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(
      error instanceof TypeError ? `${name} is not in UTF-8.` : `${name} cannot be read (${codeOf(error)}).`,
    );
  }
}
