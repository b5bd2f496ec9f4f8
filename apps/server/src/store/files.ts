import { type FileHandle, open } from 'node:fs/promises';
import { StoreError } from './store.ts';

const PIECE = 2 ** 20;

/** The whole lines of a file, in pieces of about a megabyte. Only the last piece may lack the line feed at its end. */
export async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE), 0, PIECE, null);
      if (bytesRead === 0) break;
      const end = buffer.lastIndexOf(10, bytesRead - 1) + 1;
      if (end > 0) {
        yield Buffer.concat([rest, buffer.subarray(0, end)]);
        rest = buffer.subarray(end, bytesRead);
      } else {
        rest = Buffer.concat([rest, buffer.subarray(0, bytesRead)]);
      }
    }
    if (rest.length > 0) yield rest;
  } finally {
    await file.close();
  }
}

/** The lines of a piece, with their line feeds. */
export function* linesOf(piece: Buffer): Generator<Buffer> {
  for (let start = 0; start < piece.length; ) {
    const end = piece.indexOf(10, start) + 1 || piece.length;
    yield piece.subarray(start, end);
    start = end;
  }
}

/** Writes all bytes at a position. A full disk may take a part first. */
export async function writeAll(file: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await file.write(bytes, done, bytes.length - done, position + done)).bytesWritten;
}

/** Makes new, renamed and removed files of a folder survive a power cut. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

export function damaged(path: string, what: string): StoreError {
  return new StoreError(
    `${path}: ${what}. Nothing was changed; move the folder away and import your last export into a new one.`,
  );
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
