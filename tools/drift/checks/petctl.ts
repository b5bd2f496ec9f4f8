import type { Operation } from '@petstore/types';
import type { Argument, CommandNode, Flag, Located } from 'petctl/internal';
import { type Check, type Finding, withoutExample } from '../check.ts';
import { operationOf, type Spec } from '../openapi.ts';
import type { Project } from '../project.ts';
import { type Input, inputsOf, samplesOf } from './petctl/inputs.ts';
import { runPetctl } from './petctl/run.ts';
import { wronglyRun } from './petctl/sent.ts';
import {
  type Surface,
  surfacesOf,
  unsaidOfCommand,
  unsaidOfInput,
  unsaidOfOwn,
  wrongExamples,
} from './petctl/shown.ts';

type Petctl = typeof import('petctl/internal');
type Client = typeof import('@petstore/client');

/** petctl's functions, and what they are called with. */
interface Loaded extends Petctl {
  spec: Spec;
  tree: CommandNode;
  manual: Map<string, string>;
}

export const petctl: Check = {
  name: 'petctl',
  guarantee:
    'petctl has one command for each operation. It accepts valid input, sends the request that OpenAPI requires, shows each property of a response, and exits with the documented code. Completion, help, manual pages and reference contain each text, type, bound, enum, default and deprecation of the spec.',
  run: async (project) => {
    const functions = await project.load<Petctl>('petctl/internal');
    const tree = functions.fullTree();
    const loaded: Loaded = { ...functions, spec: project.spec, tree, manual: functions.manPages(tree, 'any') };
    const operations = project.spec.model.rows.map(({ operation }) => operation);
    const commands = [...functions.walk(tree)].filter(
      ({ path, node }) => node.operation && !path.at(-1)?.startsWith('import'),
    );
    const unknown = commands.filter(({ node }) => !operations.some((one) => one.id === node.operation?.id));
    const file = 'docs/petctl.md';
    const reference = project.exists(file) ? project.read(file) : '';
    const findings = unknown.map(({ path }) => finding(path, 'there is such a command', 'there is no such operation'));
    for (const operation of operations) {
      const command = commands.find(({ node }) => node.operation?.id === operation.id);
      if (!command) findings.push(finding([operation.id], 'it has no command', 'it is an operation'));
      else findings.push(...(await compare(loaded, command, operation, functions.markdown(tree))));
    }
    findings.push(
      ...(await sharedErrors(loaded, await project.load<Client>('@petstore/client'))),
      ...manErrors(project, loaded),
    );
    if (reference !== functions.markdown(tree))
      findings.push({
        where: file,
        actual: 'it is not what petctl generates',
        expected: 'it is generated',
        fix: 'npm run docs',
      });
    return findings;
  },
};

/** What is wrong with the flags that every command has, with groups, and with the scripts for shells. */
async function sharedErrors(loaded: Loaded, { connect }: Client): Promise<Finding[]> {
  const { tree, spec, walk, candidates } = loaded;
  const { timeout, limit } = connect({ apiKey: '-', baseUrl: 'http://localhost' });
  const facts: [flag: string, facts: string[]][] = [
    ['timeout', [`default: ${timeout / 1000}s`]],
    ['retries', [`default: ${limit}`]],
    ['deployment', Object.keys(spec.model.service.deployments)],
  ];
  const [help] = await surfacesOf(loaded, { path: [], node: tree }, '', '');
  const wrong = facts.flatMap(([flag, all]) => {
    const [, about = ''] = [...(help?.rows ?? [])].find(([left]) => left.startsWith(`--${flag} `)) ?? [];
    return all
      .filter((fact) => !about.includes(fact))
      .map((fact) => finding([`--${flag}`], `its help is '${about}'`, fact));
  });
  for (const { path, node } of walk(tree)) {
    const offered = new Map(candidates(tree, [...path, '']).words);
    for (const { name, summary } of (node.commands ?? []).filter(({ hidden }) => !hidden))
      wrong.push(...unlessSame([...path, name], 'the completion', offered.get(name), summary));
  }
  const completing = tree.commands?.find(({ hidden, verbatim }) => hidden && verbatim)?.name;
  for (const { schema } of tree.commands?.find(({ name }) => name === 'completion')?.args ?? [])
    for (const shell of schema.enum ?? []) {
      const script = Buffer.from((await runPetctl(loaded, ['completion', String(shell)])).stdout).toString();
      if (!script.includes(`petctl ${completing} `))
        wrong.push(finding(['completion', String(shell)], 'it asks another command', `petctl ${completing} completes`));
    }
  return wrong;
}

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

async function compare(loaded: Loaded, command: Located, operation: Operation, reference: string): Promise<Finding[]> {
  const { path, node } = command;
  const { deprecated } = operation;
  const { spec } = loaded;
  const inputs = inputsOf(spec, operation);
  const isKnown = (field: string) => inputs.some(({ name }) => name === field || field.startsWith(`${name}.`));
  const unknown = (node.flags ?? []).filter(({ field }) => field && !isKnown(field));
  const manual = loaded.manual.get(`petctl-${path.join('-')}.1`) ?? '';
  const surfaces = await surfacesOf(loaded, command, manual, reference);
  const successor = spec.model.rows.find(({ operation: { id } }) => id === operation.successor)?.operation;
  const said = (what: string) => ({
    where: `petctl ${path.join(' ')}`,
    actual: what,
    fix: 'npm run generate, or apps/petctl/src',
  });
  const judge = operationOf(spec, operation);
  const exitCodes = Buffer.from((await runPetctl(loaded, ['help', 'exit-codes'])).stdout).toString();
  const subject = judge && { petctl: loaded, spec, row: operation, operation: judge, command, exitCodes };
  const ran = (subject ? wronglyRun(subject) : Promise.resolve([])).then((all) =>
    all.map((actual) => finding(path, actual, 'it does as the spec says')),
  );
  return [
    ...unlessSame(path, 'the summary', node.summary, operation.summary),
    ...unlessSame(path, 'the deprecation', node.notice?.startsWith('Deprecated') ?? false, deprecated),
    ...surfaces.flatMap((surface) =>
      [...unsaidOfCommand(surface, operation, successor), ...unsaidOfOwn(surface, node.flags)].map((fact) => ({
        ...said(`${surface.name} does not say it`),
        expected: fact,
      })),
    ),
    ...unknown.map(({ name }) => finding(path, `it takes --${name}`, 'there is no such input')),
    ...inputs.flatMap((input) => {
      const taken =
        input.in === 'path'
          ? node.args?.find(({ name }) => name === loaded.kebab(input.name))
          : node.flags?.find(({ field }) => field === input.name);
      const where = [...path, `${input.in} ${input.name}`];
      return taken
        ? compareInput(loaded, where, path, input, taken, inputs, surfaces)
        : [finding(where, 'it is neither a flag nor an argument', `it is an input in the ${input.in}`)];
    }),
    ...(await wrongExamples(loaded, command)).map((actual) => finding(path, actual, 'it can be tried')),
    ...(await ran.catch(withoutExample(path.join(' ')))),
  ];
}

function compareInput(
  loaded: Loaded,
  where: readonly string[],
  path: readonly string[],
  input: Input,
  taken: Argument | Flag,
  inputs: readonly Input[],
  surfaces: readonly Surface[],
): Finding[] {
  return [
    ...surfaces.flatMap((surface) =>
      unsaidOfInput(surface, input, taken).map((fact) => finding(where, `${surface.name} does not say it`, fact)),
    ),
    ...unlessSame(where, 'being required', taken.required ?? false, input.required),
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
  const offered = (...words: string[]) => new Map(candidates(tree, [...path, ...words]).words);
  if (!('field' in taken)) return [];
  const where = [...path, taken.name];
  const about = offered('--').get(`--${taken.name}`);
  if (about === undefined) return [finding(where, 'completion does not offer it', 'it is an input')];
  const values = (input.isWhole ? [] : (input.schema.enum ?? [])).filter((value) => value !== null);
  return [
    ...(input.isWhole ? [] : unlessSame(where, 'the completion', about, input.description)),
    ...values
      .map(String)
      .filter((value) => !offered(`--${taken.name}`, '').has(value))
      .map((value) => finding(where, `completion does not offer '${value}'`, 'it is in the enum')),
  ];
}
