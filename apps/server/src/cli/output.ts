import { pipeline } from 'node:stream/promises';
import { reasonOf } from '../files/files.ts';
import { UsageError } from './errors.ts';

/** Writes parts to stdout with backpressure. Rejects if they cannot all be written, unlike `console.log`. */
export async function writeOutput(parts: Iterable<string> | AsyncIterable<Uint8Array>): Promise<void> {
  try {
    await pipeline(parts, process.stdout, { end: false });
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error && error.syscall === 'write')) throw error;
    const reason = reasonOf(error);
    throw new UsageError(
      reason === 'EPIPE'
        ? 'the program that reads the output closed it early; the output is incomplete.'
        : `the output cannot be written (${reason}) and is incomplete; write it to another place.`,
    );
  }
}
