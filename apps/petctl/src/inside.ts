// For the drift check: petctl's command tree, parser, completion and pages, and petctl as a function. Not published.
import { readLevel } from './parse/level.ts';
import { type Parsed, parse as parseBy } from './parse/parse.ts';
import type { CommandNode } from './tree/node.ts';

export { candidates } from './completion/candidates.ts';
export { manPages } from './docs/man.ts';
export { markdown } from './docs/markdown.ts';
export { run } from './run.ts';
export { fullTree } from './tree/full-tree.ts';
export { kebab } from './tree/names.ts';
export { type Argument, type CommandNode, type Flag, type Located, walk } from './tree/node.ts';

/** Reads a command line as petctl does. */
export function parse(root: CommandNode, argv: readonly string[]): Parsed {
  return parseBy(root, argv, readLevel);
}
