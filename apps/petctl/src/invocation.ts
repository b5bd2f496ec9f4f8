import type { Operation } from '@petstore/types';
import type { HttpTransport } from './call/transport.ts';
import type { Io } from './io.ts';
import type { Resolved } from './settings/resolve.ts';
import type { CommandNode, Located } from './tree/node.ts';

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
