import type { Schema } from '../old.ts';

/** The source of completions for a value, instead of its schema. */
export type Completes = 'file' | 'properties';

/** A value on a command line. */
interface Value {
  /** Without the dashes of a flag. */
  readonly name: string;
  readonly description: string;
  /** Parses and validates the value. */
  readonly schema: Schema;
  readonly completes?: Completes;
}

/** A positional argument. */
export interface Argument extends Value {
  readonly required: boolean;
  /** Takes all following words, as a list of texts. */
  readonly rest?: true;
}

/** A flag. A boolean flag needs no value. */
export interface Flag extends Value {
  readonly short?: string;
  /** The name of the value in the help, for example `file` in `--data <file>`. */
  readonly valueName?: string;
  /** Required. The command checks this, because another flag, such as `--data`, may set the same input. */
  readonly required?: true;
  /** May be repeated. */
  readonly repeatable?: true;
  /** Has a `--no-` form. */
  readonly negatable?: true;
  /** The input that the flag sets as a whole: a key of `Operation.fields`. */
  readonly field?: string;
  /** The path of the input or property that the flag sets, for example `['limit']` or `['owner', 'name']`. */
  readonly property?: readonly string[];
  /** The name that this flag would have, if none of petctl's own flags had it. */
  readonly collidesWith?: string;
}

/** A flag with a text value, unless `more` has another schema. */
export function valueFlag(name: string, valueName: string, description: string, more?: Partial<Flag>): Flag {
  return { name, valueName, description, schema: { type: 'string' }, ...more };
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
