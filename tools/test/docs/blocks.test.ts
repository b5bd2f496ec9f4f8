import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeep } from '@petstore/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root, textOf } from '../../repository.ts';
import { type Fixture, hasShell, newFixture } from '../support/fixture.ts';
import { startServerProcess } from '../support/server.ts';
import { exceptions, foldersExist, pagesWithOtherTexts, runnable } from './exceptions.ts';
import { type Block, blocksOf, pages, pattern, shownIn } from './pages.ts';

/** Pages whose commands only the deep run runs. The quick run checks that each of them is one that can be run. */
const SLOW_PAGES = ['docs/operating.md', 'docs/petctl.md'];

/** The folder and the server for the commands of the page under test; undefined if they are not run. */
let fixture: Fixture | undefined;

/** The command to run for a command of a page: the command itself or its replacement; undefined if none is run. */
function runOf(command: string): string | undefined {
  if (/^\s*(#|$)/.test(command)) return undefined;
  const exception = exceptions.find(({ commands }) => commands.test(command));
  exception?.check?.(command);
  if (exception) return exception.instead;
  expect(command, 'add this command to runnable or, with the reason, to exceptions in exceptions.ts').toMatch(runnable);
  return command;
}

const programs = ['ts', 'js'];

/** Runs a program of a page. It must print nothing to stderr, and the text that follows it on the page, if any. */
async function program({ line, language, text }: Block, _: unknown, after: Block | undefined): Promise<void> {
  if (!fixture) throw new Error('A page with programs cannot be one of SLOW_PAGES.');
  const file = `line-${line}.${language}`;
  await writeFile(join(fixture.folder, file), fixture.fillIn(text));
  const { code, output } = await fixture.run(
    `node ${file} 2> stderr || { cat stderr; exit 1; }; cat stderr; test ! -s stderr`,
  );
  expect(code, output).toBe(0);
  if (after?.language === 'text' && after.follows) expect(output).toMatch(pattern(after.text));
}

/** The check for the blocks of each language. */
const checks: Record<string, (block: Block, before: Block | undefined, after: Block | undefined) => Promise<void>> = {
  sh: async ({ text }) => {
    const commands = text.match(/^(.*\\\n)*.*$/gm) ?? [];
    const script = commands.map((command) => runOf(command) ?? '').join('\n');
    const result = await fixture?.run(script);
    if (result) expect(result.code, result.output).toBe(0);
  },

  console: async (block) => {
    const shown = shownIn(block);
    expect(shown).not.toEqual([]);
    if (!fixture) throw new Error('A page with console blocks cannot be one of SLOW_PAGES.');
    for (const { command, output } of shown) {
      const run = runOf(command);
      // Pages show what a terminal shows, and that is tables.
      const printed =
        run === undefined ? greetingOf(command) : (await fixture.run(run, { PETCTL_OUTPUT: 'table' })).output;
      if (printed !== undefined) expect(`$ ${command}\n${printed}`).toMatch(pattern(`$ ${command}\n${output}`));
    }
  },

  // Deep tests of the packaging run the tests that pages show.
  ts: (block, ...others) => (/from 'vitest'/.test(block.text) ? Promise.resolve() : program(block, ...others)),
  js: program,

  text: async (block, before) => {
    if (block.follows && programs.includes(before?.language ?? '')) return;
    const comparedPages = pagesWithOtherTexts.map(({ page }) => page);
    const reason = 'a text block follows the program that prints it, or its page is listed in exceptions.ts';
    expect(comparedPages, reason).toContain(block.page);
  },

  mermaid: async (block) => foldersExist(block),
  yaml: async ({ text }) => expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([]),
  // adding-an-operation.test.ts applies them.
  diff: async ({ page }) => expect(page).toBe('docs/adding-an-operation.md'),
};

/** The server is the one command that shows output without being run again: it was started before. */
const greetingOf = (command: string) => (command === 'npm start' ? fixture?.greeting : undefined);

describe.skipIf(!hasShell).each(pages)('%s', (page) => {
  const blocks = blocksOf(page);
  const showsStart = blocks.some(({ language, text }) => language === 'console' && /^\$ npm start$/m.test(text));
  beforeAll(async () => {
    fixture = undefined;
    if (blocks.length === 0 || (!isDeep && SLOW_PAGES.includes(page))) return;
    fixture = await newFixture(showsStart ? startServerProcess : undefined);
    return fixture.close;
  });

  test.each(blocks.map((block, i) => [block.line, block.language, block, i] as const))(
    'line %d: the %s block is true',
    async (_, language, block, i) => {
      const check = checks[language];
      if (!check) {
        const known = Object.keys(checks).join(', ');
        throw new Error(
          `${page}:${block.line}: blocks of '${language}' are not checked. Make it one of ${known}, or add a check in ` +
            'tools/test/docs/blocks.test.ts.',
        );
      }
      await check(block, blocks[i - 1], blocks[i + 1]);
    },
  );

  test('the files and npm scripts that it names exist', () => {
    const files = [...textOf(page).matchAll(/`((?:apps|packages|spec|tools|docs|examples)\/[\w./-]+)`/g)];
    // Installation and runs make what is in node_modules.
    const committed = files.map(([, file = '']) => file).filter((file) => !file.includes('/node_modules/'));
    expect(committed.filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const scripts = Object.keys(JSON.parse(textOf('package.json')).scripts);
    const named = [...textOf(page).matchAll(/`npm (?:run (?:-\S+ )*)?([\w:-]+)/g)].map(([, script = '']) => script);
    const ours = named.filter((script) => script !== 'install');
    expect(scripts).toEqual(expect.arrayContaining(ours));
  });
});

test('pages use npx only for programs that a checkout installs', () => {
  // For a name that is not installed, npx asks the registry, where it may be anybody's.
  const known = ['petctl', 'changeset', 'pnpm', 'vitest'];
  const named = pages.flatMap((page) => [...textOf(page).matchAll(/\bnpx ([\w@/-]+)/g)].map(([, name]) => name));
  expect(new Set(named).difference(new Set(known))).toEqual(new Set());
});

test('every exception is needed by a page', () => {
  const lines = pages.flatMap((page) => blocksOf(page).flatMap(({ text }) => text.split('\n')));
  const commands = lines.map((line) => line.replace(/^\$ /, ''));
  const needless = exceptions.filter((exception) => !commands.some((command) => exception.commands.test(command)));
  expect(needless).toEqual([]);
});
