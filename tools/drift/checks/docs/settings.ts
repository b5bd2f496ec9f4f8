import type { Finding } from '../../check.ts';
import type { Project } from '../../project.ts';
import { finding } from './pages.ts';

const page = 'docs/operating.md';

/** What the table of settings has wrong: each setting is a row with its variable, its flag and its default. */
export async function settingErrors(project: Project): Promise<Finding[]> {
  if (!project.exists(page)) return [finding(page, 'it is missing', 'it has a table of settings')];
  const { settings, deployments } =
    await project.load<typeof import('@petstore/server/settings')>('@petstore/server/settings');
  const rows = [...project.read(page).matchAll(/^\| `([A-Z_]+)` \| (.*?) \| (.*) \|$/gm)];
  const errors = Object.values(settings).flatMap(({ variable, flags, fallback }) => {
    const [, , flag = '', usual = ''] = rows.find(([, name]) => name === variable) ?? [];
    const long = flags.split(' ').find((word) => word.startsWith('--')) ?? '';
    if (!usual) return [finding(page, `it lacks ${variable}`, 'each setting is a row of the table')];
    const defaults = deployments.map((name) => formsOf(fallback(name)));
    return [
      ...(flag.includes(`\`${long}\``) ? [] : [finding(page, `the flag of ${variable} is ${flag}`, `it is ${long}`)]),
      ...defaults
        .filter((forms) => !forms.some((form) => isIn(usual, form)))
        .slice(0, 1)
        .map(([form]) => finding(page, `the default of ${variable} is '${usual}'`, `it is ${form}`)),
    ];
  });
  const known = Object.values(settings).map(({ variable }): string => variable);
  const strangers = rows.filter(([, name = '', flag = '']) => flag.includes('`--') && !known.includes(name));
  return [...errors, ...strangers.map(([, name]) => finding(page, `it has ${name}`, 'there is no such setting'))];
}

/** How people write a default. */
function formsOf(value: string): string[] {
  const number = Number(value);
  if (value === '' || value === 'false') return ['off', 'none', value].filter((form) => form !== '');
  if (!Number.isInteger(number)) return [value];
  const binary = [30, 20, 10].find((power) => number > 0 && number % 2 ** power === 0);
  const unit = binary === undefined ? [] : [`${number / 2 ** binary} ${{ 30: 'GiB', 20: 'MiB', 10: 'KiB' }[binary]}`];
  return [...unit, number.toLocaleString('en-US'), value];
}

/** Whether a cell has this word. */
function isIn(cell: string, form: string): boolean {
  const escaped = form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w.,])${escaped}(?![\\w]|[.,]\\d)`).test(cell);
}
