import { createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { OutputError } from '../errors/errors.ts';
import type { Invocation } from '../invocation.ts';
import { escapeControlsInLines } from './escape-controls.ts';

/** Writes text and bytes as they came. On a terminal, text cannot inject escape sequences. */
export async function writeBody(body: unknown, { io: { stdout }, flags }: Invocation): Promise<void> {
  const file = flags.get('output-file');
  if (typeof file === 'string') return writeFile(file, body instanceof ReadableStream ? body : [String(body)]);
  if (!(body instanceof ReadableStream)) {
    const text = String(body);
    return stdout.write(stdout.isTerminal ? escapeControlsInLines(text) : text);
  }
  for await (const bytes of body as ReadableStream<Uint8Array>) {
    await stdout.write(bytes);
    // Cancels the response.
    if (stdout.gone()) return;
  }
}

/** Writes a file as a whole or not at all; what is no file, a pipe say, as it comes. */
async function writeFile(file: string, body: ReadableStream | string[]): Promise<void> {
  const isPlain = !existsSync(file) || statSync(file).isFile();
  const scratch = isPlain ? `${file}.${process.pid}.tmp` : file;
  let failure: Error | undefined;
  const to = createWriteStream(scratch).on('error', (error) => {
    failure = error;
  });
  try {
    await pipeline(body, to);
    if (isPlain) renameSync(scratch, file);
  } catch (error) {
    if (isPlain) rmSync(scratch, { force: true });
    if (failure && error === failure) throw new OutputError(failure);
    throw error;
  }
}
