import { type Operation, operations } from '@petstore/types';
import { operationFlags } from './field-flags.ts';
import { importNode, isImportable } from './import-node.ts';
import type { CommandNode } from './node.ts';
import { ownCommands } from './own-commands.ts';
import { tree } from './tree.ts';

/** All commands there are. A name that would be there twice stops the build. */
export function fullTree(all: readonly Operation[] = Object.values(operations)): CommandNode {
  const root = tree(all, operationFlags);
  const groups = (root.commands ?? []).map((group) => ({ ...group, commands: withImports(group) }));
  const own = ownCommands(all);
  const taken = own.find(({ name }) => groups.some((group) => group.name === name));
  if (taken) throw new Error(`'petctl ${taken.name}' is petctl's own; rename the tag in the spec`);
  return { ...root, commands: [...groups, ...own] };
}

/** The commands of a group, and those that run one of them for each line of a file. */
function withImports({ name: group, commands = [] }: CommandNode): CommandNode[] {
  const importable = commands.flatMap(({ operation, name }) =>
    operation && isImportable(operation) ? [{ operation, name }] : [],
  );
  const imports = importable.map(({ operation, name }) =>
    // By the operation alone, so that no other renames it.
    importNode(operation, name === 'create' ? 'import' : `import-${name}`),
  );
  const taken = imports.find(({ name }) => commands.some((other) => other.name === name));
  if (taken) throw new Error(`'petctl ${group} ${taken.name}' is petctl's own; rename the operation in the spec`);
  return [...commands, ...imports];
}
