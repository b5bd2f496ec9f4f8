// The commands and programs on the pages run, and print what the pages show.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeep, missingProgram, skips } from '@petstore/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root } from '../../repository.ts';
import { hasShell, newReader, type Reader } from '../support/reader.ts';
import { startServerProcess } from '../support/server.ts';
import { type Block, blocksOf, pages, pattern } from './pages.ts';

/** Pages whose commands only the deep run runs. The quick run checks that each of them is one that can be run. */
const slowPages = ['docs/operating.md', 'docs/petctl.md'];

/** The commands that are run: they need only the reader's folder and the network of this machine. */
const runnable =
  /^(\w+=\S+ )*(export|printf|curl|(npx )?petctl|node_modules\/\.bin\/petstore-server keys|node [\w-]+\.mjs|\.\/[\w-]+\.sh)( |$)/;

/** The commands that are not run, the reason, and what is run instead. */
type Exception = readonly [commands: RegExp, reason: string, instead?: (command: string) => string];
const exceptions: readonly Exception[] = [
  ...(skips('the curl commands of pages', missingProgram('curl'), 'curl')
    ? ([[/^curl /, 'there is no curl']] as const)
    : []),
  [
    /^npm start\b/,
    'it serves until it is stopped; the reader has the same server, and start.test.ts runs npm start',
  ],
  [/^npm (test|run [\w:-]+)\b/, 'it works on the whole repository, and npm test runs this test'],
  [/^npm (install|exec) /, 'tools/test/packaging installs the packed packages'],
  [
    /^petctl auth login\b/,
    'it asks a terminal; petctl tests that',
    (command) => `${command} < key.txt`,
  ],
  [
    /^(DATABASE_URL=|mkdir -m 700 restored|node_modules\/\.bin\/petstore-server (export|import|--data-dir) )/,
    'it needs a PostgreSQL or a stopped server; apps/server/test exports and imports',
  ],
  [
    /^docker (build|run|compose)\b/,
    'tools/test/deploy/image.deep.test.ts builds and runs the same',
  ],
  [
    /^(cd apps\/server\/deploy|printf 'DATABASE_URL|openssl|cat|chown)\b/,
    'it makes secrets for a deployment',
  ],
  [/^(npx )?(changeset|pnpm)\b/, 'it changes or checks the repository'],
  [/^(cd apps\/\w+ && )?npx vitest\b/, 'npm test runs the tests'],
];

/** What is run for a command: the command itself or its replacement; undefined if nothing is. */
function runOf(command: string): string | undefined {
  if (/^\s*(#|$)/.test(command)) return undefined;
  const exception = exceptions.find(([commands]) => commands.test(command));
  if (exception) return exception[2]?.(command.replace(/ +#.*/, ''));
  expect(command, 'add this command to runnable or, with the reason, to exceptions').toMatch(
    runnable,
  );
  return command;
}

/** Runs a program of a page. It must print nothing to stderr, and the text that follows it on the page, if any. */
async function runProgram(
  reader: Reader,
  { line, language, text }: Block,
  after: Block | undefined,
): Promise<void> {
  // tools/test/packaging runs the tests that pages show.
  if (/from 'vitest'/.test(text)) return;
  const file = `line-${line}.${language}`;
  await writeFile(join(reader.folder, file), reader.fillIn(text));
  const { code, output } = await reader.run(
    `node ${file} 2> stderr || { cat stderr; exit 1; }; cat stderr; test ! -s stderr`,
  );
  expect(code, output).toBe(0);
  if (after?.language === 'text' && after.follows) expect(output).toMatch(pattern(after.text));
}

/** Runs the commands of a block after `$`, and compares what they print. Pages show what a terminal shows, and that is tables. */
async function runConsole(reader: Reader, { text }: Block): Promise<void> {
  for (const part of text.split(/^\$ /m).slice(1)) {
    const [, command = '', shown = ''] = /^((?:.*\\\n)*.*)\n?([\s\S]*)$/.exec(part) ?? [];
    const run = runOf(command);
    const printed = run
      ? (await reader.run(run, { PETCTL_OUTPUT: 'table' })).output
      : reader.greeting;
    if (run || command === 'npm start')
      expect(`$ ${command}\n${printed}`).toMatch(pattern(`$ ${command}\n${shown}`));
  }
}

async function check(
  reader: Reader | undefined,
  block: Block,
  before: Block | undefined,
  after: Block | undefined,
) {
  const { language, text, page, follows } = block;
  if (language === 'sh') {
    const commands = text.match(/^(.*\\\n)*.*$/gm) ?? [];
    const result = await reader?.run(commands.map((command) => runOf(command) ?? '').join('\n'));
    if (result) expect(result.code, result.output).toBe(0);
  } else if (language === 'yaml')
    expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([]);
  else if (language === 'mermaid')
    for (const [name] of text.matchAll(/\b(apps|packages|spec|tools|examples)\/[\w./-]+\w/g))
      expect(existsSync(join(root, name)), name).toBe(true);
  // adding-an-operation.test.ts adds them to the sources.
  else if (language === 'ts' && page === 'docs/adding-an-operation.md') return;
  else if (language === 'text' && !(follows && /^[jt]s$/.test(before?.language ?? '')))
    // A message of the compiler, which adding-an-operation.test.ts compares, and the help of petctl, which the drift script compares.
    expect(['docs/adding-an-operation.md', 'docs/petctl.md']).toContain(page);
  else if (language !== 'text') {
    expect(['console', 'ts', 'js'], 'blocks of this language are not checked').toContain(language);
    if (!reader) throw new Error('A page with programs or outputs cannot be one of slowPages.');
    await (language === 'console' ? runConsole(reader, block) : runProgram(reader, block, after));
  }
}

describe.skipIf(!hasShell).each(pages.filter((page) => blocksOf(page).length > 0))('%s', (page) => {
  const blocks = blocksOf(page);
  let reader: Reader | undefined;
  beforeAll(async () => {
    if (!isDeep && slowPages.includes(page)) return;
    const showsStart = blocks.some(
      ({ language, text }) => language === 'console' && /^\$ npm start$/m.test(text),
    );
    reader = await newReader(showsStart ? startServerProcess : undefined);
    return reader.close;
  });

  test.each(blocks.map((block, i) => [block.line, block.language, i] as const))(
    'line %d: the %s block is true',
    async (_, __, i) => {
      const block = blocks[i];
      if (block) await check(reader, block, blocks[i - 1], blocks[i + 1]);
    },
  );
});
