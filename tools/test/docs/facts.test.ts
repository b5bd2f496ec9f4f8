// The numbers on the pages are those of the code, the spec and the packages, and the page about the architecture names files.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '@petstore/types';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { settingsFrom } from '../../../packages/client/src/settings.ts';
import { root, textOf } from '../../repository.ts';

const pageSize = operations.listPets.fields.limit.schema;
const { IdempotencyKey: idempotencyKey } = parse(textOf('spec/openapi.yaml')).components.parameters;
const hours = idempotencyKey['x-idempotency-hours'];
const { timeout, retry } = settingsFrom({ apiKey: 'any' });

const [user] = textOf('apps/server/deploy/Dockerfile').match(/(?<=USER )\d+/) ?? [];
const [nodeOfTypeScript] = textOf('tools/setup.mjs').match(/Node [\d.]+ or later/) ?? [];
/** The oldest compiler that the packages are tested with: `5.9` of `typescript-5.9`. */
const [typeScript] = textOf('tools/package.json').match(/(?<="typescript-)5[\d.]*/) ?? [];

/** Pages, and what they say. */
const statements: readonly [page: string, text: string][] = [
  ['README.md', `Node ${nodeOf('.')} or later`],
  ['apps/petctl/README.md', `Node ${nodeOf('apps/petctl')} or later`],
  ['apps/server/README.md', `Node ${nodeOf('apps/server')} or later`],
  ['packages/client/README.md', `Node ${nodeOf('packages/client')} or later`],
  ['packages/types/README.md', `Node ${nodeOf('packages/types')} or later`],
  ['CONTRIBUTING.md', `${nodeOfTypeScript}`],
  ['apps/server/README.md', `TypeScript ${typeScript} or later`],
  ['packages/client/README.md', `TypeScript ${typeScript} or later`],
  ['packages/client/README.md', `up to ${pageSize.default} pets`],
  ['packages/client/README.md', `\`${grouped(timeout)}\``],
  [
    'packages/client/README.md',
    `{ limit: ${retry.limit}, base: ${retry.base}, cap: ${grouped(retry.cap)} }`,
  ],
  ['packages/client/README.md', `remembers it for ${hours} hours`],
  ['docs/petctl.md', `again within ${hours} hours`],
  ['docs/petctl.md', `*another* import of the last ${hours} hours`],
  ['docs/operating.md', `chown ${user} `],
];

test.each(statements)('%s says "%s"', (page, text) => {
  expect(textOf(page).replaceAll('\n', ' ').includes(text)).toBe(true);
});

/** `store/write-queue.ts` */
const sourceFiles = new Set(textOf('docs/architecture.md').match(/(?<=`)[\w/-]+\.ts(?=`)/g));

test.each([...sourceFiles])('docs/architecture.md names a file: %s', (file) => {
  const folders = ['apps/server/src', 'apps/server', 'packages/client/src', 'apps/petctl/src', ''];
  const places = folders.map((folder) => join(root, folder, file));
  expect(places.some(existsSync)).toBe(true);
});

/** The oldest Node of a package: `22.16` of `>=22.16.0`. */
function nodeOf(folder: string): string {
  const { engines } = JSON.parse(textOf(`${folder}/package.json`));
  return engines.node.replace('>=', '').replace(/\.0$/, '');
}

/** A number as code writes it: `30_000`. */
function grouped(number: number): string {
  return number.toLocaleString('en-US').replaceAll(',', '_');
}
