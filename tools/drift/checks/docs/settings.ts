import type { Finding } from '../../check.ts';
import type { Project } from '../../project.ts';
import { finding } from './pages.ts';
import { formsOf, isIn } from './written.ts';

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
