import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { ConnectionError } from '@petstore/client';
import { InterruptedError, OutputError } from '../io/errors.ts';
import type { Io } from '../io/io.ts';
import { escapeControlsInLines } from '../io/text.ts';
import type { Invocation } from '../parse/node.ts';

/** Writes text and bytes as they came. On a terminal, text cannot inject escape sequences. */
export async function writeBody(body: unknown, { io, flags }: Invocation): Promise<void> {
  const { stdout } = io;
  const file = flags.get('output-file');
  const parts = body instanceof ReadableStream ? received(body, io) : [String(body)];
  if (typeof file === 'string') return writeFile(file, parts);
  for await (const part of parts) {
    const isText = typeof part === 'string' && stdout.isTerminal;
    await stdout.write(isText ? escapeControlsInLines(part) : part);
    // Leaving cancels the response.
    if (stdout.gone()) return;
  }
}

/** The bytes of a response as they come. */
async function* received(body: ReadableStream<Uint8Array>, { interrupted }: Io): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    interrupted.throwIfAborted();
    throw new ConnectionError('The connection broke before the whole response was there', { cause });
  }
}

/** Writes a file as a whole or not at all; what is no file, a pipe say, as it comes. */
async function writeFile(file: string, parts: AsyncIterable<Uint8Array> | Iterable<string>): Promise<void> {
  const isPlain = !existsSync(file) || statSync(file).isFile();
  const scratch = isPlain ? `${file}.${process.pid}.tmp` : file;
  try {
    await pipeline(parts, createWriteStream(scratch));
    if (isPlain) renameSync(scratch, file);
  } catch (error) {
    if (isPlain) rmSync(scratch, { force: true });
    const isOurs = error instanceof ConnectionError || error instanceof InterruptedError;
    throw isOurs || !(error instanceof Error) ? error : new OutputError(error);
  }
}
