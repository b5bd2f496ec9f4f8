import type { Schema } from '@petstore/types';

/** The source of completions for a value without an enum. */
export type Completes = 'file' | 'profile' | 'properties' | 'setting' | 'setting value';

/** A positional argument. */
export interface Argument {
  readonly name: string;
  readonly description: string;
  /** Parses and validates the word. */
  readonly schema: Schema;
  readonly required: boolean;
  /** Takes all following words, as a list of texts. */
  readonly rest?: true;
  readonly completes?: Completes;
}

/** A flag. A boolean flag needs no value. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  readonly short?: string;
  readonly description: string;
  /** The name of the value in the help, for example `file` in `--data <file>`. */
  readonly value?: string;
  /** Parses and validates the value. */
  readonly schema: Schema;
  /** Required. The command checks this, because other sources may set it. */
  readonly required?: true;
  /** May be repeated. */
  readonly repeatable?: true;
  /** Has a `--no-` form. */
  readonly negatable?: true;
  readonly completes?: Completes;
  /** The input of the operation that the flag sets. */
  readonly field?: string;
  /** The path of the input or property that the flag sets, for example `['limit']` or `['owner', 'name']`. */
  readonly property?: readonly string[];
  /** The flag of petctl that has the name of the input, so that this flag needs another name. */
  readonly collidesWith?: string;
}

/** A flag with a text value, unless `more` has another schema. */
export function valueFlag(name: string, value: string, description: string, more?: Partial<Flag>): Flag {
  return { name, value, description, schema: { type: 'string' }, ...more };
}

/** A boolean flag. */
export function switchFlag(name: string, description: string, more?: Partial<Flag>): Flag {
  return { name, description, schema: { type: 'boolean' }, ...more };
}

/** A required argument with a text value, unless `more` says otherwise. */
export function textArgument(name: string, description: string, more?: Partial<Argument>): Argument {
  return { name, description, schema: { type: 'string' }, required: true, ...more };
}

/** The words on a command line that are this flag. */
export function flagWords({ name, negatable }: Flag): string[] {
  return negatable ? [`--${name}`, `--no-${name}`] : [`--${name}`];
}

/** `userId` becomes `user-id`. */
export function kebab(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .replace(/[^A-Za-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .toLowerCase();
}
