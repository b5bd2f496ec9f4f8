// D6: pages name only what exists, and what they state of settings, bounds and errors is what the code says.
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { secrets } from '../../apps/server/src/config.ts';
import { faultOf, flagsIn, type Help, petctlHelp, serverHelp } from '../help.ts';
import { pageWith, regionsOf } from '../reference.ts';
import { released, root, textOf } from '../repository.ts';
import type { Findings } from './findings.ts';
import { anchorsIn, type Page, type Part, readPage } from './markdown.ts';
import { operationsAt, otherPaths, type Spec } from './spec.ts';

export async function check(spec: Spec, findings: Findings): Promise<void> {
  const petctl = await petctlHelp();
  for (const region of regionsOf(petctl)) {
    const cause = `${region.page}: the part '${region.marker}' is not what the code says`;
    if (pageWith(region) !== textOf(region.page)) findings.add(cause, '', 'run npm run generate');
  }
  const known = knownNames(spec, petctl);
  const readmes = [...released, 'examples'].map((folder) => `${folder}/README.md`);
  for (const file of globSync(['*.md', 'docs/*.md', ...readmes], { cwd: root })) {
    for (const { text, line } of missingIn(readPage(file), known))
      findings.add(`${file}:${line}: there is no ${text}`);
  }
}

/** What pages may name. */
interface Known {
  readonly spec: Spec;
  readonly helps: ReadonlyMap<string, Help>;
  readonly flags: ReadonlySet<string>;
  readonly variables: ReadonlySet<string>;
  readonly scripts: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
  /** The files and folders of the repository. */
  readonly files: readonly string[];
  /** The text of the file that names what the client exports, types included. */
  readonly client: string;
  /** The text of the image's file, which has paths of its own. */
  readonly image: string;
}

function knownNames(spec: Spec, petctl: Help): Known {
  const server = serverHelp();
  const texts = [...petctl.values(), ...server.values()];
  const manifests = ['.', ...released, 'packages/testing', 'tools'].map((folder) =>
    JSON.parse(textOf(`${folder}/package.json`)),
  );
  const exclude = ['**/node_modules', '**/dist', '.git'];
  return {
    spec,
    helps: new Map([
      ['petctl', petctl],
      ['petstore-server', server],
    ]),
    flags: new Set(texts.flatMap(flagsIn)),
    variables: new Set([
      ...texts.flatMap((text) => text.split(/[^A-Z_]+/)),
      ...Object.values(secrets),
      // Those of the client. No help names them.
      'PETSTORE_API_KEY',
      'PETSTORE_BASE_URL',
    ]),
    scripts: new Set(Object.keys(manifests[0].scripts)),
    packages: new Set(manifests.map(({ name }) => name)),
    files: globSync(['**/*', '.*/**/*'], { cwd: root, exclude }),
    client: textOf('packages/client/src/index.ts'),
    image: textOf('apps/server/deploy/Dockerfile'),
  };
}

/** What a part of a page names and does not exist: `flag --statis`. */
type Rule = (part: Part, known: Known, page: Page) => string | undefined;

/** What a page names and does not exist, with its line. */
function* missingIn(page: Page, known: Known): Generator<Part> {
  const kinds: [readonly Part[], readonly Rule[]][] = [
    [page.commands, [npmScript, command]],
    [page.spans, [npmScript, command, flag, fileName, shownPath, errorClass]],
    [page.lines, [packageName, variable, requestPath, errorCode]],
    [page.links, [linkTarget]],
  ];
  for (const [parts, rules] of kinds)
    for (const part of parts)
      for (const rule of rules) {
        const missing = rule(part, known, page);
        if (missing) yield { text: missing, line: part.line };
      }
}

const npmCommands = ['install', 'ci', 'exec', 'login', 'pack', 'publish', 'deprecate', 'audit'];

/** `npm run drift`, `npm test`. */
const npmScript: Rule = ({ text }, { scripts }) => {
  const words = text.split(' ');
  const at = words.indexOf('npm');
  if (at < 0) return undefined;
  const [first, second] = words.slice(at + 1).filter((word) => !word.startsWith('-'));
  if (first === undefined || scripts.has(first) || npmCommands.includes(first)) return undefined;
  const script = first === 'run' ? second : first;
  return script === undefined || scripts.has(script) ? undefined : `npm script ${script}`;
};

/** `petctl pets list --limit=5`. */
const command: Rule = ({ text }, { helps }, page) => {
  for (const [program, help] of helps)
    for (const words of argumentsOf(program, text.replaceAll('npm start --', 'petstore-server'))) {
      const fault = faultOf(help, words);
      const name = fault?.split(' ').at(-1);
      if (fault && !isAdded(page, `operationId: ${name}`)) return `${fault} of ${program}`;
    }
  return undefined;
};

/** Words that end a command of a shell. */
const separators = ['|', '||', '&&', ';', '>', '<', '2>', '&'];

/** The words after each call of a program: `pets list` of `npx petctl pets list | head -1`. */
function argumentsOf(program: string, text: string): string[][] {
  const words = text.split(' ').filter((word) => word !== '');
  const calls: string[][] = [];
  for (const [at, word] of words.entries()) {
    const isProgram = word === program || word === `node_modules/.bin/${program}`;
    // `npm run pack -- petctl` names a package.
    if (!isProgram || ['--', '--filter'].includes(words[at - 1] ?? '')) continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex((each) => separators.includes(each) || each.endsWith(';'));
    calls.push(end < 0 ? rest : rest.slice(0, end));
  }
  return calls;
}

/** Whether a page that shows how to add something to the spec adds this. */
function isAdded({ file, text }: Page, yaml: string): boolean {
  return file.startsWith('docs/adding-') && text.includes(yaml);
}

/** Programs with flags of their own. */
const otherPrograms = 'curl docker git node npm npx pnpm tsc turbo vitest'.split(' ');

/** `--limit` alone. On a line about another program, it may be a flag of that. */
const flag: Rule = ({ text, line }, { flags }, page) => {
  const [name = ''] = text.split(/[ =]/);
  const positive = name.replace('--no-', '--');
  if (!name.startsWith('--') || flags.has(name) || flags.has(positive)) return undefined;
  const words = page.lines[line - 1]?.text.split(/[^a-z]+/) ?? [];
  return otherPrograms.some((program) => words.includes(program)) ? undefined : `flag ${name}`;
};

/** The end of the name of a file in this repository, such as `setup.mjs`. */
const fileEnding = /^[^.].*\.(?:md|mjs|ts|yaml)$/;

/** `tools/drift`, `listen.ts`. */
const fileName: Rule = ({ text }, { files }, page) => {
  const [top = ''] = text.split('/');
  const isBelow = text.includes('/') && files.includes(top);
  if (/[ *]/.test(text) || !(isBelow || fileEnding.test(text))) return undefined;
  const name = text.replace(/\/$/, '');
  const isThere = files.some((file) => `/${file}`.endsWith(`/${name}`));
  return isThere || isAdded(page, '') ? undefined : `file ${text}`;
};

/** `NotFoundError`, in the pages of the client. */
const errorClass: Rule = ({ text }, { client }, { file }) => {
  const isClass = /^[A-Z]\w+Error$/.test(text) && file.startsWith('packages/client/');
  const isThere = client.includes(text) || text in globalThis;
  return isClass && !isThere ? `error class ${text}` : undefined;
};

/** `@petstore/client`. */
const packageName: Rule = ({ text }, { packages }) => {
  const words = text.split(/[^\w@/-]+/).filter((word) => word.startsWith('@petstore/'));
  // `@petstore/client/testing` is a part of a package, `@petstore/spec@1.0.0` a version.
  const names = words.map((word) => `@petstore/${word.split(/[/@]/)[2]}`);
  const unknown = names.find((name) => !packages.has(name));
  return unknown && `package ${unknown}`;
};

/** `PETCTL_API_KEY`. */
const variable: Rule = ({ text }, { variables }) => {
  const names = text.split(/[^A-Z_]+/).filter(isOwnVariable);
  const unknown = names.find((name) => !variables.has(name));
  return unknown && `variable ${unknown}`;
};

/** How the names of the variables begin that some program reads. */
const ownPrefixes = ['PETSTORE_', 'PETCTL_'];

/** A name that ends with an underscore stands for several. Those of the tests are in no help. */
function isOwnVariable(word: string): boolean {
  if (word.endsWith('_') || word.startsWith('PETSTORE_TEST_')) return false;
  return ownPrefixes.some((prefix) => word.startsWith(prefix));
}

const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH'];

/** `GET /v1/pets?limit=5`, `http://127.0.0.1:8080/v1/pets`. */
const requestPath: Rule = ({ text }, known, page) => {
  const words = text.split(/[\s`'"<>,;()]+/);
  for (const [i, word] of words.entries()) {
    const method = methods.find((each) => each === words[i - 1]);
    const path = requestedPath(word, method);
    if (path === undefined || isKnownPath(path, method, known)) continue;
    if (method && isAdded(page, `${method.toLowerCase()}:`)) continue;
    return `path ${method ?? ''} ${path}`;
  }
  return undefined;
};

/** The path that a word is after a method, or that it has as an address of this machine. */
function requestedPath(word: string, method: string | undefined): string | undefined {
  if (method !== undefined && word.startsWith('/')) return word;
  const url = URL.parse(word);
  const isLocal = url?.hostname === '127.0.0.1' || url?.hostname === 'localhost';
  return isLocal && url.pathname !== '/' ? url.pathname : undefined;
}

/** `/healthz`, `/v1/pets`. */
const shownPath: Rule = ({ text }, known, page) => {
  const isPath = /^\/[^ ]+$/.test(text);
  const isOurs = text.startsWith(known.spec.basePath) || text.split('/').length === 2;
  if (!isPath || !isOurs || known.image.includes(text)) return undefined;
  const isThere = isKnownPath(text, undefined, known) || isAdded(page, `${text}:`);
  return isThere ? undefined : `path ${text}`;
};

function isKnownPath(target: string, method: string | undefined, { spec }: Known): boolean {
  const [path = ''] = target.replace(/[.:]$/, '').split('?');
  if (path === spec.basePath || otherPaths.includes(path)) return true;
  const below = path.startsWith(`${spec.basePath}/`) ? path.slice(spec.basePath.length) : path;
  const asked = method === 'HEAD' ? 'GET' : method;
  const operations = operationsAt(spec, below);
  return operations.some((each) => asked === undefined || each.method === asked);
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
