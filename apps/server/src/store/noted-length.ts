import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedLine, contentOf } from './checked-line.ts';
import { damaged, replaceFile, writeAll } from './disk.ts';

const NAME = 'journal-length.json';

/** How long a journal was when it was last noted. A shorter one has lost acknowledged writes. */
export interface NotedLength {
  readonly number: number;
  readonly bytes: number;
}

export async function writeNotedLength(folder: string, length: NotedLength): Promise<void> {
  const line = checkedLine(JSON.stringify(length), 0);
  const { file } = await replaceFile(join(folder, NAME), (made) => writeAll(made, line, 0));
  await file.close();
}

/** Undefined if no length was noted yet. */
export async function readNotedLength(folder: string): Promise<NotedLength | undefined> {
  const path = join(folder, NAME);
  if (!existsSync(path)) return undefined;
  const content = contentOf(await readFile(path), 0);
  if (content === undefined) throw damaged(path, 'it is damaged');
  return JSON.parse(content);
}
