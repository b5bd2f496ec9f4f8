// The commands and programs on the pages run, and print what the pages show.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { missingProgram, skips } from '@petstore/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { root } from '../../repository.ts';
import { hasShell, newReader, type Reader } from '../support/reader.ts';
import { startServerProcess } from '../support/server.ts';
import { type Block, blocksOf, pages, pattern } from './pages.ts';

/** How the commands that are run begin: they need only the reader's folder and the network of this machine. */
const runnable = [
  'export ',
  'printf ',
  'curl ',
  'petctl ',
  'npx petctl ',
  'node_modules/.bin/petstore-server keys ',
  'node ',
  './',
];

/** How commands begin that are not run, the reason, and what is run instead. */
interface Exception {
  readonly commands: readonly string[];
  readonly reason: string;
  readonly instead?: (command: string) => string;
}

const exceptions: Exception[] = [
  {
    commands: ['npm start'],
    reason:
      'it serves until it is stopped; start.deep.test.ts runs it, and the reader has its server',
  },
  {
    commands: ['npm test', 'npm run '],
    reason: 'it works on the whole repository, and npm test runs this test',
  },
  {
    commands: ['npm install ', 'npm exec '],
    reason: 'tools/test/packaging installs the packed packages',
  },
  {
    commands: ['petctl auth login'],
    reason: 'it asks a terminal; petctl tests that',
    instead: (command) => `${command} < key.txt`,
  },
  {
    commands: [
      'DATABASE_URL=',
      'mkdir -m 700 restored',
      'node_modules/.bin/petstore-server export ',
      'node_modules/.bin/petstore-server import ',
      'node_modules/.bin/petstore-server --data-dir ',
    ],
    reason: 'it needs a PostgreSQL or a stopped server; apps/server/test exports and imports',
  },
  {
    commands: ['docker build ', 'docker run ', 'docker compose '],
    reason: 'tools/test/deploy/image.deep.test.ts builds and runs the same',
  },
  {
    commands: ['cd apps/server/deploy', "printf 'DATABASE_URL", 'openssl ', 'cat ', 'chown '],
    reason: 'it makes secrets for a deployment',
  },
  {
    commands: ['npx changeset', 'npx pnpm', 'pnpm '],
    reason: 'it changes or checks the repository',
  },
  { commands: ['npx vitest', 'cd apps/server && npx vitest'], reason: 'npm test runs the tests' },
];
if (skips('the curl commands of pages', missingProgram('curl'), 'curl'))
  exceptions.push({ commands: ['curl '], reason: 'there is no curl' });

/** What is run for a command: the command itself or its replacement; undefined if nothing is. */
function runOf(command: string): string | undefined {
  const isEmpty = command.trim() === '' || command.trim().startsWith('#');
  if (isEmpty) return undefined;
  const begins = (start: string) => `${command} `.startsWith(start);
  const exception = exceptions.find(({ commands }) => commands.some(begins));
  if (exception) return exception.instead?.(command.replace(/ +#.*/, ''));
  const isRunnable = runnable.some((start) => withoutVariables(command).startsWith(start));
  expect(isRunnable, `add "${command}" to runnable or, with the reason, to exceptions`).toBe(true);
  return command;
}

/** `PORT=1 HOST=x node a.mjs` becomes `node a.mjs`. */
function withoutVariables(command: string): string {
  const words = command.split(' ');
  const first = words.findIndex((word) => !/^\w+=/.test(word));
  return words.slice(Math.max(first, 0)).join(' ');
}

/** Runs a program of a page. It must print nothing to stderr, and the text that follows it on the page, if any. */
async function runProgram(
  reader: Reader,
  { line, language, text }: Block,
  after: Block | undefined,
): Promise<void> {
  // tools/test/packaging runs the tests that pages show.
  if (text.includes("from 'vitest'")) return;
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
    const { command, shown } = splitCommand(part);
    const run = runOf(command);
    if (run === undefined && command !== 'npm start') continue;
    const printed = run
      ? (await reader.run(run, { PETCTL_OUTPUT: 'table' })).output
      : reader.greeting;
    expect(`$ ${command}\n${printed}`).toMatch(pattern(`$ ${command}\n${shown}`));
  }
}

/** A command may go on in the next line, behind a backslash. What follows is what it prints. */
function splitCommand(part: string): { command: string; shown: string } {
  const lines = part.split('\n');
  const last = lines.findIndex((line) => !line.endsWith('\\'));
  return {
    command: lines.slice(0, last + 1).join('\n'),
    shown: lines.slice(last + 1).join('\n'),
  };
}

async function runShell(reader: Reader, { text }: Block): Promise<void> {
  const commands = text.replaceAll('\\\n', '').split('\n');
  const runs = commands.map((command) => runOf(command) ?? '');
  const { code, output } = await reader.run(runs.join('\n'));
  expect(code, output).toBe(0);
}

function checkYaml({ text }: Block): void {
  expect(parseAllDocuments(text).flatMap(({ errors }) => errors)).toEqual([]);
}

/** `apps/server/src/store` */
const path = /\b(apps|packages|spec|tools)\/[\w./-]+\w/g;

/** A diagram names folders and files that exist. */
function checkDiagram({ text }: Block): void {
  for (const [name] of text.matchAll(path)) expect(existsSync(join(root, name)), name).toBe(true);
}

/** A text that follows a program is compared where that runs. The others are compared elsewhere. */
function checkText({ page, follows }: Block, before: Block | undefined): void {
  const isOutput = follows && ['js', 'ts'].includes(before?.language ?? '');
  // A message of the compiler, which adding-an-operation.deep.test.ts compares, and the help of petctl, which the drift check compares.
  if (!isOutput) expect(['docs/adding-an-operation.md', 'docs/petctl.md']).toContain(page);
}

async function check(
  reader: Reader,
  block: Block,
  before: Block | undefined,
  after: Block | undefined,
): Promise<void> {
  const { language, page } = block;
  if (language === 'sh') return runShell(reader, block);
  if (language === 'yaml') return checkYaml(block);
  if (language === 'mermaid') return checkDiagram(block);
  if (language === 'text') return checkText(block, before);
  // adding-an-operation.deep.test.ts adds them to the sources.
  if (language === 'ts' && page === 'docs/adding-an-operation.md') return;
  if (language === 'console') return runConsole(reader, block);
  expect(['ts', 'js'], 'blocks of this language are not checked').toContain(language);
  return runProgram(reader, block, after);
}

describe.skipIf(!hasShell).each(pages.filter((page) => blocksOf(page).length > 0))('%s', (page) => {
  const blocks = blocksOf(page);
  let reader: Reader;
  beforeAll(async () => {
    const showsStart = blocks.some(
      ({ language, text }) => language === 'console' && text.includes('$ npm start\n'),
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
