import type { Operation } from '@petstore/types';

/** The names that lead to an operation's command. */
export interface CommandName {
  readonly group: string;
  readonly name: string;
}

/** The two words of each operation's command. The generator has seen to it that no two share them. */
export function commandNames(operations: readonly Operation[]): Map<Operation, CommandName> {
  return new Map(operations.map((operation) => [operation, nameOf(operation)]));
}

function nameOf({ command: [group = '', name = ''] }: Operation): CommandName {
  return { group, name };
}

/** `userId` becomes `user-id`. */
export function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
}
