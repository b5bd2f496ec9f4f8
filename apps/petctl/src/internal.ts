// Not published. For the tools of this repository: the command tree, the parser, the pages, and petctl as a function.

export { candidates } from './commands/completion.ts';
export { fullTree } from './commands/tree.ts';
export type { Argument, Flag } from './flags/flag.ts';
export { kebab } from './flags/flag.ts';
export type { Io, Sink } from './io/process-io.ts';
export { schemes } from './keys/credentials.ts';
export { type CommandAtPath, type CommandNode, globalFlags, walk } from './parse/command.ts';
export { parse } from './parse/parser.ts';
export { type RunOptions, reportError, run } from './run.ts';
