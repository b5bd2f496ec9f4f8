// D6: pages name only what exists.
import { existsSync, globSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as client from '@petstore/client';
import { released, root, textOf } from '../repository.ts';
import { type Help, helpOf, petctlHelp, rowsOf } from './petctl.ts';
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

/** Whether a name exists. */
type Known = (name: string, found: RegExpExecArray, page: Page) => boolean;
/** Names in a part of a page, and what they are. */
type Rule = readonly [part: 'text' | 'code' | 'spans', pattern: RegExp, what: string, isKnown: Known];

const ownPaths = '/docs /healthz /metrics /openapi.json /openapi.yaml /readyz'.split(' ');
/** Variables that no help names: those of the client, of the tests and of D7. */
const otherVariables = /^PETSTORE_(?:API_KEY|BASE_URL|TEST_\w+)$/;
const otherTools = /\b(?:curl|docker|git|node|npm|pnpm|podman|turbo|vitest)\b/;
const ofNpm = /^(?:install|ci|exec|login|pack|publish|deprecate|audit)$/;

export async function check(spec: Spec, report: Report): Promise<void> {
  const server = await helpOf(join(root, 'apps/server/src/main.js'));
  const rules = rulesOf(spec, await petctlHelp(), server);
  const readmes = [...released, 'examples'].map((folder) => `${folder}/README.md`);
  for (const file of globSync(['*.md', 'docs/*.md', ...readmes], { cwd: root })) {
    const page = readPage(file);
    const say = (at: number, fault: unknown) =>
      report(`${file}:${page.text.slice(0, at).split('\n').length}: ${fault}`);
    for (const [part, pattern, what, isKnown] of rules)
      for (const found of page[part].matchAll(pattern)) {
        const [, name = ''] = found;
        if (!isKnown(name, found, page)) say(found.index, `there is no ${what} ${name}`.trimEnd());
      }
  }
}

function readPage(file: string): Page {
  const text = textOf(file);
  const blank = (part: string) => part.replaceAll(/[^\n]/g, ' ');
  const commandsIn = (language: string, inside: string) => {
    if (/text|diff|mermaid/.test(language)) return blank(inside);
    return inside.replaceAll(language === 'console' ? /^(?!\$ ).*$/gm : /(?<=^|\s)#.*$/gm, blank);
  };
  const parts = /^( *```(\w*).*\n)([\s\S]*?)^( *```)$|`[^`\n]+`|[^`\n]+|[\s\S]/gm;
  const code = text.replaceAll(parts, (part, start, language, inside, end) => {
    if (start) return blank(start) + commandsIn(language, inside) + blank(end);
    return /^`./.test(part) ? part : blank(part);
  });
  const spans = text.replaceAll(parts, (part, start) => (!start && /^`./.test(part) ? part : blank(part)));
  const patches = [...text.matchAll(/^```diff\n([\s\S]*?)^```$/gm)].map(([patch]) =>
    patch.match(/^\+.*$/gm)?.join('\n'),
  );
  return { file, text, code, spans, added: patches.join('\n') };
}

/** All names that are looked at. The first group of a pattern is the name. */
function rulesOf(spec: Spec, petctl: Help, server: Help): Rule[] {
  const folders = ['.', ...released, 'packages/testing', 'tools'];
  const manifests = folders.map((folder) => JSON.parse(textOf(`${folder}/package.json`)));
  const helps = [...petctl.values(), ...server.values()];
  const flags = new Set(helps.flatMap((text) => [...rowsOf(text).keys()]));
  const image = textOf('apps/server/deploy/Dockerfile');
  const operations = spec.operations.map(({ method, path }) => {
    const pattern = path.replaceAll(/\{\w+\}/g, '[^/]+');
    return { method, pattern: new RegExp(`^(?:${spec.basePath})?${pattern}$`) };
  });

  const isScript: Known = (name, { 0: found }) =>
    name in manifests[0].scripts || (ofNpm.test(name) && !/ run /.test(found));
  const isScriptOf: Known = (name, { 2: script = 'exec' }) =>
    /^(?:exec|pack|install)$/.test(script) || manifests.some((each) => each.name === name && each.scripts?.[script]);
  const isPackage: Known = (name) => manifests.some((each) => each.name === name);
  const isFlag: Known = (flag, { index }, { text }) => {
    const line = text.slice(text.lastIndexOf('\n', index) + 1, text.indexOf('\n', index));
    return flags.has(flag) || flags.has(flag.replace('--no-', '--')) || otherTools.test(line);
  };
  const isPath: Known = (path, { 2: method }, { added }) =>
    (ownPaths.includes(path) && !/P|DEL/.test(method ?? '')) ||
    operations.some((each) => each.pattern.test(path) && (!method || each.method === method.replace('HEAD', 'GET'))) ||
    (method ? added.includes(`${method.toLowerCase()}:`) : path === spec.basePath || image.includes(path));
  const isOperation: Known = (id, _, { added }) =>
    id === 'withOptions' || spec.operations.some((each) => each.id === id) || added.includes(`operationId: ${id}`);
  const isVariable: Known = (name) =>
    otherVariables.test(name) || helps.some((text) => text.match(/\b[A-Z_]+\b/g)?.includes(name));
  const isFile: Known = (name, _, { file, added }) =>
    /node_modules|dist/.test(name) ||
    added.includes(name) ||
    globSync([name, join(dirname(file), name), `*/${name}`, `*/*/${name}`, `*/*/*/${name}`], { cwd: root }).length > 0;
  const isLink: Known = (path, { 2: anchor }, { file }) => {
    const target = path === '' ? file : join(dirname(file), path);
    return existsSync(join(root, target)) && (!anchor || anchorsOf(textOf(target)).includes(anchor));
  };
  const isErrorClass: Known = (name, _, { file }) =>
    name in client || name in globalThis || !file.startsWith('packages/client/');
  return [
    ['code', /\bnpm (?:run )?(?:-s )?([a-z][\w:-]*)/g, 'npm script', isScript],
    ['code', /--filter[= ]([@\w/-]+)(?: (?:run )?([a-z][\w:-]*))?/g, 'script of', isScriptOf],
    ['text', /(@petstore\/[a-z][\w-]*|(?<=--filter[= ])[a-z][\w-]*)/g, 'package', isPackage],
    ['code', commandPattern(/petctl/), 'command or flag petctl', isCommandOf(petctl)],
    [
      'code',
      commandPattern(/petstore-server|@petstore\/server/),
      'command or flag petstore-server',
      isCommandOf(server),
    ],
    ['spans', /`(--[a-z][\w-]*)/g, 'flag', isFlag],
    ['text', /\b(?=(?:\w+) `?(\/[\w/{}.-]*[\w}]))(GET|HEAD|PUT|POST|DELETE|PATCH)\b/g, 'path', isPath],
    ['text', /(?:127\.0\.0\.1|localhost):\d+(\/[\w/.{}-]*[\w}])/g, 'path', isPath],
    ['spans', /`(\/[a-z]+(?:\.\w+)?|\/v\d+\/[\w/{}-]+)`/g, 'path', isPath],
    ['code', /\b(?:store|client|operations)\.([a-z]+[A-Z]\w*)/g, 'operation', isOperation],
    ['text', /\bcode["'`]?(?::| ===)? ?["'`](\w+)["'`]/g, 'error code', (code) => code in spec.statuses],
    ['spans', /`([A-Z]\w*Error)`/g, 'error class', isErrorClass],
    ['text', /\b((?:PETSTORE|PETCTL)_[A-Z_]*[A-Z])\b/g, 'variable', isVariable],
    [
      'spans',
      /`((?:apps|packages|tools|spec|docs|examples|\.\w+)\/[\w./-]+|[\w-]+\.(?:md|mjs|yaml))`/g,
      'file',
      isFile,
    ],
    ['text', /\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]+))?\)/g, 'target of the link', isLink],
  ];
}

/** A program, and the words after it as one name. */
const commandPattern = (program: RegExp) =>
  new RegExp(`(?<![\\w./@-]|--filter[= ])(?:${program.source})((?:(?: |\\\\\\n)+[^\\s|;&>)\`\\\\]+)*)`, 'g');

/** Whether the words after a program's name are a command and flags of it. */
const isCommandOf =
  (help: Help): Known =>
  (name, _, { added }) => {
    const words = name.split(/[\s\\]+/).filter(Boolean);
    let command = '';
    for (const word of words) {
      const below = [...help.keys()].filter((each) => each !== command && each.startsWith(command && `${command} `));
      const longer = `${command} ${word}`.trim();
      if (!/^[a-z][a-z-]*$/.test(word) || below.length === 0 || word === 'help') break;
      if (!help.has(longer)) return new RegExp(`operationId: ${word}[A-Z]`).test(added);
      command = longer;
    }
    const known = ['--help', ...rowsOf(help.get(command) ?? '').keys(), ...rowsOf(help.get('') ?? '').keys()];
    const given = words.flatMap((word) => /^--[a-z][\w-]*/.exec(word) ?? []);
    return given.every((flag) => known.includes(flag) || known.includes(flag.replace('--no-', '--')));
  };

function anchorsOf(text: string): string[] {
  const headings = [...text.matchAll(/^#+ +(.*)$/gm)].map(([, heading = '']) => heading.toLowerCase().trim());
  return headings.map((heading) => heading.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-'));
}
