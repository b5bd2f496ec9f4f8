export { isDeep, rounds } from './depth.ts';
export { makeFolder, newFolder } from './folder.ts';
export { childrenOf } from './processes.ts';
export { missingProgram, missingShell, skips } from './skip.ts';
export { unprivilegedUser } from './unprivileged.ts';
