import { dirname, join } from 'node:path';
import { editFinding, type Finding } from '../../check.ts';
import { type Project, sourcesIn } from '../../project.ts';
import { type Petctl, rejectionOf, wordsOf } from '../petctl/run.ts';
import type { Block } from './pages.ts';

type Server = typeof import('@petstore/server/program');
type Settings = typeof import('@petstore/server/settings');
type Command = ReturnType<Server['program']>;

/** The pages that also name flags and paths of other programs. */
const pagesWithOtherPrograms = ['petctl-compared', 'decisions', 'containers', 'kubernetes'].map(
  (page) => `docs/${page}.md`,
);

/** Names on the pages whose file, operation, variable, metric, error code, flag, path or test does not exist. */
export async function unknownNames(project: Project, pages: readonly string[]): Promise<Finding[]> {
  const textOf = (...folders: string[]) => folders.flatMap((folder) => sourcesIn(project, folder)).join('\n');
  const server = textOf('apps/server/src');
  const petctl = textOf('apps/petctl/src');
  const tools = textOf('tools/drift', 'tools/bench', 'tools/release');
  const sources = [server, textOf('packages/client/src'), tools, project.read('docs/petctl.md')].join('\n');
  const { settings } = await project.load<Settings>('@petstore/server/settings');
  const settingVariables = Object.values(settings).map((setting) => setting.variable);
  const variables = new Set<string>([...(sources.match(variable) ?? []), ...settingVariables]);
  const metrics = new Set(server.match(metric));
  const flags = new Set([...(await flagsOf(project)), ...(tools.match(toolFlag) ?? [])]);
  const { operations, model } = project.spec;
  const { statuses, deployments } = model.service;
  const addresses = Object.values(deployments);
  const isServed = (path = '') =>
    server.includes(`'${path}'`) ||
    [...operations.values()].some((operation) => operation.path === path) ||
    addresses.some((address) => address.endsWith(path));
  const kinds: [kind: string, pattern: RegExp, isKnown: (name: string, page: string) => boolean][] = [
    ['file or heading', /\]\((?![a-z]+:)([^)]+)/g, (target, page) => isLinked(project, page, target)],
    [
      'operation',
      /\b((?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE) \/[\w{}/.~-]*[\w}])/g,
      // Some routes are not operations: routes for operators, and the server's own pages.
      (endpoint) => operations.has(endpoint) || server.includes(`'${endpoint.split(' ')[1]}'`),
    ],
    ['variable', variable, (name) => variables.has(name)],
    ['metric', metric, (name) => metrics.has(name)],
    ['error code', /"code": ?"(\w+)"/g, (name) => name in statuses || petctl.includes(`'${name}'`)],
    ['flag', /`--(?:no-)?([a-z][a-z-]+)/g, (name) => flags.has(name)],
    ['path', /`(\/[a-z]+)`/g, isServed],
    // The table of bounds states the paths of tests relative to apps/server/test.
    ['test', /`([\w./-]+\.test\.ts)`/g, (file) => project.exists(file) || project.exists(`apps/server/test/${file}`)],
  ];
  return pages.flatMap((page) =>
    kinds.flatMap(([kind, pattern, isKnown]) => {
      if (pagesWithOtherPrograms.includes(page) && (kind === 'flag' || kind === 'path')) return [];
      const names = new Set([...project.read(page).matchAll(pattern)].map(([, name = '']) => name));
      return [...names]
        .filter((name) => !isKnown(name, page))
        .map((name) => editFinding(page, `it names ${name}`, `an existing ${kind}`));
    }),
  );
}

const variable = /\b((?:PETSTORE|PETCTL)_[A-Z_]*[A-Z])\b/g;
const metric = /\b(petstore_[a-z_]*[a-z])\b/g;
/** The name of a flag in the options of `parseArgs`. */
const toolFlag = /\b[\w-]+(?=(?::| =) \{ type: '(?:boolean|string)')/g;

/** Whether the target of a link is a file, and its anchor belongs to a heading of the file, as GitHub writes anchors. */
function isLinked(project: Project, page: string, target: string): boolean {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? page : join(dirname(page), path).replaceAll('\\', '/');
  if (!project.exists(file)) return false;
  if (anchor === undefined) return true;
  const titles =
    project
      .read(file)
      .toLowerCase()
      .match(/(?<=^#+ ).*$/gm) ?? [];
  return titles.some((title) => title.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-') === anchor);
}

/** Commands of npm itself. */
const npmCommands = /^(install|ci|pack|publish|audit|view|exec|login|deprecate|link|ls)$/;

/** The npm scripts that do not exist, and the commands that petctl or the server reject. */
export async function* commandErrors(project: Project, blocks: readonly Block[]): AsyncGenerator<Finding> {
  const { scripts } = JSON.parse(project.read('package.json'));
  const petctl = await project.load<Petctl>('petctl/internal');
  const server = await project.load<Server>('@petstore/server/program');
  const tryServer = (words: string[]) => serverRejection(server, words);
  const tries: Record<string, (words: string[]) => Promise<string | undefined>> = {
    petctl: (words) => rejectionOf(petctl, words),
    'petstore-server': tryServer,
    '@petstore/server': tryServer,
  };
  for (const { page, line } of blocks.flatMap(commandLines)) {
    const [, script] = /^npm (?:run )?(?:-s )?([\w:-]+)/.exec(line) ?? [];
    if (script && !(script in scripts) && !npmCommands.test(script))
      yield editFinding(page, `it shows '${line}'`, 'a script of package.json');
    const [, program = '', words = ''] = /^(?:npx )?(petctl|petstore-server|@petstore\/server) (.*)$/.exec(line) ?? [];
    const error = await tries[program]?.(wordsOf(words));
    if (error) yield editFinding(page, `it shows '${line}', which fails: ${error}`, 'a command that works');
  }
}

/** The command lines of a block, without prompts, variables and comments. A pipe has several. */
function commandLines({ page, language, text }: Block): { page: string; line: string }[] {
  if (!['sh', 'bash', 'console'].includes(language)) return [];
  const commands = text.split(/\n| \| /).map((line) =>
    line
      .replace(/^\$ /, '')
      .replace(/^(?:[A-Z_]+=(?:'[^']*'|"[^"]*"|\S*) +)+/, '')
      .replace(/\s+#.*$/, '')
      .trim(),
  );
  return commands.map((line) => ({ page, line }));
}

/** The error by which the server rejects a command line; undefined if the server accepts it. Nothing is started. */
async function serverRejection({ program }: Server, words: string[]): Promise<string | undefined> {
  const root = program({}, async () => {});
  for (const command of commandsBelow(root)) {
    command.configureOutput({ writeOut: () => {} });
    if (command !== root && command.name() !== 'serve') command.action(() => {});
  }
  try {
    await root.parseAsync(words, { from: 'user' });
    return undefined;
  } catch (error) {
    // commander throws after the output of help and of the version, too.
    if ((error as { exitCode?: number }).exitCode === 0) return undefined;
    const text = String(error instanceof Error ? error.message : error);
    return text.trim().split('\n')[0];
  }
}

function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap((subcommand) => commandsBelow(subcommand as Command))];
}

/** The flags of petctl and of the server. */
async function flagsOf(project: Project): Promise<Set<string>> {
  const { fullTree, walk, globalFlags } = await project.load<Petctl>('petctl/internal');
  const { program } = await project.load<Server>('@petstore/server/program');
  const ofServer = commandsBelow(program({}, async () => {})).flatMap(({ options }) => options);
  const ofPetctl = [...walk(fullTree())].flatMap(({ node }) => node.flags ?? []);
  const names = [...ofPetctl, ...globalFlags].map(({ name }) => name);
  return new Set([...names, ...ofServer.map(({ long }) => long?.slice(2) ?? ''), 'help', 'version']);
}
