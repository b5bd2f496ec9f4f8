// `npm run lint` rejects imports that point the wrong way, and code that has to be read twice.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '@petstore/testing';
import { beforeAll, expect, test } from 'vitest';
import { root } from '../repository.ts';

/** A file that does not exist, and what the linter has to say of it; undefined if nothing. */
type Plant = readonly [file: string, text: string, complaint: string | undefined];

const importing = (folder: string, name: string) =>
  [`${folder}/import-${name.replaceAll(/\W+/g, '-')}.ts`, `export * from '${name}';\n`] as const;
const right = (folder: string, name: string): Plant => [...importing(folder, name), undefined];
const wrong = (folder: string, name: string): Plant => [
  ...importing(folder, name),
  'noRestrictedImports',
];

const imports: readonly Plant[] = [
  wrong('packages/types/src', '@petstore/client'),
  wrong('packages/types/src', '@petstore/testing'),
  right('packages/client/src', '@petstore/types'),
  wrong('packages/client/src', '@petstore/server'),
  wrong('packages/client/src', '@petstore/testing'),
  wrong('packages/client/src', 'petctl'),
  right('apps/server/src', '@petstore/types'),
  wrong('apps/server/src', '@petstore/client'),
  wrong('apps/server/src', '@petstore/testing/server'),
  wrong('apps/server/src', 'petctl'),
  right('apps/server/src/store', '@petstore/types'),
  wrong('apps/server/src/store', '../errors.ts'),
  wrong('apps/server/src/store', '@petstore/client'),
  right('apps/server/test', '@petstore/client'),
  right('apps/petctl/src', '@petstore/client'),
  wrong('apps/petctl/src', '@petstore/server'),
  wrong('apps/petctl/src', '../../server/src/index.ts'),
  wrong('packages/testing/src', '@petstore/server'),
  right('tools/generate', '@petstore/types'),
  wrong('tools/generate', '@petstore/client'),
];

const processes: readonly Plant[] = [
  ['apps/petctl/src/planted.ts', 'console.log(process.pid);\n', 'noRestrictedGlobals'],
  wrong('apps/petctl/src', 'node:process'),
  ['apps/petctl/src/main.ts', 'console.log(process.pid);\n', undefined],
];

const functionOf = (lines: string) => `export function planted(n: number) {\n${lines}}\n`;
const tooLong = functionOf('  console.log(n);\n'.repeat(51));
const plain = 'tools/plain';
const code: readonly Plant[] = [
  [`${plain}/declaration.ts`, 'export const [a, b] = [1, 2];\n', 'Give each value'],
  [`${plain}/assignment.ts`, functionOf('  [n, n] = [1, n];\n'), 'Give each value'],
  [`${plain}/cast.ts`, functionOf('  return Object(n).code;\n'), 'Test the type'],
  [
    `${plain}/regex.ts`,
    functionOf('  return /^[a-z]{1,80}(-[a-z]{1,80}){0,8}$/.test("");\n'),
    'Parse',
  ],
  [`${plain}/named.ts`, 'export const form = /^[a-z]{1,80}(-[a-z]{1,80}){0,8}$/;\n', undefined],
  [`${plain}/void.ts`, functionOf('  return void n;\n'), 'noVoid'],
  [`${plain}/ternary.ts`, functionOf('  return n ? 1 : n > 0 ? 2 : 3;\n'), 'noNestedTernary'],
  [`${plain}/several.ts`, functionOf('  let a = 1, b = n;\n'), 'useSingleVarDeclarator'],
  [`${plain}/parameter.ts`, functionOf('  n = n / 2;\n'), 'noParameterAssign'],
  [`${plain}/long.ts`, tooLong, 'noExcessiveLinesPerFunction'],
  ['tools/test/long.ts', tooLong, undefined],
  [
    `${plain}/branches.ts`,
    functionOf('  if (n > 1) for (;;) if (n > 2) return;\n'.repeat(2)),
    'noExcessiveCognitiveComplexity',
  ],
];

let folder = '';
let errors: readonly string[] = [];
beforeAll(() => {
  const made = makeFolder('lint');
  folder = made.folder;
  cpSync(join(root, 'biome.json'), join(folder, 'biome.json'));
  cpSync(join(root, 'tools/lint'), join(folder, 'tools/lint'), { recursive: true });
  for (const [file, text] of [...imports, ...processes, ...code]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const args = ['lint', '--vcs-enabled=false', '--reporter=github', '--max-diagnostics=none', '.'];
  const { stdout } = spawnSync(process.execPath, [biome, ...args], {
    cwd: folder,
    encoding: 'utf8',
  });
  errors = stdout.split('\n').filter((line) => line.startsWith('::error'));
  return made.remove;
});

test.each([...imports, ...processes, ...code])('%s', (file, _text, complaint) => {
  const found = errors.filter((line) => line.includes(`file=${join(folder, file)},`)).join('\n');
  if (complaint === undefined) expect(found).toBe('');
  else expect(found).toContain(complaint);
});
