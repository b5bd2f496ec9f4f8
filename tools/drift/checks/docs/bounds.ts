import type { Finding } from '../../check.ts';
import { specFile } from '../../openapi.ts';
import type { Project } from '../../project.ts';
import { finding } from './pages.ts';
import { formsOf, isIn, numberFrom } from './written.ts';

const page = 'docs/security.md';

/** What the table of bounds has wrong: each row has the value of the settings and constants that it names. */
export async function boundErrors(project: Project): Promise<Finding[]> {
  if (!project.exists(page)) return [finding(page, 'it is missing', 'it has a table of bounds')];
  const { settings, deployments } =
    await project.load<typeof import('@petstore/server/settings')>('@petstore/server/settings');
  const constants = constantsOf(project, 'apps/server/src');
  const text = project.read(page);
  const rows = [...text.matchAll(/^\| (.*?) \| (.*?) \| (.*?) \| (.*?) \| .*\|$/gm)];
  const wrong = rows.flatMap(([, bound = '', usual = '', named = '']) => [
    ...namesIn(named).flatMap((name) => {
      const setting = Object.values(settings).find(({ flags }) => flags.split(' ')[0] === name);
      const values = setting ? deployments.map((one) => setting.fallback(one)) : constants.get(name);
      if (!values) return name.includes('.') ? [] : [finding(page, `it names ${name}`, 'there is no such bound')];
      const unit = /_MS$/.test(name) ? 'ms' : /timeout/.test(name) ? 's' : undefined;
      return values
        .filter((value) => !formsOf(String(value), unit).some((form) => isIn(`${bound} ${usual}`, form)))
        .map((value) => finding(page, `'${bound}' is '${usual}'`, `${name} is ${formsOf(String(value), unit)[0]}`));
    }),
  ]);
  const listed = constantsOf(project, 'apps/server/src/limits.ts');
  const missing = [...listed.keys()].filter((name) => name.startsWith('MAX_') && !text.includes(`\`${name}\``));
  return [...wrong, ...missing.map((name) => finding(page, `it lacks ${name}`, 'each bound is a row of the table'))];
}

const namesIn = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

/** The numbers of the constants in the sources: one, or those of an object. */
function constantsOf(project: Project, folder: string): Map<string, number[]> {
  const files = folder.endsWith('.ts') ? [folder] : project.list(folder).filter((file) => file.endsWith('.ts'));
  const found = new Map<string, number[]>();
  for (const file of files)
    for (const [, name = '', value = ''] of project
      .read(file)
      .matchAll(/^(?:export )?const ([A-Z][A-Z\d_]+) = ([\d{].*?);$/gm)) {
      const numbers = [...value.matchAll(/\d[\d_]*(?: \*\*? \d[\d_]*)*/g)].map(([product]) => amountOf(product));
      found.set(name, [...(found.get(name) ?? []), ...numbers]);
    }
  return found;
}

function amountOf(product: string): number {
  const factors = product
    .replaceAll('_', '')
    .split(' * ')
    .map((factor) => factor.split(' ** ').map(Number));
  return factors.reduce((all, [base = 0, power = 1]) => all * base ** power, 1);
}

/** What pages say in words of a number that the code has. A sentence that is written in another way says it no more. */
export async function numberErrors(project: Project, pages: readonly string[]): Promise<Finding[]> {
  const { connect } = await project.load<typeof import('@petstore/client')>('@petstore/client');
  const { timeout, limit } = connect({ apiKey: '-', baseUrl: 'http://localhost' });
  const constants = constantsOf(project, 'apps/server/src');
  const amount = (name: string, per = 1) => Number(constants.get(name)?.[0]) / per;
  const said: [pattern: RegExp, value: number][] = [
    [/\b(?:for|within|last) (\w+) hours/gi, amount('IDEMPOTENCY_MS', 3_600_000)],
    [/\b(?:at about|has reached|ends at) (\w+) MiB/gi, amount('MAX_PAGE_BYTES', 2 ** 20)],
    [/\b(\w+) (?:requests )?with (?:one|the same|this) key/gi, amount('MAX_REQUESTS_PER_KEY')],
    [/\b(\w+) MiB of (?:it|lines) wait/gi, amount('MAX_LOG_BUFFER_BYTES', 2 ** 20)],
    [/\bretries (\w+), after/gi, limit],
    [/\bto (\w+) seconds by default/gi, timeout / 1000],
  ];
  return [...pages, specFile, 'docs/petctl.md']
    .filter(project.exists)
    .flatMap((one) =>
      said.flatMap(([pattern, value]) =>
        [...project.read(one).replaceAll(/\n +/g, ' ').matchAll(pattern)]
          .filter(([, text = '']) => ![value, Number.NaN].includes(numberFrom(text)))
          .map(([text]) => finding(one, `it says '${text}'`, `it is ${value}`)),
      ),
    );
}
