import type { CommandAtPath } from 'petctl/internal';
import { type Check, type Finding, listFindings, requiringExamples } from '../check.ts';
import { operationPairs } from '../openapi.ts';
import { finding, flagOrArgumentOf, inputErrors, inputsOf, type Subject, unlessEqual } from './petctl/inputs.ts';
import { runErrors } from './petctl/outcomes.ts';
import { outputOf, type Petctl } from './petctl/run.ts';
import {
  exampleErrors,
  factErrors,
  globalErrors,
  missingCommandFacts,
  missingInputFacts,
  missingOwnFlags,
  textsOf,
} from './petctl/texts.ts';

const reference = 'docs/petctl.md';

export const petctl: Check = {
  name: 'petctl',
  guarantee:
    'petctl has one command for each operation. It accepts valid input, sends the request that OpenAPI requires, shows each property of a response, and exits with the documented code. Completion, help, manual pages and reference contain each text, type, bound, enum, default and deprecation of the spec.',
  async *run(project) {
    const { spec } = project;
    const petctl = await project.load<Petctl>('petctl/internal');
    const tree = petctl.fullTree();
    const manualPages = petctl.manPages(tree, 'any version');
    const generated = petctl.markdown(tree);
    const commands = new Map<string, CommandAtPath>();
    // An operation may also have a command that calls it for each line of a file, which has another path.
    for (const command of petctl.walk(tree)) {
      const { operation } = command.node;
      if (operation?.command.join() === command.path.join()) commands.set(operation.id, command);
    }
    const operations = operationPairs(spec);
    const ids = operations.map(({ modelOperation }) => modelOperation.id);
    const fix = 'npm run generate, or apps/petctl/src/commands';
    yield* listFindings('an operation', ids, 'the operations with a command', commands.keys(), fix);
    for (const pair of operations) {
      const command = commands.get(pair.modelOperation.id);
      if (!command) continue;
      const subject: Subject = { petctl, tree, spec, ...pair, command };
      const where = `petctl ${command.path.join(' ')}`;
      yield* requiringExamples(where, commandErrors(subject, manualPages, generated));
    }
    const client = await project.load<typeof import('@petstore/client')>('@petstore/client');
    yield* globalErrors(petctl, tree, spec, client);
    if (!project.exists(reference) || project.read(reference) !== generated) {
      const actual = 'the page differs from what petctl generates';
      yield { where: reference, actual, expected: 'the page is generated', fix: 'npm run docs' };
    }
  },
};

/** Errors in the command of an operation. */
async function* commandErrors(
  subject: Subject,
  manualPages: ReadonlyMap<string, string>,
  reference: string,
): AsyncGenerator<Finding> {
  const { petctl, spec, modelOperation, command } = subject;
  const { path, node } = command;
  const inputs = inputsOf(subject);
  const help = await outputOf(petctl, ...path, '--help');
  const texts = textsOf(path, help, manualPages.get(`petctl-${path.join('-')}.1`) ?? '', reference);
  const successor = spec.model.operations.find(({ operation: { id } }) => id === modelOperation.successor)?.operation;
  const isDeprecated = node.notice?.startsWith('Deprecated') ?? false;
  yield* unlessEqual(path, 'the summary', node.summary, modelOperation.summary);
  yield* unlessEqual(path, 'the deprecation', isDeprecated, modelOperation.deprecated);
  yield* factErrors(texts, path, (text) => missingCommandFacts(text, modelOperation, successor));
  yield* factErrors(texts, path, (text) => missingOwnFlags(text, node.flags));
  const isKnown = (field: string) => inputs.some(({ name }) => name === field || field.startsWith(`${name}.`));
  for (const { name } of (node.flags ?? []).filter(({ field }) => field && !isKnown(field)))
    yield finding(path, `the command has the flag --${name}`, 'a flag sets an input of the operation');
  for (const input of inputs) {
    const flagOrArgument = flagOrArgumentOf(subject, input);
    const where = [...path, `${input.in} ${input.name}`];
    if (flagOrArgument) {
      yield* factErrors(texts, where, (text) => missingInputFacts(text, input, flagOrArgument));
      yield* inputErrors(subject, input, flagOrArgument);
    } else yield finding(where, 'the command has neither a flag nor an argument for it', 'each input has one');
  }
  for await (const actual of exampleErrors(petctl, help)) yield finding(path, actual, 'petctl accepts the example');
  for await (const actual of runErrors(subject)) yield finding(path, actual, 'the command does what the spec says');
}
