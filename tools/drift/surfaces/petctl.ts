import {
  type Argument,
  candidates,
  type Flag,
  fullTree,
  kebab,
  type Located,
  manPages,
  markdown,
  parse,
  walk,
} from 'petctl/inside';
import type { Finding } from '../finding.ts';
import { type Operation, operationsOf } from '../future/spec.ts';
import { spec, textOf } from '../root.ts';
import { type Input, inputsOf, probes } from './petctl-inputs.ts';

const root = fullTree();
const pages = manPages(root, 'any');

/** The real command tree has a command for each operation, with every input, bound, choice, default and word of the spec, and no more. */
export function petctl(): Finding[] {
  const commands = [...walk(root)].filter(({ path, node }) => node.operation && !path.at(-1)?.startsWith('import'));
  const found: Finding[] = [];
  const described = new Map([...operationsOf(spec).values()].map((operation) => [operation.operationId, operation]));
  for (const { path, node } of commands) {
    if (!described.has(node.operation?.id ?? ''))
      found.push(finding(path, 'there is such a command', 'there is no such operation'));
  }
  for (const [id, operation] of described) {
    const command = commands.find(({ node }) => node.operation?.id === id);
    if (command) found.push(...compare(command, operation));
    else found.push(finding([id], 'it has no command', 'it is an operation'));
  }
  if (textOf('docs/petctl.md') !== markdown(root)) {
    found.push({
      surface: 'petctl',
      where: 'docs/petctl.md',
      what: 'it is not what the tree of commands says',
      spec: 'it is generated',
      mend: 'npm run docs',
    });
  }
  return found;
}

const finding = (path: readonly string[], what: string, says: string): Finding => ({
  surface: 'petctl',
  where: `petctl ${path.join(' ')}`,
  what,
  spec: says,
  mend: 'npm run generate, or apps/petctl/src/tree',
});

function compare({ path, node }: Located, operation: Operation): Finding[] {
  const found: Finding[] = [];
  const differ = (what: string, is: unknown, says: unknown) => {
    if (is !== says) found.push(finding(path, `${what} is ${JSON.stringify(is)}`, JSON.stringify(says)));
  };
  differ('the summary', node.summary, operation.summary);
  differ('the description', node.description, String(operation.description ?? '').trim());
  differ(
    'being announced as deprecated',
    node.notice?.startsWith('Deprecated') ?? false,
    operation.deprecated === true,
  );
  const sunset = operation['x-sunset'];
  if (typeof sunset === 'string' && !node.notice?.includes(sunset))
    found.push(finding(path, `its notice is '${node.notice}'`, `x-sunset: ${sunset}`));

  const inputs = inputsOf(operation);
  for (const { name, field } of node.flags ?? []) {
    if (field && !inputs.some((input) => input.name === field))
      found.push(finding(path, `it takes --${name}`, 'there is no such input'));
  }
  const manual = pages.get(`petctl-${path.join('-')}.1`) ?? '';
  for (const input of inputs) {
    const here = [...path, `${input.place} ${input.name}`];
    const taken = takenBy(input, node.args ?? [], node.flags ?? []);
    if (!taken) {
      found.push(finding(here, 'nothing takes it', `it is an input in the ${input.place}`));
      continue;
    }
    const same = (what: string, is: unknown, says: unknown) => {
      if (JSON.stringify(is) !== JSON.stringify(says))
        found.push(finding(here, `${what} is ${JSON.stringify(is)}`, `${JSON.stringify(says)}`));
    };
    same('the description', taken.description, input.description);
    same('being required', taken.required ?? false, input.required);
    same('the default', taken.rules.default, input.schema.default);
    same('the choices', taken.rules.choices, input.schema.enum);
    if (!manual.includes(taken.name.replaceAll('-', '\\-')))
      found.push(finding(here, 'the manual page does not show it', 'it is an input'));
    found.push(...probed(input, taken, path), ...completed(input, taken, path));
  }
  return found;
}

function takenBy(
  { name, place }: Input,
  args: readonly Argument[],
  flags: readonly Flag[],
): Argument | Flag | undefined {
  return place === 'path'
    ? args.find((argument) => argument.name === kebab(name))
    : flags.find((flag) => flag.field === name);
}

/** Tries the real parser with what the spec allows and with what lies beside it. */
function probed(input: Input, taken: Argument | Flag, path: readonly string[]): Finding[] {
  return probes(input).flatMap(([text, allowed]) => {
    const words = 'field' in taken ? [`--${taken.name}=${text}`] : ['--', text];
    let accepted = true;
    try {
      parse(root, [...path, ...words]);
    } catch {
      accepted = false;
    }
    if (accepted === allowed) return [];
    return [
      finding(
        [...path, taken.name],
        `the parser ${accepted ? 'takes' : 'refuses'} '${text}'`,
        allowed ? 'it is allowed' : 'it is not allowed',
      ),
    ];
  });
}

function completed(input: Input, taken: Argument | Flag, path: readonly string[]): Finding[] {
  const offered = (...words: string[]) => candidates(root, [...path, ...words]).words.map(([word]) => word);
  if (!('field' in taken)) return [];
  if (!offered('--').includes(`--${taken.name}`))
    return [finding([...path, taken.name], 'completion does not offer it', 'it is an input')];
  const choices = input.schema.enum as string[] | undefined;
  const missing = (choices ?? []).filter((choice) => !offered(`--${taken.name}`, '').includes(choice));
  return missing.map((choice) =>
    finding([...path, taken.name], `completion does not offer '${choice}'`, 'it is a choice'),
  );
}
