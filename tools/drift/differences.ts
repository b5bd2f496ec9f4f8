import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Difference {
  file: string;
  what: 'is missing' | 'does not belong here' | 'differs from what the spec says';
}

/** How a folder differs from what it should hold, byte for byte and in both directions. */
export async function differences(expected: string, actual: string): Promise<Difference[]> {
  const [should, is] = await Promise.all([contents(expected), contents(actual)]);
  const found: Difference[] = [];
  for (const [file, bytes] of should) {
    const there = is.get(file);
    if (!there) found.push({ file, what: 'is missing' });
    else if (!there.equals(bytes)) found.push({ file, what: 'differs from what the spec says' });
  }
  for (const file of is.keys()) if (!should.has(file)) found.push({ file, what: 'does not belong here' });
  return found;
}

async function contents(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(nothingThere);
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(
    await Promise.all(files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)] as const)),
  );
}

function nothingThere(error: NodeJS.ErrnoException): [] {
  if (error.code === 'ENOENT') return [];
  throw error;
}
