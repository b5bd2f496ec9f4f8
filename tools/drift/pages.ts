// D6: pages name only what exists, and what they state of settings, bounds and errors is what the code says.
import { globSync } from 'node:fs';
import { secrets } from '../../apps/server/src/config.ts';
import { flagsIn, type Help, petctlHelp, serverHelp } from '../help.ts';
import { pageWith, regionsOf } from '../reference.ts';
import { released, root, textOf } from '../repository.ts';
import type { Spec } from './interface.ts';
import { readPage } from './markdown.ts';
import { type Known, missingIn } from './names.ts';
import type { Report } from './report.ts';

export async function check(spec: Spec, report: Report): Promise<void> {
  const petctl = await petctlHelp();
  for (const region of regionsOf(petctl)) {
    const { page, marker } = region;
    if (pageWith(region) !== textOf(page))
      report(`${page}: the part '${marker}' is not what the code says`, '', 'run npm run generate');
  }
  const known = knownNames(spec, petctl);
  const readmes = [...released, 'examples'].map((folder) => `${folder}/README.md`);
  for (const file of globSync(['*.md', 'docs/*.md', ...readmes], { cwd: root })) {
    const page = readPage(file);
    for (const { text, line } of missingIn(page, known))
      report(`${file}:${line}: there is no ${text}`);
  }
}

function knownNames(spec: Spec, petctl: Help): Known {
  const server = serverHelp();
  const helps = [...petctl.values(), ...server.values()];
  const manifests = ['.', ...released, 'packages/testing', 'tools'].map((folder) =>
    JSON.parse(textOf(`${folder}/package.json`)),
  );
  return {
    spec,
    petctl,
    server,
    flags: new Set(helps.flatMap(flagsIn)),
    variables: new Set([
      ...helps.flatMap((text) => text.split(/[^A-Z_]+/)),
      ...Object.values(secrets),
    ]),
    scripts: new Set(Object.keys(manifests[0].scripts)),
    packages: new Set(manifests.map(({ name }) => name)),
    client: textOf('packages/client/src/index.ts'),
    image: textOf('apps/server/deploy/Dockerfile'),
  };
}
