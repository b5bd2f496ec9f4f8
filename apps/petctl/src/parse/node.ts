import type { Operation } from '@petstore/types';
import type { HttpTransport } from '../io/http.ts';
import type { Io } from '../io/io.ts';
import type { Argument, Flag } from '../settings/flag.ts';
import type { Resolved } from '../settings/resolve.ts';

/** A command, or a group of them, as data: the parser, the help, the man pages and the completion are all made from it. */
export interface CommandNode {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  /** What comes behind `petctl <names>` in an example, and what it does. */
  readonly examples?: readonly (readonly [line: string, does: string])[];
  readonly args?: readonly Argument[];
  readonly flags?: readonly Flag[];
  readonly commands?: readonly CommandNode[];
  readonly operation?: Operation;
  /** What is said of its future, in one sentence. */
  readonly notice?: string;
  /** Not shown, nor completed. */
  readonly hidden?: true;
  /** Words are handed over as they are. */
  readonly verbatim?: true;
  readonly run?: (invocation: Invocation) => Promise<void>;
}

/** A command with the names that lead to it, without `petctl` itself. */
export interface Located {
  readonly path: readonly string[];
  readonly node: CommandNode;
}

/** Every command below a node that is shown, the node itself first. */
export function* walk(node: CommandNode, path: readonly string[] = []): Generator<Located> {
  yield { path, node };
  for (const child of node.commands ?? []) if (!child.hidden) yield* walk(child, [...path, child.name]);
}

/** The arguments and flags of a command, read and checked. */
export interface CommandInput {
  readonly args: readonly unknown[];
  /** By the name of the flag. */
  readonly flags: ReadonlyMap<string, unknown>;
}

/** A command to run, and all that it runs with. */
export interface Invocation extends Located, CommandInput {
  readonly root: CommandNode;
  /** All operations of the service. */
  readonly operations: readonly Operation[];
  readonly settings: Resolved;
  readonly io: Io;
  readonly transport: HttpTransport;
}

/** The command of the operation with this identifier. */
export function commandOf(id: string | undefined, operations: readonly Operation[]): string | undefined {
  const found = operations.find((operation) => operation.id === id);
  return found && `petctl ${found.command.join(' ')}`;
}
