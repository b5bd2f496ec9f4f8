// Writes docs/petctl.md from the tree of commands.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { markdown } from '../src/commands/help/pages.ts';
import { fullTree } from '../src/commands/tree.ts';

await writeFile(join(import.meta.dirname, '../../../docs/petctl.md'), markdown(fullTree()));
console.log('wrote docs/petctl.md');
