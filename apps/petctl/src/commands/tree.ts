import { type Operation, operations, service } from '@petstore/types';
import { type Argument, type Flag, kebab, switchFlag } from '../flags/flag.ts';
import { type CommandNode, commandOf } from '../parse/command.ts';
import { builtinCommands } from './builtin.ts';
import { importNode, isImportable } from './import/command.ts';
import { pathFieldsOf } from './input.ts';
import { runOperation } from './operation.ts';
import { operationFlags } from './operation-flags.ts';

/** The tree of all commands. Throws if an operation has the name of a built-in command. */
export function fullTree(all: readonly Operation[] = Object.values(operations)): CommandNode {
  const root = tree(all);
  const groups = (root.commands ?? []).map((group) => ({ ...group, commands: withImportCommands(group) }));
  const builtin = builtinCommands(all);
  const clash = builtin.find(({ name }) => groups.some((group) => group.name === name));
  if (clash) throw new Error(`'petctl ${clash.name}' is built in: rename the tag in the spec`);
  return { ...root, commands: [...groups, ...builtin] };
}

/** The commands of a group, with an import for each operation that allows it. */
function withImportCommands({ name: group, commands = [] }: CommandNode): CommandNode[] {
  const importable = commands.flatMap(({ operation, name }) =>
    operation && isImportable(operation) ? [{ operation, name }] : [],
  );
  const imports = importable.map(({ operation, name }) =>
    // The name depends on this operation only, so another operation cannot change the name.
    importNode(operation, name === 'create' ? 'import' : `import-${name}`),
  );
  const clash = imports.find(({ name }) => commands.some((other) => other.name === name));
  if (clash) throw new Error(`'petctl ${group} ${clash.name}' is built in: rename the operation in the spec`);
  return [...commands, ...imports];
}

/** The commands of the operations, grouped by tag; the generator guarantees unique names. */
function tree(operations: readonly Operation[]): CommandNode {
  const groups = new Map<string, CommandNode[]>();
  for (const operation of operations) {
    const [group = '', name = ''] = operation.command;
    const commands = groups.get(group) ?? [];
    groups.set(group, commands);
    commands.push(operationNode(operation, name, operations));
  }
  return {
    name: 'petctl',
    summary: `${service.title} from the command line`,
    description: service.summary,
    flags: [switchFlag('version', 'Show the version.')],
    commands: [...groups].map(([name, commands]) => ({ name, summary: `Commands for ${name}`, commands })),
  };
}

function operationNode(operation: Operation, name: string, all: readonly Operation[]): CommandNode {
  const notice = noticeOf(operation, all);
  let flags: readonly Flag[] | undefined;
  return {
    name,
    summary: operation.summary,
    description: operation.description,
    operation,
    args: argumentsOf(operation),
    // Creating flags takes time, so they are created only for the command that is called or shown.
    get flags() {
      flags ??= operationFlags(operation);
      return flags;
    },
    ...(notice && { notice }),
    run: runOperation,
  };
}

/** Path fields as arguments, in the order of the path. */
function argumentsOf(operation: Operation): Argument[] {
  return pathFieldsOf(operation).flatMap((name) => {
    const field = operation.fields[name];
    return field ? [{ name: kebab(name), description: field.description, schema: field.schema, required: true }] : [];
  });
}

/** The notice of a deprecated or unstable operation; undefined for other operations. */
function noticeOf(
  { deprecated, sunset, stability, successor }: Operation,
  all: readonly Operation[],
): string | undefined {
  if (!deprecated) return stability && `${stability}: may still change.`;
  const instead = commandOf(successor, all);
  return `Deprecated${sunset ? `: may be removed from ${sunset} on` : ''}.${instead ? ` Use '${instead}' instead.` : ''}`;
}
