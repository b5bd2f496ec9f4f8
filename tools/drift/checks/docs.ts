import type { Check } from '../check.ts';
import { typeErrors } from './docs/code.ts';
import { commandErrors, unknownNames } from './docs/names.ts';
import { boundErrors, numberErrors, settingErrors } from './docs/numbers.ts';
import { blocksOf, pagesOf } from './docs/pages.ts';

export const docs: Check = {
  name: 'docs',
  guarantee:
    'The links, tests, variables, metrics, codes, flags, paths, operations and commands on the pages exist. Their TypeScript compiles. The tables of settings and bounds are complete. Their values, and the numbers in sentences, are those of the code.',
  run: async (project) => {
    const pages = pagesOf(project);
    const blocks = pages.flatMap((page) => blocksOf(project, page));
    return [
      ...(await unknownNames(project, pages)),
      ...(await boundErrors(project)),
      ...(await numberErrors(project, pages)),
      ...(await settingErrors(project)),
      ...(await commandErrors(project, blocks)),
      ...typeErrors(project, blocks),
    ];
  },
};
