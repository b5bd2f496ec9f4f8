import type { Schema } from '@petstore/types';

/** What a word on the command line is read by: a schema, as the spec writes it. */
export type Rules = Schema;

/** What a shell completes a value with, where the schema has no enum. */
export type Completes = 'file' | 'profile' | 'properties' | 'setting' | 'setting value';

/** Something that is given by its position. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly rules: Rules;
  readonly required: boolean;
  /** Takes all words that follow. */
  readonly rest?: true;
  readonly completes?: Completes;
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
  readonly completes?: Completes;
  /** The input of the operation that it sets. */
  readonly field?: string;
  /** The property of an input that it sets, by its path: `['owner', 'name']`. */
  readonly property?: readonly string[];
  /** petctl's own flag whose name the input has. */
  readonly insteadOf?: string;
}

/** `userId` becomes `user-id`. */
export function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
}
