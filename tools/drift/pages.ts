// D6: pages name only what exists.
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { helpOf } from '../reference.ts';
import { released, root, textOf } from '../repository.ts';
import { type Help, petctlHelp, rowsOf } from './petctl.ts';
import type { Report, Spec } from './spec.ts';

interface Page {
  readonly file: string;
  readonly text: string;
  /** The text with blanks instead of all that is no code. */
  readonly code: string;
  /** The same without the blocks. */
  readonly spans: string;
  /** What patches on the page add: it is not there yet. */
  readonly added: string;
}

/** Names in a part of a page, of which the first group is one, what they are, and whether one exists. */
type Rule = readonly [part: 'text' | 'code' | 'spans', names: RegExp, what: string, exists: Exists];
type Exists = (name: string, found: RegExpExecArray, page: Page) => boolean;

/** Variables that no help names: those of the client and of the tests. */
const otherVariables = /^PETSTORE_(?:API_KEY|BASE_URL|TEST_\w+)$/;
const otherTools = /\b(?:curl|docker|git|node|npm|pnpm|podman|turbo|vitest)\b/;
const fileNames =
  /`((?:apps|packages|tools|spec|docs|examples|\.\w+)\/[\w./-]+|[\w-]+\.(?:md|mjs|yaml))`/g;
const ofNpm = /^(?:install|ci|exec|login|pack|publish|deprecate|audit)$/;

export async function check(spec: Spec, report: Report): Promise<void> {
  const server = await helpOf(join(root, 'apps/server/src/main.js'));
  const rules = rulesOf(spec, await petctlHelp(), server);
  const readmes = [...released, 'examples'].map((folder) => `${folder}/README.md`);
  for (const file of globSync(['*.md', 'docs/*.md', ...readmes], { cwd: root })) {
    const page = readPage(file);
    for (const [part, names, what, exists] of rules)
      for (const found of page[part].matchAll(names)) {
        const line = page.text.slice(0, found.index).split('\n').length;
        const [, name = ''] = found;
        if (!exists(name, found, page))
          report(`${file}:${line}: there is no ${what} ${name.trim()}`.trimEnd());
      }
  }
}

function readPage(file: string): Page {
  const text = textOf(file);
  const blank = (part: string) => part.replaceAll(/[^\n]/g, ' ');
  const commandsIn = (language: string, inside: string) => {
    if (/text|mermaid/.test(language)) return blank(inside);
    return inside.replaceAll(language === 'console' ? /^(?!\$ ).*$/gm : /(?<=^|\s)#.*$/gm, blank);
  };
  const parts = /^( *```(\w*).*\n)([\s\S]*?)^( *```)$|`[^`\n]+`|[^`\n]+|[\s\S]/gm;
  const withBlocks = (isShown: boolean) =>
    text.replaceAll(parts, (part, start, language, inside, end) => {
      if (start)
        return isShown ? blank(start) + commandsIn(language, inside) + blank(end) : blank(part);
      return /^`./.test(part) ? part : blank(part);
    });
  const added = file.startsWith('docs/adding-') ? text : '';
  return { file, text, code: withBlocks(true), spans: withBlocks(false), added };
}

function rulesOf(spec: Spec, petctl: Help, server: Help): Rule[] {
  const manifests = ['.', ...released, 'packages/testing', 'tools'].map((each) =>
    JSON.parse(textOf(`${each}/package.json`)),
  );
  const helps = [...petctl.values(), ...server.values()];
  const isFlag = isFlagOf(helps);
  const ofFlag: Exists = (flag, { index }, { text }) =>
    isFlag(flag) || otherTools.test(lineAt(text, index));
  const ownPaths =
    `${spec.basePath} /docs /healthz /metrics /openapi.json /openapi.yaml /readyz`.split(' ');
  const image = textOf('apps/server/deploy/Dockerfile');
  const client = textOf('packages/client/src/index.ts');
  const operations = spec.operations.map(({ method, path }) => {
    const pattern = new RegExp(`^(?:${spec.basePath})?${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return [method, pattern] as const;
  });
  const ofPath: Exists = (path, { 2: method }, { added }) =>
    (ownPaths.includes(path) && !/P|DEL/.test(method ?? '')) ||
    operations.some(
      ([each, pattern]) => pattern.test(path) && (method ?? each).replace('HEAD', 'GET') === each,
    ) ||
    (method ? added.includes(`${method.toLowerCase()}:`) : image.includes(path));
  const ofFile: Exists = (name, _, { file, added }) =>
    /node_modules|dist/.test(name) ||
    added.includes(name) ||
    globSync([name, join(dirname(file), name), `*/${name}`, `*/*/${name}`, `*/*/*/${name}`], {
      cwd: root,
    }).length > 0;
  const ofLink: Exists = (path, { 2: anchor }, { file }) => {
    const target = path === '' ? file : join(dirname(file), path);
    return (
      existsSync(join(root, target)) && (!anchor || anchorsOf(textOf(target)).includes(anchor))
    );
  };
  const ofClient: Exists = (name, _, { file }) =>
    new RegExp(`\\b${name}\\b`).test(client) ||
    name in globalThis ||
    !file.startsWith('packages/client/');
  const ofServer = /(?:node_modules\/\.bin\/)?petstore-server|@petstore\/server/;
  const ofVariable: Exists = (name) =>
    otherVariables.test(name) || helps.some((text) => text.match(/\b[A-Z_]+\b/g)?.includes(name));
  const ofScript: Exists = (name, [found]) =>
    name in manifests[0].scripts || (ofNpm.test(name) && !/ run /.test(found));
  return [
    ['code', /\bnpm (?:run )?(?:-s )?([a-z][\w:-]*)/g, 'npm script', ofScript],
    [
      'text',
      /(@petstore\/[a-z][\w-]*)/g,
      'package',
      (name) => manifests.some((each) => each.name === name),
    ],
    ['code', commandPattern(/petctl/), 'command or flag petctl', isCommandOf(petctl)],
    ['code', commandPattern(ofServer), 'command or flag petstore-server', isCommandOf(server)],
    ['spans', /`(--[a-z][\w-]*)/g, 'flag', ofFlag],
    [
      'text',
      /\b(?=(?:\w+) `?(\/[\w/{}.-]*[\w}]))(GET|HEAD|PUT|POST|DELETE|PATCH)\b/g,
      'path',
      ofPath,
    ],
    ['text', /(?:127\.0\.0\.1|localhost):\d+(\/[\w/.{}-]*[\w}])/g, 'path', ofPath],
    ['spans', /`(\/[a-z]+(?:\.\w+)?|\/v\d+\/[\w/{}-]+)`/g, 'path', ofPath],
    [
      'text',
      /\bcode["'`]?(?::| ===)? ?["'`](\w+)["'`]/g,
      'error code',
      (code) => code in spec.statuses,
    ],
    ['spans', /`([A-Z]\w*Error)`/g, 'error class', ofClient],
    ['text', /\b((?:PETSTORE|PETCTL)_[A-Z_]*[A-Z])\b/g, 'variable', ofVariable],
    ['spans', fileNames, 'file', ofFile],
    ['text', /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g, 'target of the link', ofLink],
  ];
}

const lineAt = (text: string, index: number) =>
  text.slice(text.lastIndexOf('\n', index) + 1).split('\n')[0] ?? '';

/** A program, and the words after it as one name. */
const commandPattern = (program: RegExp) =>
  new RegExp(
    `(?<![\\w./@-]|--filter[= ])(?:${program.source})((?:(?: |\\\\\\n)+[^\\s|;&>)\`\\\\]+)*)`,
    'g',
  );

/** Whether a flag is in one of the helps. */
function isFlagOf(helps: readonly string[]): (flag: string) => boolean {
  const flags = new Set(['--help', ...helps.flatMap((text) => [...rowsOf(text).keys()])]);
  return (flag) => flags.has(flag) || flags.has(flag.replace('--no-', '--'));
}

/** Whether the words after a program's name are a command and flags of it. */
function isCommandOf(help: Help): Exists {
  return (name, _, { added }) => {
    const words = name.split(/[\s\\]+/).filter(Boolean);
    let command = '';
    for (const word of words) {
      const hasMore = [...help.keys()].some(
        (each) => each !== command && each.startsWith(command && `${command} `),
      );
      if (!/^[a-z][a-z-]*$/.test(word) || !hasMore || word === 'help') break;
      command = `${command} ${word}`.trim();
      if (!help.has(command)) return new RegExp(`operationId: ${word}[A-Z]`).test(added);
    }
    const isFlag = isFlagOf([help.get(command) ?? '', help.get('') ?? '']);
    return words.flatMap((word) => /^--[a-z][\w-]*/.exec(word) ?? []).every(isFlag);
  };
}

function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().trim(),
  );
  return headings.map((heading) =>
    heading.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-'),
  );
}
