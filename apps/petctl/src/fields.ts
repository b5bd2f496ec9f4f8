import type { Field } from '@petstore/types';
import { Argument, InvalidArgumentError, Option } from 'commander';
import { kebab } from './names.ts';

/** A path field as a positional argument. */
export function argumentFor(name: string, field: Field): Argument {
  return new Argument(`<${kebab(name)}>`, describe(field)).argParser((text) => parse(field, text));
}

/** Any other field as a flag. Whether it is required is checked by the command, which knows where else it may come from. */
export function optionFor(name: string, field: Field): Option {
  const flag = `--${kebab(name)}`;
  const option = new Option(field.type === 'boolean' ? flag : `${flag} <${field.type}>`, describe(field));
  if (field.choices) return option.choices(field.choices.map(String));
  return option.argParser((text: string) => parse(field, text));
}

function describe({ description, minimum, maximum, default: standard }: Field): string {
  const range = minimum !== undefined && maximum !== undefined ? `${minimum} to ${maximum}` : undefined;
  const notes = [range, standard === undefined ? undefined : `server default: ${standard}`].filter(
    (note) => note !== undefined,
  );
  return notes.length > 0 ? `${description} (${notes.join('; ')})` : description;
}

function parse(field: Field, text: string): unknown {
  if (field.type !== 'integer') return text;
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('It has to be a whole number in decimal digits.');
  const value = Number(text);
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = field;
  if (value < minimum || value > maximum) throw new InvalidArgumentError(`It has to be from ${minimum} to ${maximum}.`);
  return value;
}
