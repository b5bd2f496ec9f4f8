// Writes docs/petctl.md, and the list of man pages that npm links, from the tree of commands.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../src/call/client.ts';
import { manPages, markdown } from '../src/commands/help/pages.ts';
import { fullTree } from '../src/commands/tree.ts';

const manifest = join(import.meta.dirname, '../package.json');
const root = fullTree();
const man = [...manPages(root, version).keys()].map((file) => `./dist/man/${file}`);
await writeFile(join(import.meta.dirname, '../../../docs/petctl.md'), markdown(root));
await writeFile(
  manifest,
  `${JSON.stringify({ ...JSON.parse(await readFile(manifest, 'utf8')), man }, undefined, 2)}\n`,
);
console.log('wrote docs/petctl.md, and the man pages in apps/petctl/package.json');
