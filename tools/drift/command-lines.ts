// The command lines of petctl that the cases of an operation mean.
import { flagsIn } from '../help.ts';
import type { Inputs } from './cases.ts';
import { printJson } from './exact.ts';
import type { Operation } from './interface.ts';
import { isNode, kebab, pathParameters } from './oracle.ts';

/** One with `--data` for the body, and one with flags if flags can express it. `help` is that of the command. */
export function commandLinesOf(
  operation: Operation,
  { parameters, body }: Inputs,
  help: string,
): string[][] {
  const names = pathParameters(operation.path);
  const flagsFor = (values: Readonly<Record<string, unknown>>) =>
    Object.entries(values).flatMap(([name, value]) => flagFor(operation, name, value, help));
  const inPath = names.map((name) => String(parameters[name]));
  const others = Object.entries(parameters).filter(([name]) => !names.includes(name));
  const words = [...operation.command.split(' '), ...inPath];
  const flags = flagsFor(Object.fromEntries(others));
  if (body === undefined) return [[...words, ...flags]];
  const lines = [[...words, ...flags, `--data=${printJson(body)}`]];
  const values = isNode(body) ? Object.values(body) : [];
  const isFlat = values.every((value) => typeof value !== 'object');
  if (isNode(body) && isFlat) lines.push([...words, ...flags, ...flagsFor(body)]);
  return lines;
}

/** `--category-id=5`; with the place before the name where petctl itself has a flag of this name. */
function flagFor({ parameters }: Operation, name: string, value: unknown, help: string): string[] {
  if (value === undefined) return [];
  const place = parameters.find((each) => each.name === name)?.in ?? 'body';
  const prefixed = `--${place}-${kebab(name)}`;
  const flag = flagsIn(help).includes(prefixed) ? prefixed : `--${kebab(name)}`;
  const values = Array.isArray(value) ? value : [value];
  return values.map((each) => `${flag}=${each}`);
}
