import type { Schema } from '@petstore/types';

/** The schema that a command line word is parsed by. */
export type Rules = Schema;

/** The source of completions for a value without an enum. */
export type Completes = 'file' | 'profile' | 'properties' | 'setting' | 'setting value';

/** A positional argument. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  readonly rules: Rules;
  readonly required: boolean;
  /** Takes all following words. */
  readonly rest?: true;
  readonly completes?: Completes;
}

/** A flag. A boolean one needs no value. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  readonly description: string;
  /** The name of its value in the help. */
  readonly value?: string;
  readonly rules: Rules;
  /** Required. The command checks this, because other sources may set it. */
  readonly required?: true;
  /** May be repeated. */
  readonly repeatable?: true;
  /** Has a `--no-` form. */
  readonly negatable?: true;
  readonly completes?: Completes;
  /** The input of the operation that it sets. */
  readonly field?: string;
  /** The property of an input that it sets, by its path: `['owner', 'name']`. */
  readonly property?: readonly string[];
  /** The flag of petctl whose name the input has. */
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
