import { openAsBlob, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { blob } from 'node:stream/consumers';
import { isBinary, type Operation, propertiesOf, resolved, type Schema } from '@petstore/types';
import { unreadable } from '../io/files.ts';
import type { Io } from '../io/process-io.ts';
import { isObject } from '../io/text.ts';

/** A copy of the input of a multipart body in which files replace `@FILE`. */
export async function withFiles(
  input: Record<string, unknown>,
  { fields, body }: Operation,
  io: Io,
): Promise<Record<string, unknown>> {
  if (body?.whole && fields.body) {
    const whole = input.body;
    return isObject(whole)
      ? { ...input, body: await replaceFiles(whole, propertiesOf(fields.body.schema), io) }
      : input;
  }
  const schemas = Object.entries(fields).filter(([, field]) => field.in === 'body');
  return replaceFiles(input, Object.fromEntries(schemas.map(([name, { schema }]) => [name, schema])), io);
}

/** A copy in which binary properties are files. */
async function replaceFiles(
  values: Record<string, unknown>,
  schemas: Readonly<Record<string, Schema>>,
  io: Io,
): Promise<Record<string, unknown>> {
  const entries = Object.entries(values).map(async ([name, value]) => {
    const schema = schemas[name] ?? {};
    const replaceFile = (item: unknown, schema: Schema) =>
      mayBeFile(schema) && typeof item === 'string' && item.startsWith('@') ? openFile(item, io) : item;
    const { items = {} } = resolved(schema);
    return [
      name,
      Array.isArray(value)
        ? await Promise.all(value.map((item) => replaceFile(item, items)))
        : await replaceFile(value, schema),
    ];
  });
  return Object.fromEntries(await Promise.all(entries));
}

/** Whether a form part may be a file: its schema is binary or empty. */
function mayBeFile(schema: Schema): boolean {
  const { description, deprecated, ...rest } = resolved(schema);
  return isBinary(schema) || Object.keys(rest).length === 0;
}

/** The binary body of `--data`: a file for `@FILE`, a stream for stdin, and otherwise the bytes of the word. */
export async function openBytes(word: string, io: Io): Promise<Blob | ReadableStream<Uint8Array>> {
  if (word === '-' || word === '@-') return ReadableStream.from<Uint8Array>(io.stdin());
  return word.startsWith('@') ? openFile(word, io) : new Blob([word]);
}

/** Opens `@FILE`, optionally with `;type=image/png` and `;filename=cat.png`; `@-` is stdin. */
async function openFile(word: string, io: Io): Promise<File> {
  const [, path = '', parameters = ''] = /^@(.*?)((?:;(?:type|filename)=[^;]*)*)$/s.exec(word) ?? [];
  const options = new Map(
    [...parameters.matchAll(/;(type|filename)=([^;]*)/g)].map(([, name = '', value = '']) => [name, value]),
  );
  const name = options.get('filename') ?? (path === '-' ? 'stdin' : basename(path));
  const type = options.get('type') ?? MEDIA_TYPES[extname(name).toLowerCase()] ?? 'application/octet-stream';
  // Stdin is read completely, because a form states the size of its parts.
  return new File([path === '-' ? await blob(io.stdin()) : await contentOf(path)], name, { type });
}

async function contentOf(path: string): Promise<Blob> {
  try {
    // A pipe has no size, so the whole content of the pipe is read.
    return statSync(path).isFile() ? await openAsBlob(path) : new Blob([await readFile(path)]);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The media types of common file extensions. */
const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.avif': 'image/avif',
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.gz': 'application/gzip',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webm': 'video/webm',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.zip': 'application/zip',
};
