import { dirname, join } from 'node:path';
import type { Check, Finding } from '../check.ts';
import type { Project } from '../project.ts';
import { boundErrors, numberErrors } from './docs/bounds.ts';
import { typeErrors } from './docs/code.ts';
import { commandErrors } from './docs/commands.ts';
import { unknownNames } from './docs/names.ts';
import { blocksOf, finding, pagesOf } from './docs/pages.ts';
import { settingErrors } from './docs/settings.ts';

export const docs: Check = {
  name: 'docs',
  guarantee:
    'The links, variables, metrics, codes, flags, paths, operations and commands on the pages exist. Their TypeScript compiles. The tables of settings and bounds are complete, and their values and the numbers in sentences are those of the code.',
  run: async (project) => {
    const pages = pagesOf(project);
    const blocks = pages.flatMap((page) => blocksOf(project, page));
    return [
      ...pages.flatMap((page) => brokenLinks(project, page)),
      ...(await unknownNames(project, pages)),
      ...(await boundErrors(project)),
      ...(await numberErrors(project, pages)),
      ...pages.flatMap((page) => unknownOperations(project, page)),
      ...(await settingErrors(project)),
      ...(await commandErrors(project, blocks)),
      ...typeErrors(project, blocks),
    ];
  },
};

function brokenLinks(project: Project, page: string): Finding[] {
  const targets = [...project.read(page).matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g)].map(([, target = '']) => target);
  return targets
    .filter((target) => !project.exists(join(dirname(page), target).replaceAll('\\', '/')))
    .map((target) => finding(page, `it links to ${target}`, 'there is no such file'));
}

function unknownOperations(project: Project, page: string): Finding[] {
  const known = project.spec.operations;
  const named = project.read(page).match(/\b(GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE) \/[\w{}/.~-]*[\w}]/g) ?? [];
  // Those for operators, and of the pages, are no operations.
  const sources = project
    .list('apps/server/src')
    .filter((file) => file.endsWith('.ts'))
    .map(project.read);
  const isRoute = (endpoint: string) => sources.some((text) => text.includes(`'${endpoint.split(' ')[1]}'`));
  return named
    .filter((endpoint) => !known.has(endpoint) && !isRoute(endpoint))
    .map((endpoint) => finding(page, `it names ${endpoint}`, 'there is no such operation'));
}
