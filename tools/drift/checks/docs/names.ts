import type { Finding } from '../../check.ts';
import type { Project } from '../../project.ts';
import type { Petctl, Server } from './commands.ts';
import { commandsBelow } from './commands.ts';
import { finding } from './pages.ts';

/** These speak of other programs too. */
const ofOthers = ['petctl-compared', 'decisions', 'containers', 'kubernetes'].map((page) => `docs/${page}.md`);

/** What the pages name that is nowhere in the code: variables, metrics, codes of errors, flags, and paths for operators. */
export async function unknownNames(project: Project, pages: readonly string[]): Promise<Finding[]> {
  const textOf = (folder: string) =>
    project
      .list(folder)
      .filter((file) => /\.(ts|mjs|js)$/.test(file))
      .map(project.read)
      .join('\n');
  const server = textOf('apps/server/src');
  const tools = ['tools/drift', 'tools/bench'].map(textOf).join('\n');
  const sources = [
    server,
    textOf('packages/client/src'),
    tools,
    project.exists('docs/petctl.md') ? project.read('docs/petctl.md') : '',
  ].join('\n');
  const petctl = textOf('apps/petctl/src');
  const flags = await flagsOf(project);
  const { statuses } = project.spec.model.service;
  const kinds: [pattern: RegExp, isKnown: (name: string) => boolean, expected: string][] = [
    [/\b((?:PETSTORE|PETCTL)_[A-Z_]*[A-Z])\b/g, (name) => sources.includes(name), 'nothing reads such a variable'],
    [/\b(petstore_[a-z_]*[a-z])\b/g, (name) => server.includes(name), 'there is no such metric'],
    [/"code": ?"(\w+)"/g, (name) => name in statuses || petctl.includes(`'${name}'`), 'there is no such code'],
    [/`--(?:no-)?([a-z][a-z-]+)/g, (name) => flags.has(name) || tools.includes(name), 'there is no such flag'],
    [/`(\/[a-z]+)`/g, (name) => server.includes(`'${name}'`) || isServed(project, name), 'nothing is served there'],
  ];
  return pages.flatMap((page) =>
    kinds.flatMap(([pattern, isKnown, expected]) => {
      if (ofOthers.includes(page) && /flag|served/.test(expected)) return [];
      const names = new Set([...project.read(page).matchAll(pattern)].map(([, name = '']) => name));
      return [...names].filter((name) => !isKnown(name)).map((name) => finding(page, `it names ${name}`, expected));
    }),
  );
}

function isServed({ spec }: Project, path: string): boolean {
  const paths = [...spec.operations.values()].map((operation) => operation.path);
  const addresses = Object.values(spec.model.service.deployments);
  return paths.includes(path) || addresses.some((address) => address.endsWith(path));
}

/** The flags of petctl and of the server. */
async function flagsOf(project: Project): Promise<Set<string>> {
  const { fullTree, walk, globalFlags } = await project.load<Petctl>('petctl/internal');
  const { program } = await project.load<Server>('@petstore/server/program');
  const ofServer = commandsBelow(program({}, async () => {})).flatMap(({ options }) =>
    options.map(({ long }) => long ?? ''),
  );
  const ofPetctl = [...walk(fullTree())].flatMap(({ node }) =>
    [...(node.flags ?? []), ...globalFlags].map(({ name }) => name),
  );
  return new Set([...ofPetctl, ...ofServer.map((name) => name.replace(/^--/, '')), 'help', 'version']);
}
