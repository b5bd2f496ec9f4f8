import { type Operation, service } from '@petstore/types';
import { commandNames } from './names.ts';
import type { CommandNode } from './node.ts';
import { type FlagsOf, operationNode } from './operation-node.ts';

/** The commands of the operations, grouped by their tags. Without `flagsOf` they have no flags of their own. */
export function tree(operations: readonly Operation[], flagsOf: FlagsOf = () => []): CommandNode {
  const names = commandNames(operations);
  const groups = new Map<string, CommandNode[]>();
  for (const [operation, { group, name }] of names) {
    const commands = groups.get(group) ?? [];
    groups.set(group, commands);
    commands.push(operationNode(operation, name, names, flagsOf));
  }
  return {
    name: 'petctl',
    summary: `${service.title} from the command line`,
    description: service.summary,
    flags: [{ name: 'version', description: 'Show the version.', rules: { type: 'boolean' } }],
    commands: [...groups].map(([name, commands]) => ({ name, summary: `Commands for ${name}`, commands })),
  };
}
