import type { Operation, Schema } from '@petstore/types';
import type { Invocation } from '../invocation.ts';

/** What a word on the command line is read by: a schema, as the spec writes it. */
export type Rules = Schema;

/** Something that is given by its position. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly rules: Rules;
  readonly required: boolean;
  /** Takes all words that follow. */
  readonly rest?: true;
  /** What a shell completes it with, where the schema has no enum. */
  readonly completes?: 'file';
}

/** Something that is given by its name. A flag of a boolean needs no value. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  readonly description: string;
  /** What a value is called in the help. */
  readonly value?: string;
  readonly rules: Rules;
  /** Has to be given; checked by the command, which knows where else it may come from. */
  readonly required?: true;
  /** May be given more than once. */
  readonly repeatable?: true;
  /** Has a `--no-` form too. */
  readonly negatable?: true;
  readonly completes?: 'file';
  /** The input of the operation that it sets. */
  readonly field?: string;
  /** The property of an input that it sets, by its path: `['owner', 'name']`. */
  readonly property?: readonly string[];
  /** petctl's own flag whose name the input has. */
  readonly insteadOf?: string;
}

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
