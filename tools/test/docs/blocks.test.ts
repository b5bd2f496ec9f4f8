import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { exceptions, pictures, runnable } from './exceptions.ts';
import { type Block, blocksOf, pages, pattern, root, shownIn, textOf } from './pages.ts';
import { hasShell, newWorld, type World } from './world.ts';

let world: World;

/** What is run for a command of a page: the command itself, something instead, or nothing. */
function runOf(command: string): string | undefined {
  if (/^\s*(#|$)/.test(command)) return undefined;
  const exception = exceptions.find(({ commands }) => commands.test(command));
  exception?.check?.(command);
  if (exception) return exception.instead;
  expect(
    command,
    'nobody said whether this can be run here: put it into runnable or, with the reason, into exceptions in exceptions.ts',
  ).toMatch(runnable);
  return command;
}

const programs = ['ts', 'js'];

/** Runs a program of a page, which may complain of nothing, and may have to print what the page shows right behind it. */
async function program({ line, language, text }: Block, _: unknown, after: Block | undefined): Promise<void> {
  const file = `line-${line}.${language}`;
  await writeFile(join(world.folder, file), world.here(text));
  const { code, output } = await world.run(
    `node ${file} 2> complaints || { cat complaints; exit 1; }; cat complaints; test ! -s complaints`,
  );
  expect(code, output).toBe(0);
  if (after?.language === 'text' && after.follows) expect(output).toMatch(pattern(after.text));
}

/** How the blocks of each language are held to what they say. */
const kinds: Record<string, (block: Block, before: Block | undefined, after: Block | undefined) => Promise<void>> = {
  sh: async ({ text }) => {
    const commands = text.match(/^(.*\\\n)*.*$/gm) ?? [];
    const { code, output } = await world.run(commands.map((command) => runOf(command) ?? '').join('\n'));
    expect(code, output).toBe(0);
  },

  console: async (block) => {
    const shown = shownIn(block);
    expect(shown).not.toEqual([]);
    for (const { command, output } of shown) {
      const run = runOf(command);
      // A terminal shows tables, and the page shows what a terminal does.
      const printed =
        run === undefined ? greetingOf(command) : (await world.run(run, { PETCTL_OUTPUT: 'table' })).output;
      if (printed !== undefined) expect(`$ ${command}\n${printed}`).toMatch(pattern(`$ ${command}\n${output}`));
    }
  },

  ts: program,
  js: program,

  text: async (block, before) => {
    if (block.follows && programs.includes(before?.language ?? '')) return;
    const picture = pictures.find(({ page }) => page === block.page);
    expect(
      picture,
      'a text block is what the program before it prints, or one of the pictures in exceptions.ts',
    ).toBeDefined();
    picture?.check?.(block);
  },

  json: async ({ text }) => void JSON.parse(text),
  yaml: async ({ text }) => void parse(text),
  // Applied one after the other by adding-an-operation.test.ts.
  diff: async ({ page }) => expect(page).toBe('docs/adding-an-operation.md'),
};

/** What is not run here shows nothing, but for the server, which was started before. */
const greetingOf = (command: string) => (command === 'npm start' ? world.greeting : undefined);

describe.skipIf(!hasShell).each(pages)('%s', (page) => {
  const blocks = blocksOf(page);
  beforeAll(async () => {
    if (blocks.length > 0) world = await newWorld();
  });
  afterAll(() => world?.close());

  test.each(blocks.map((block, i) => [block.line, block.language, block, i] as const))(
    'line %d: its %s block holds',
    async (_, language, block, i) => {
      const hold = kinds[language];
      if (!hold) {
        const known = Object.keys(kinds).join(', ');
        throw new Error(
          `${page}:${block.line}: nobody checks a block of '${language}'. Make it one of ${known}, or teach kinds in ` +
            'tools/test/docs/blocks.test.ts. What cannot be run is told in tools/test/docs/exceptions.ts, with its reason.',
        );
      }
      await hold(block, blocks[i - 1], blocks[i + 1]);
    },
  );

  test('the files and npm scripts that its sentences name are there', () => {
    const files = [...textOf(page).matchAll(/`((?:apps|packages|spec|tools|docs|examples)\/[\w./-]+)`/g)];
    expect(files.map(([, file = '']) => file).filter((file) => !existsSync(join(root, file)))).toEqual([]);
    const scripts = Object.keys(JSON.parse(textOf('package.json')).scripts);
    const named = [...textOf(page).matchAll(/`npm (?:run (?:-\S+ )*)?([\w:-]+)/g)].map(([, script = '']) => script);
    const ours = named.filter((script) => !['install', 'login', 'publish', 'deprecate', 'audit'].includes(script));
    expect(scripts).toEqual(expect.arrayContaining(ours));
  });
});

test('no exception is left that no page needs', () => {
  const lines = pages.flatMap((page) => blocksOf(page).flatMap(({ text }) => text.split('\n')));
  const commands = lines.map((line) => line.replace(/^\$ /, ''));
  const needless = exceptions.filter((exception) => !commands.some((command) => exception.commands.test(command)));
  expect(needless).toEqual([]);
});
