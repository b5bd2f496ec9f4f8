import type { Operation } from '@petstore/types';
import { runOperation } from '../call/run-operation.ts';
import { argumentsOf } from './arguments.ts';
import type { CommandName } from './names.ts';
import type { CommandNode, Flag } from './node.ts';

/** What makes the flags of an operation's command. */
export type FlagsOf = (operation: Operation) => readonly Flag[];

/** The command of an operation. */
export function operationNode(
  operation: Operation,
  name: string,
  names: Map<Operation, CommandName>,
  flagsOf: FlagsOf,
): CommandNode {
  const notice = noticeOf(operation, names);
  let flags: readonly Flag[] | undefined;
  return {
    name,
    summary: operation.summary,
    description: operation.description,
    operation,
    args: argumentsOf(operation),
    // Only the command that is called, or shown, needs them.
    get flags() {
      flags ??= flagsOf(operation);
      return flags;
    },
    ...(notice && { notice }),
    run: runOperation,
  };
}

/** What the spec says of an operation's future. */
function noticeOf(operation: Operation, names: Map<Operation, CommandName>): string | undefined {
  const { deprecated, sunset, stability } = operation;
  if (!deprecated) return stability && `${stability}: it may still change.`;
  const successor = successorOf(operation, names);
  return `Deprecated${sunset ? `, and may be gone from ${sunset} on` : ''}.${successor ? ` Use '${successor}' instead.` : ''}`;
}

/** The command to use instead of a deprecated one. */
export function successorOf({ successor }: Operation, names: Map<Operation, CommandName>): string | undefined {
  for (const [{ id }, { group, name }] of names) if (id === successor) return `petctl ${group} ${name}`;
  return undefined;
}
