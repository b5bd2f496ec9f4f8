// `node:fs` for the modules of an edited project. Its `readFileSync` reads edits first: the server reads the spec with it.
import * as fs from 'node:fs';
import { editedText } from './modules.ts';

export * from 'node:fs';
export default fs;

export const readFileSync = ((path: string | URL, encoding?: BufferEncoding) => {
  const text = editedText(import.meta.url, path);
  if (text === undefined) return fs.readFileSync(path, { encoding });
  return encoding === undefined ? Buffer.from(text) : text;
}) as typeof fs.readFileSync;
