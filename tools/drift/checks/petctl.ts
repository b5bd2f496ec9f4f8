import { type Check, type Finding, listFindings, withoutExample } from '../check.ts';
import { operationOf } from '../openapi.ts';
import type { Project } from '../project.ts';
import { finding, flagOrArgumentOf, inputErrors, inputsOf, type Subject, unlessEqual } from './petctl/inputs.ts';
import { runErrors } from './petctl/outcomes.ts';
import type { Petctl } from './petctl/run.ts';
import {
  exampleErrors,
  factErrors,
  missingCommandFacts,
  missingInputFacts,
  missingOwnFlags,
  sharedErrors,
  textsOf,
} from './petctl/texts.ts';

const reference = 'docs/petctl.md';

export const petctl: Check = {
  name: 'petctl',
  guarantee:
    'petctl has one command for each operation. It accepts valid input, sends the request that OpenAPI requires, shows each property of a response, and exits with the documented code. Completion, help, manual pages and reference contain each text, type, bound, enum, default and deprecation of the spec.',
  run: async (project) => {
    const { spec } = project;
    const petctl = await project.load<Petctl>('petctl/internal');
    const tree = petctl.fullTree();
    const pages = petctl.manPages(tree, 'any');
    const generated = petctl.markdown(tree);
    const modelOperations = spec.model.operations.map(({ operation }) => operation);
    const commands = [...petctl.walk(tree)].filter(
      ({ path, node }) => node.operation && !path.at(-1)?.startsWith('import'),
    );
    const findings = commands
      .filter(({ node }) => !modelOperations.some((one) => one.id === node.operation?.id))
      .map(({ path }) => finding(path, 'petctl has the command', 'the spec has no such operation'));
    for (const modelOperation of modelOperations) {
      const command = commands.find(({ node }) => node.operation?.id === modelOperation.id);
      const operation = operationOf(spec, modelOperation);
      if (command && operation)
        findings.push(
          ...(await commandErrors({ petctl, tree, spec, modelOperation, operation, command }, pages, generated)),
        );
      else
        findings.push(
          finding([modelOperation.id], 'petctl has no command for the operation', 'each operation has a command'),
        );
    }
    const client = await project.load<typeof import('@petstore/client')>('@petstore/client');
    findings.push(...(await sharedErrors(petctl, tree, spec, client)), ...manErrors(project, [...pages.keys()]));
    if (!project.exists(reference) || project.read(reference) !== generated) {
      const actual = 'the page differs from what petctl generates';
      findings.push({ where: reference, actual, expected: 'the page is generated', fix: 'npm run docs' });
    }
    return findings;
  },
};

/** Errors in the list of manual pages that the package installs. */
function manErrors(project: Project, pages: readonly string[]): Finding[] {
  const file = 'apps/petctl/package.json';
  const { man = [] }: { man?: string[] } = JSON.parse(project.read(file));
  const listed = man.map((path) => path.replace(/^.*\//, ''));
  return listFindings(pages, listed, {
    actual: [`man in ${file} lacks the page`, `man in ${file} has the page`],
    expected: ['petctl has such a manual page', 'petctl has no such manual page'],
    fix: 'npm run docs',
  });
}

/** Errors in the command of an operation. */
async function commandErrors(
  subject: Subject,
  pages: ReadonlyMap<string, string>,
  reference: string,
): Promise<Finding[]> {
  const { spec, modelOperation, command } = subject;
  const { path, node } = command;
  const inputs = inputsOf(subject);
  const isKnown = (field: string) => inputs.some(({ name }) => name === field || field.startsWith(`${name}.`));
  const unknown = (node.flags ?? []).filter(({ field }) => field && !isKnown(field));
  const texts = await textsOf(subject.petctl, command, pages.get(`petctl-${path.join('-')}.1`) ?? '', reference);
  const successor = spec.model.operations.find(({ operation: { id } }) => id === modelOperation.successor)?.operation;
  const ran = await runErrors(subject)
    .then((errors) => errors.map((actual) => finding(path, actual, 'the command does what the spec says')))
    .catch(withoutExample(path.join(' ')));
  return [
    ...unlessEqual(path, 'the summary', node.summary, modelOperation.summary),
    ...unlessEqual(path, 'the deprecation', node.notice?.startsWith('Deprecated') ?? false, modelOperation.deprecated),
    ...factErrors(texts, path, (text) => missingCommandFacts(text, modelOperation, successor)),
    ...factErrors(texts, path, (text) => missingOwnFlags(text, node.flags)),
    ...unknown.map(({ name }) =>
      finding(path, `the command has the flag --${name}`, 'the operation has no such input'),
    ),
    ...inputs.flatMap((input) => {
      const flagOrArgument = flagOrArgumentOf(subject, input);
      const where = [...path, `${input.in} ${input.name}`];
      if (!flagOrArgument)
        return [
          finding(
            where,
            'the command has neither a flag nor an argument for the input',
            `the operation has the input in the ${input.in}`,
          ),
        ];
      const missing = factErrors(texts, where, (text) => missingInputFacts(text, input, flagOrArgument));
      return [...missing, ...inputErrors(subject, input, flagOrArgument)];
    }),
    ...(await exampleErrors(subject.petctl, command)).map((actual) =>
      finding(path, actual, 'petctl accepts the example'),
    ),
    ...ran,
  ];
}
