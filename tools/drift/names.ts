// The names in a page of what does not exist.
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { faultOf, type Help } from '../help.ts';
import { root, textOf } from '../repository.ts';
import type { Spec } from './interface.ts';
import { anchorsIn, type Page, type Part } from './markdown.ts';

/** What pages may name. */
export interface Known {
  readonly spec: Spec;
  readonly petctl: Help;
  readonly server: Help;
  readonly flags: ReadonlySet<string>;
  readonly variables: ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
  /** The text of the file that names what the client exports, types included. */
  readonly client: string;
  /** The text of the image's file, which has paths of its own. */
  readonly image: string;
}

/** What a part of a page names and does not exist: `flag --statis`. */
type Rule = (part: Part, known: Known, page: Page) => string | undefined;

/** What a page names and does not exist: `flag --statis`, with its line. */
export function missingIn(page: Page, known: Known): Part[] {
  const kinds: [readonly Part[], readonly Rule[]][] = [
    [page.commands, [npmScript, petctlCommand, serverCommand]],
    [page.spans, [npmScript, petctlCommand, serverCommand, flag, fileName, shownPath, errorClass]],
    [page.lines, [packageName, variable, requestPath, address, errorCode]],
    [page.links, [linkTarget]],
  ];
  const found: Part[] = [];
  for (const [parts, rules] of kinds)
    for (const part of parts) {
      const missing = rules.map((rule) => rule(part, known, page));
      for (const text of missing) if (text) found.push({ text, line: part.line });
    }
  return found;
}

const npmCommands = ['install', 'ci', 'exec', 'login', 'pack', 'publish', 'deprecate', 'audit'];

/** `npm run drift`, `npm test`. */
const npmScript: Rule = ({ text }, { scripts }) => {
  const words = text.split(' ');
  const at = words.indexOf('npm');
  if (at < 0) return undefined;
  const rest = words.slice(at + 1).filter((word) => !word.startsWith('-'));
  const name = rest[0] === 'run' ? rest[1] : rest[0];
  if (name === undefined || scripts.has(name)) return undefined;
  return rest[0] !== 'run' && npmCommands.includes(name) ? undefined : `npm script ${name}`;
};

const petctlCommand: Rule = ({ text }, { petctl }, page) =>
  commandFault(text, 'petctl', petctl, page);

const serverCommand: Rule = ({ text }, { server }, page) =>
  commandFault(text, 'petstore-server', server, page);

/** Words that end a command of a shell. */
const separators = ['|', '||', '&&', ';', '>', '<', '2>', '&'];

function commandFault(text: string, program: string, help: Help, page: Page): string | undefined {
  const faults = argumentsOf(program, text).map((words) => faultOf(help, words));
  const fault = faults.find((each) => each && !isAdded(page, each.split(' ').at(-1) ?? ''));
  return fault && `${fault} of ${program}`;
}

/** The words after each call of a program: `pets list` of `npx petctl pets list | head -1`. */
function argumentsOf(program: string, text: string): string[][] {
  const words = text.split(' ').filter((word) => word !== '');
  const calls: string[][] = [];
  for (const [at, word] of words.entries()) {
    const isProgram = [program, `node_modules/.bin/${program}`].includes(word);
    // `npm run pack -- petctl` names a package.
    if (!isProgram || words[at - 1] === '--' || words[at - 1] === '--filter') continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex((each) => separators.includes(each) || each.endsWith(';'));
    calls.push(end < 0 ? rest : rest.slice(0, end));
  }
  return calls;
}

/** Whether a page that shows how to add an operation adds one with this verb. */
function isAdded({ file, text }: Page, verb: string): boolean {
  return file.startsWith('docs/adding-') && text.includes(`operationId: ${verb}`);
}

const otherPrograms = [
  'curl',
  'docker',
  'git',
  'node',
  'npm',
  'pnpm',
  'turbo',
  'vitest',
  'tsc',
  'npx',
];

/** `--limit` alone. On a line about another program, it may be a flag of that. */
const flag: Rule = ({ text, line }, { flags }, page) => {
  const [name = ''] = text.split(/[ =]/);
  if (!name.startsWith('--') || flags.has(name) || flags.has(name.replace('--no-', '--')))
    return undefined;
  const words = page.lines[line - 1]?.text.split(/[^a-z]+/) ?? [];
  return otherPrograms.some((program) => words.includes(program)) ? undefined : `flag ${name}`;
};

const topFolders = [
  'apps',
  'packages',
  'tools',
  'spec',
  'docs',
  'examples',
  '.github',
  '.changeset',
];
const fileEndings = ['.md', '.mjs', '.yaml'];

/** `tools/drift`, `listen.ts`. */
const fileName: Rule = ({ text }, _, page) => {
  const [top = ''] = text.split('/');
  const isBelow = text.includes('/') && topFolders.includes(top);
  const isFile = !text.includes('/') && fileEndings.some((ending) => text.endsWith(ending));
  if (text.includes(' ') || text.includes('*') || !(isBelow || isFile)) return undefined;
  if (text.includes('node_modules') || text.includes('dist')) return undefined;
  const places = [
    text,
    join(dirname(page.file), text),
    `*/${text}`,
    `*/*/${text}`,
    `*/*/*/${text}`,
  ];
  const isThere = globSync(places, { cwd: root }).length > 0;
  return isThere || isAdded(page, '') ? undefined : `file ${text}`;
};

/** `/healthz`, `/v1/pets`. */
const shownPath: Rule = ({ text }, known, page) => {
  const isPath = text.startsWith('/') && !text.includes(' ');
  const isOurs = text.startsWith(known.spec.basePath) || text.split('/').length === 2;
  if (!isPath || !isOurs || text.length < 2) return undefined;
  const isNew = page.file.startsWith('docs/adding-') && page.text.includes(`${text}:`);
  return isNew || isKnownPath(text, undefined, known) ? undefined : `path ${text}`;
};

/** `NotFoundError`, in the pages of the client. */
const errorClass: Rule = ({ text }, { client }, { file }) => {
  const isClass = text.endsWith('Error') && /^[A-Z]\w+$/.test(text);
  if (!isClass || !file.startsWith('packages/client/')) return undefined;
  return client.includes(text) || text in globalThis ? undefined : `error class ${text}`;
};

/** `@petstore/client`. */
const packageName: Rule = ({ text }, { packages }) => {
  const words = text.split(/[^\w@/-]+/).filter((word) => word.startsWith('@petstore/'));
  // `@petstore/client/testing` is a part of a package, `@petstore/spec@1.0.0` a version.
  const names = words.map((word) => `@petstore/${word.split(/[/@]/)[2]}`);
  const unknown = names.find((name) => !packages.has(name));
  return unknown === undefined ? undefined : `package ${unknown}`;
};

/** Variables that no help names: those of the client, and of the tests. */
const otherVariables = ['PETSTORE_API_KEY', 'PETSTORE_BASE_URL'];

/** `PETCTL_API_KEY`. A name that ends with an underscore stands for several. */
const variable: Rule = ({ text }, { variables }) => {
  const names = text.split(/[^A-Z_]+/).filter((word) => /^(?:PETSTORE|PETCTL)_.*[A-Z]$/.test(word));
  const unknown = names.find(
    (name) =>
      !variables.has(name) && !otherVariables.includes(name) && !name.startsWith('PETSTORE_TEST_'),
  );
  return unknown === undefined ? undefined : `variable ${unknown}`;
};

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH'];

/** `GET /v1/pets?limit=5`, `POST /pets`. */
const requestPath: Rule = ({ text }, known, page) => {
  const words = text.split(/[\s`,;()]+/);
  for (const [i, word] of words.entries()) {
    const method = words[i - 1] ?? '';
    if (!methods.includes(method) || !word.startsWith('/')) continue;
    const isNew =
      page.file.startsWith('docs/adding-') && page.text.includes(`${method.toLowerCase()}:`);
    if (!isKnownPath(word, method, known) && !isNew) return `path ${method} ${word}`;
  }
  return undefined;
};

/** `http://127.0.0.1:8080/v1/pets`. */
const address: Rule = ({ text }, known) => {
  for (const word of text.split(/[\s`'"()<>,]+/)) {
    if (!URL.canParse(word)) continue;
    const { hostname, pathname } = new URL(word);
    const isHere = hostname === '127.0.0.1' || hostname === 'localhost';
    if (isHere && pathname !== '/' && !isKnownPath(pathname, undefined, known))
      return `path ${pathname}`;
  }
  return undefined;
};

const ownPaths = ['/docs', '/healthz', '/metrics', '/openapi.json', '/openapi.yaml', '/readyz'];

function isKnownPath(target: string, method: string | undefined, { spec, image }: Known): boolean {
  const path = (target.split('?')[0] ?? '').replace(/[.:]$/, '');
  if (path === spec.basePath || ownPaths.includes(path)) return true;
  if (method === undefined && image.includes(path)) return true;
  const below = path.startsWith(`${spec.basePath}/`) ? path.slice(spec.basePath.length) : path;
  const asked = method === 'HEAD' ? 'GET' : method;
  return spec.operations.some(
    (operation) =>
      matches(below, operation.path) && (asked ?? operation.method) === operation.method,
  );
}

/** Whether a path is that of an operation: `/pets/7` is `/pets/{petId}`. */
function matches(path: string, declared: string): boolean {
  const parts = path.split('/');
  const names = declared.split('/');
  return (
    parts.length === names.length &&
    names.every((name, i) => (name.startsWith('{') ? parts[i] !== '' : name === parts[i]))
  );
}

/** `"code":"not_found"`, the code `not_found`. */
const errorCode: Rule = ({ text }, { spec }) => {
  const plain = text.replaceAll(/["'`]/g, ' ').replaceAll(/ +/g, ' ');
  for (const mark of ['code : ', 'code ', 'code === '])
    for (const part of ` ${plain}`.split(` ${mark}`).slice(1)) {
      const [word = ''] = part.split(/[^a-z_]/);
      if (word.includes('_') && !spec.errorStatuses.has(word)) return `error code ${word}`;
    }
  return undefined;
};

const linkTarget: Rule = ({ text }, _, page) => {
  if (URL.canParse(text)) return undefined;
  const [path = '', anchor] = text.split('#');
  const target = path === '' ? page.file : join(dirname(page.file), path);
  if (!existsSync(join(root, target))) return `target of the link ${text}`;
  if (anchor === undefined || anchorsIn(textOf(target)).includes(anchor)) return undefined;
  return `heading of the link ${text}`;
};
