import { chmodSync, createWriteStream, existsSync, realpathSync, renameSync, rmSync, statSync } from 'node:fs';
import { ConnectionError } from '@petstore/client';
import { CliError, OutputError } from '../io/errors.ts';
import type { Io } from '../io/process-io.ts';
import { escapeControlsInLines } from '../io/text.ts';
import type { Invocation } from '../parse/command.ts';

type Parts = AsyncIterable<Uint8Array> | Iterable<string>;

/** Writes text or bytes unchanged to the file of --output-file, or to stdout. On a terminal, control characters in text are escaped. */
export async function writeBody(body: unknown, { io, flags }: Invocation): Promise<void> {
  const { stdout } = io;
  const file = flags.get('output-file');
  const parts = body instanceof ReadableStream ? received(body, io) : [String(body)];
  if (typeof file === 'string') return writeFile(file, parts);
  for await (const part of parts) {
    const isText = typeof part === 'string' && stdout.isTerminal;
    await stdout.write(isText ? escapeControlsInLines(part) : part);
    // Leaving the loop cancels the response.
    if (stdout.isClosed()) return;
  }
}

/** The bytes of a response as they arrive. */
async function* received(body: ReadableStream<Uint8Array>, { interrupted }: Io): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    interrupted.throwIfAborted();
    throw new ConnectionError('The connection broke before the whole response had arrived', { cause });
  }
}

/** Replaces a regular file, and writes directly to anything else, for example a pipe. */
async function writeFile(file: string, parts: Parts): Promise<void> {
  try {
    const existing = existsSync(file) ? statSync(file) : undefined;
    if (!existing) await replaceFile(file, parts);
    else if (existing.isFile()) await replaceFile(realpathSync(file), parts, existing.mode & 0o777);
    else await writeParts(file, parts);
  } catch (error) {
    const isUserError = error instanceof ConnectionError || error instanceof CliError;
    throw isUserError ? error : new OutputError(error);
  }
}

/** Writes a temporary file and renames it, so that the file never has only a part of the response. */
async function replaceFile(file: string, parts: Parts, mode?: number): Promise<void> {
  const temporaryFile = `${file}.${process.pid}.tmp`;
  try {
    await writeParts(temporaryFile, parts, mode);
    // The process's umask may have removed permissions.
    if (mode !== undefined) chmodSync(temporaryFile, mode);
    renameSync(temporaryFile, file);
  } catch (error) {
    rmSync(temporaryFile, { force: true });
    throw error;
  }
}

async function writeParts(file: string, parts: Parts, mode = 0o666): Promise<void> {
  // Loaded here, because most calls do not write a file.
  const { pipeline } = await import('node:stream/promises');
  const out = createWriteStream(file, { mode });
  try {
    await pipeline(parts, out);
  } finally {
    // After a failure, the stream may still be opening the file, and would create the file after its removal.
    if (!out.closed) await new Promise((resolve) => out.once('close', resolve));
  }
}
