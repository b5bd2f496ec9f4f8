import type { Operation } from '@petstore/types';
import type { Argument, CommandNode, Flag, Located } from 'petctl/internal';
import type { Check, Finding } from '../check.ts';
import type { Spec } from '../openapi.ts';
import type { Project } from '../project.ts';
import { type Input, inputsOf, samplesOf } from './petctl/inputs.ts';

type Petctl = typeof import('petctl/internal');

/** petctl's functions, and what they are called with. */
interface Loaded extends Petctl {
  spec: Spec;
  tree: CommandNode;
  manual: Map<string, string>;
}

export const petctl: Check = {
  name: 'petctl',
  guarantee:
    "petctl has a command for each operation with the spec's texts, inputs, bounds, enums and defaults, in parser, completion and pages.",
  run: async (project) => {
    const functions = await project.load<Petctl>('petctl/internal');
    const tree = functions.fullTree();
    const loaded: Loaded = { ...functions, spec: project.spec, tree, manual: functions.manPages(tree, 'any') };
    const operations = project.spec.model.rows.map(({ operation }) => operation);
    const commands = [...functions.walk(tree)].filter(
      ({ path, node }) => node.operation && !path.at(-1)?.startsWith('import'),
    );
    const unknown = commands.filter(({ node }) => !operations.some((one) => one.id === node.operation?.id));
    const reference = 'docs/petctl.md';
    return [
      ...unknown.map(({ path }) => finding(path, 'there is such a command', 'there is no such operation')),
      ...operations.flatMap((operation) => {
        const { id } = operation;
        const command = commands.find(({ node }) => node.operation?.id === id);
        return command
          ? compare(loaded, command, operation)
          : [finding([id], 'it has no command', 'it is an operation')];
      }),
      ...manErrors(project, loaded),
      ...(project.exists(reference) && project.read(reference) === functions.markdown(tree)
        ? []
        : [
            {
              where: reference,
              actual: 'it is not what petctl generates',
              expected: 'it is generated',
              fix: 'npm run docs',
            },
          ]),
    ];
  },
};

/** The manual pages that the package installs are those that there are. */
function manErrors(project: Project, { manual }: Loaded): Finding[] {
  const file = 'apps/petctl/package.json';
  const { man = [] }: { man?: string[] } = JSON.parse(project.read(file));
  const [listed, made] = [man.map((path) => path.replace(/^.*\//, '')), [...manual.keys()]];
  return [
    ...made
      .filter((page) => !listed.includes(page))
      .map((page) => ({ page, actual: 'its list of man lacks it', expected: 'there is such a page' })),
    ...listed
      .filter((page) => !made.includes(page))
      .map((page) => ({ page, actual: 'its list of man has it', expected: 'there is no such page' })),
  ].map(({ page, ...rest }) => ({ where: `${file} ${page}`, ...rest, fix: 'npm run docs' }));
}

const finding = (path: readonly string[], actual: string, expected: string): Finding => ({
  where: `petctl ${path.join(' ')}`,
  actual,
  expected,
  fix: 'npm run generate, or apps/petctl/src/commands',
});

function compare(loaded: Loaded, { path, node }: Located, operation: Operation): Finding[] {
  const { sunset, deprecated } = operation;
  const inputs = inputsOf(loaded.spec, operation);
  const isKnown = (field: string) => inputs.some(({ name }) => name === field || field.startsWith(`${name}.`));
  const unknown = (node.flags ?? []).filter(({ field }) => field && !isKnown(field));
  return [
    ...unlessSame(path, 'the summary', node.summary, operation.summary),
    ...unlessSame(path, 'the description', node.description, operation.description),
    ...unlessSame(path, 'the deprecation', node.notice?.startsWith('Deprecated') ?? false, deprecated),
    ...(sunset && !node.notice?.includes(sunset)
      ? [finding(path, `its notice is '${node.notice}'`, `x-sunset: ${sunset}`)]
      : []),
    ...unknown.map(({ name }) => finding(path, `it takes --${name}`, 'there is no such input')),
    ...inputs.flatMap((input) => {
      const taken =
        input.in === 'path'
          ? node.args?.find(({ name }) => name === loaded.kebab(input.name))
          : node.flags?.find(({ field }) => field === input.name);
      const where = [...path, `${input.in} ${input.name}`];
      return taken
        ? compareInput(loaded, where, path, input, taken, inputs)
        : [finding(where, 'it is neither a flag nor an argument', `it is an input in the ${input.in}`)];
    }),
  ];
}

function compareInput(
  loaded: Loaded,
  where: readonly string[],
  path: readonly string[],
  input: Input,
  taken: Argument | Flag,
  inputs: readonly Input[],
): Finding[] {
  const manual = loaded.manual.get(`petctl-${path.join('-')}.1`) ?? '';
  return [
    ...(input.isWhole ? [] : unlessSame(where, 'the description', taken.description, input.description)),
    ...unlessSame(where, 'being required', taken.required ?? false, input.required),
    ...(input.isWhole ? [] : unlessSame(where, 'the default', taken.rules.default, input.schema.default)),
    ...(input.isWhole ? [] : unlessSame(where, 'the enum', taken.rules.enum, input.schema.enum)),
    ...(manual.includes(taken.name.replaceAll('-', '\\-'))
      ? []
      : [finding(where, 'the manual page does not show it', 'it is an input')]),
    ...misparsed(loaded, input, taken, path, inputs),
    ...incomplete(loaded, input, taken, path),
  ];
}

function unlessSame(where: readonly string[], property: string, actual: unknown, expected: unknown): Finding[] {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)];
  return is === should ? [] : [finding(where, `${property} is ${is}`, `${should}`)];
}

/** What the parser makes wrong of values that the spec allows, and of those next to them. */
function misparsed(
  { parse, tree, spec }: Loaded,
  input: Input,
  taken: Argument | Flag,
  path: readonly string[],
  inputs: readonly Input[],
): Finding[] {
  const argumentValues = (tried?: string) =>
    inputs.filter((one) => one.in === 'path').map((one) => (one === input ? tried : undefined) ?? wordFor(spec, one));
  return samplesOf(spec, input).flatMap(([text, allowed]) => {
    const isFlag = 'field' in taken;
    const words = isFlag ? [`--${taken.name}=${text}`, '--', ...argumentValues()] : ['--', ...argumentValues(text)];
    let accepted = true;
    try {
      parse(tree, [...path, ...words]);
    } catch {
      accepted = false;
    }
    if (accepted === allowed) return [];
    const actual = `the parser ${accepted ? 'accepts' : 'rejects'} '${text}'`;
    return [finding([...path, taken.name], actual, allowed ? 'it is allowed' : 'it is not allowed')];
  });
}

/** A word that the spec allows. */
function wordFor(spec: Spec, input: Input): string {
  return samplesOf(spec, input).find(([, allowed]) => allowed)?.[0] ?? '1';
}

/** What the completion of a flag lacks. */
function incomplete(
  { candidates, tree }: Loaded,
  input: Input,
  taken: Argument | Flag,
  path: readonly string[],
): Finding[] {
  const offered = (...words: string[]) => candidates(tree, [...path, ...words]).words.map(([word]) => word);
  if (!('field' in taken)) return [];
  const where = [...path, taken.name];
  if (!offered('--').includes(`--${taken.name}`))
    return [finding(where, 'completion does not offer it', 'it is an input')];
  const values = (input.isWhole ? [] : (input.schema.enum ?? [])).filter((value) => value !== null);
  return values
    .map(String)
    .filter((value) => !offered(`--${taken.name}`, '').includes(value))
    .map((value) => finding(where, `completion does not offer '${value}'`, 'it is in the enum'));
}
