import { editFinding, type Finding } from '../../check.ts';
import { specFile } from '../../openapi.ts';
import { type Project, sourcesIn } from '../../project.ts';

type Settings = typeof import('@petstore/server/settings');

/** The numbers of the constants in sources, by name: several for an object, and for a name that several sources use. */
type Constants = ReadonlyMap<string, readonly number[]>;

/** Errors in the numbers of the pages: in the table of settings, in the table of bounds, and in sentences. */
export async function numberErrors(project: Project, pages: readonly string[]): Promise<Finding[]> {
  const settings = await project.load<Settings>('@petstore/server/settings');
  const client = await project.load<typeof import('@petstore/client')>('@petstore/client');
  const constants = constantsIn(sourcesIn(project, 'apps/server/src'));
  return [
    ...settingErrors(project, settings),
    ...boundErrors(project, settings, constants),
    ...sentenceErrors(project, [...pages, specFile, 'docs/petctl.md'], client, constants),
  ];
}

/** Errors in the table of settings: each setting is a row with its variable, its flag and its default. */
function settingErrors(project: Project, { settings, deployments }: Settings): Finding[] {
  const page = 'docs/operating.md';
  const error = (actual: string, expected: string) => editFinding(page, actual, expected);
  const rows = [...project.read(page).matchAll(/^\| `([A-Z_]+)` \| (.*?) \| (.*) \|$/gm)];
  return Object.values(settings).flatMap(({ variable, flags, fallback }) => {
    const [, , flag = '', cell = ''] = rows.find(([, name]) => name === variable) ?? [];
    const long = flags.split(' ').find((word) => word.startsWith('--')) ?? '';
    if (!cell) return [error(`it lacks ${variable}`, 'each setting is a row of the table')];
    const missing = deployments
      .map((name) => spellingsOf(fallback(name)))
      .find((spellings) => !saysOneOf(cell, spellings));
    return [
      ...(flag.includes(`\`${long}\``) ? [] : [error(`the flag of ${variable} is ${flag}`, `it is ${long}`)]),
      ...(missing ? [error(`the default of ${variable} is '${cell}'`, `it is ${missing[0]}`)] : []),
    ];
  });
}

/** Errors in the table of bounds: each row has the value of the settings and constants that it names. */
function boundErrors(project: Project, { settings, deployments }: Settings, constants: Constants): Finding[] {
  const page = 'docs/security.md';
  const error = (actual: string, expected: string) => editFinding(page, actual, expected);
  const text = project.read(page);
  const rows = [...text.matchAll(/^\| (.*?) \| (.*?) \| (.*?) \| (.*?) \| .*\|$/gm)];
  const wrong = rows.flatMap(([, bound = '', cell = '', named = '']) =>
    [...named.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => {
      const setting = Object.values(settings).find(({ flags }) => flags.split(' ')[0] === name);
      const values = setting ? deployments.map((deployment) => setting.fallback(deployment)) : constants.get(name);
      // A name with a dot is a file, such as `group-commit.ts`.
      if (!values) return name.includes('.') ? [] : [error(`it names ${name}`, 'an existing bound')];
      const unit = /_MS$/.test(name) ? 'ms' : /timeout/.test(name) ? 's' : undefined;
      return values
        .map((value) => spellingsOf(String(value), unit))
        .filter((spellings) => !saysOneOf(`${bound} ${cell}`, spellings))
        .map(([value]) => error(`'${bound}' is '${cell}'`, `${name} is ${value}`));
    }),
  );
  const listed = constantsIn([project.read('apps/server/src/limits.ts')]);
  const missing = [...listed.keys()].filter((name) => name.startsWith('MAX_') && !text.includes(`\`${name}\``));
  return [...wrong, ...missing.map((name) => error(`it lacks ${name}`, 'each bound is a row of the table'))];
}

/** Numbers in sentences that differ from the code. Only sentences of these forms are checked. */
function sentenceErrors(
  project: Project,
  pages: readonly string[],
  { connect }: typeof import('@petstore/client'),
  constants: Constants,
): Finding[] {
  const { timeout, limit: retries } = connect({ apiKey: '-', baseUrl: 'http://localhost' });
  const amount = (name: string, per = 1) => Number(constants.get(name)?.[0]) / per;
  const sentences: [pattern: RegExp, value: number][] = [
    [/\b(?:for|within|last) (\w+) hours/gi, amount('IDEMPOTENCY_MS', 3_600_000)],
    [/\b(?:at about|has reached|ends at) (\w+) MiB/gi, amount('MAX_PAGE_BYTES', 2 ** 20)],
    [/\b(\w+) (?:requests )?with (?:one|the same|this) (?:idempotency )?key/gi, amount('MAX_REQUESTS_PER_KEY')],
    [/\b(\w+) MiB of (?:it|lines) wait/gi, amount('MAX_LOG_BUFFER_BYTES', 2 ** 20)],
    [/\bretries (\w+), after/gi, retries],
    [/\bto (\w+) seconds by default/gi, timeout / 1000],
  ];
  return pages.flatMap((page) => {
    const text = project.read(page).replaceAll(/\n */g, ' ');
    return sentences.flatMap(([pattern, value]) =>
      [...text.matchAll(pattern)]
        // A word that is no number says nothing.
        .filter(([, word = '']) => ![value, Number.NaN].includes(numberFrom(word)))
        .map(([sentence]) => editFinding(page, `it says '${sentence}'`, `it is ${value}`)),
    );
  });
}

/** The constants in sources that are a number or an object of numbers. */
function constantsIn(sources: readonly string[]): Constants {
  const constants = new Map<string, readonly number[]>();
  for (const source of sources)
    for (const [, name = '', value = ''] of source.matchAll(/^(?:export )?const ([A-Z][A-Z\d_]+) = ([\d{].*?);$/gm)) {
      const products = value.match(/\d[\d_]*(?: \*\*? \d[\d_]*)*/g) ?? [];
      constants.set(name, [...(constants.get(name) ?? []), ...products.map(amountOf)]);
    }
  return constants;
}

/** The number that an expression such as `8 * 2 ** 20` yields. */
function amountOf(product: string): number {
  const factors = product
    .replaceAll('_', '')
    .split(' * ')
    .map((factor) => factor.split(' ** ').map(Number));
  return factors.reduce((all, [base = 0, power = 1]) => all * base ** power, 1);
}

/** The spellings of a value in prose: a number, bytes, none, or a time with `unit`. */
function spellingsOf(value: string, unit?: 'ms' | 's'): string[] {
  const number = Number(value);
  if (value === '' || value === 'false') return ['off', 'none', value].filter((text) => text !== '');
  if (!Number.isInteger(number)) return [value];
  const binary = [30, 20, 10].find((power) => number > 0 && number % 2 ** power === 0);
  const size = binary === undefined ? [] : [`${number / 2 ** binary} ${{ 30: 'GiB', 20: 'MiB', 10: 'KiB' }[binary]}`];
  const seconds = unit === undefined ? [] : timesOf(unit === 'ms' ? number / 1000 : number);
  return [...size, ...size.map((text) => text.replace('KiB', 'kB')), ...seconds, number.toLocaleString('en-US'), value];
}

function timesOf(seconds: number): string[] {
  const hours = seconds % 3600 === 0 ? [`${seconds / 3600} hours`] : [];
  return [...hours, `${seconds} s`, `${seconds} seconds`, ...(seconds === 1 ? ['a second'] : [])];
}

/** Whether a text has one of these words. */
function saysOneOf(text: string, words: readonly string[]): boolean {
  return new RegExp(`(?<![\\w.,])(?:${words.map(RegExp.escape).join('|')})(?![\\w]|[.,]\\d)`).test(text);
}

const numerals = ['zero', 'one|once', 'two|twice', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

/** The number that a word or digits stand for. */
function numberFrom(text: string): number {
  const number = numerals.findIndex((words) => words.split('|').includes(text.toLowerCase()));
  return number < 0 ? Number(text) : number;
}
