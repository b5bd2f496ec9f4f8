import { openAsBlob, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname } from 'node:path';
import { blob } from 'node:stream/consumers';
import { isBinary, type Operation, propertiesOf, resolved, type Schema } from '@petstore/types';
import { unreadable } from '../io/files.ts';
import type { Io } from '../io/process-io.ts';
import { isObject } from '../io/text.ts';
import type { Input } from '../parse/command.ts';

/** A copy of the input of a multipart body in which files replace `@FILE`. */
export async function withFiles(input: Input, { fields, body }: Operation, io: Io): Promise<Input> {
  if (body?.whole && fields.body && isObject(input.body)) {
    const schemas = propertiesOf(fields.body.schema);
    return {
      ...input,
      body: await mapValues(input.body, (value, name) => fileOrValue(value, schemas[name] ?? {}, io)),
    };
  }
  return mapValues(input, (value, name) => {
    const { in: location = 'body', schema = {} } = fields[name] ?? {};
    return location === 'body' ? fileOrValue(value, schema, io) : value;
  });
}

async function mapValues(values: Input, map: (value: unknown, name: string) => unknown) {
  const entries = Object.entries(values).map(async ([name, value]) => [name, await map(value, name)]);
  return Object.fromEntries(await Promise.all(entries));
}

/** The file that a word of a form part names, or the files of a list of words. Returns any other value unchanged. */
async function fileOrValue(value: unknown, schema: Schema, io: Io): Promise<unknown> {
  const { items = {}, description, deprecated, ...rest } = resolved(schema);
  // A list in a list is JSON, which contains no files.
  if (Array.isArray(value))
    return Promise.all(value.map((item) => (Array.isArray(item) ? item : fileOrValue(item, items, io))));
  // A schema without rules allows a file, too.
  const mayBeFile = isBinary(schema) || Object.keys(rest).length === 0;
  return mayBeFile && typeof value === 'string' && value.startsWith('@') ? openFile(value, io) : value;
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
