import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { skips } from '@petstore/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import { blocksOf } from '../docs/pages.ts';
import { type Server, startServer } from '../support/server.ts';
import { newProject, type Project, runIn } from './project.ts';

/** For downloads over a slow network. */
const INSTALL_TIMEOUT_MS = 300_000;

/** What importing teams have. Only this test needs them, so they are not dependencies. */
const TOOLS = [
  ...['jest@29.7.0', 'ts-jest@29.4.15', 'babel-jest@29.7.0', '@babel/preset-env@7', '@babel/preset-typescript@7'],
  ...['typescript@5.9.3', 'vitest@3', 'webpack@5.112.2'],
];

const jestOf = (transform: object) => ({
  cacheDirectory: '<rootDir>/cache',
  testMatch: ['**/jest/*.test.ts'],
  transform: { '\\.ts$': transform },
});

const compilerOptions = {
  module: 'commonjs',
  moduleResolution: 'node10',
  target: 'es2022',
  strict: true,
  skipLibCheck: true,
};

/** How each runs the same test file. */
const runners: Record<string, { readonly config: string; readonly content: object; readonly command: string[] }> = {
  'ts-jest': {
    config: 'ts-jest.json',
    content: jestOf(['ts-jest', { tsconfig: compilerOptions }] as object),
    command: ['jest', '--config', 'ts-jest.json'],
  },
  'babel-jest': {
    config: 'babel-jest.json',
    content: jestOf([
      'babel-jest',
      { presets: [['@babel/preset-env', { targets: { node: '20' } }], '@babel/preset-typescript'] },
    ] as object),
    command: ['jest', '--config', 'babel-jest.json'],
  },
  vitest: { config: 'unused.json', content: {}, command: ['vitest', 'run', 'vitest'] },
};

let project: Project;
let server: Server;
let isInstalled = false;
beforeAll(async () => {
  [project, server] = await Promise.all([newProject(['@petstore/types', '@petstore/client']), startServer()]);
  const { folder } = project;
  // The project of a team that has CommonJS.
  await writeFile(join(folder, 'package.json'), '{"private":true}');
  const packed = (await readdir(folder)).filter((file) => file.endsWith('.tgz')).map((file) => `./${file}`);
  try {
    await runIn(folder, 'npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', ...packed, ...TOOLS);
    isInstalled = true;
  } catch (error) {
    if (process.env.CI) throw error;
    skips('the client in Jest, vitest and webpack', `they could not be installed: ${error}`);
  }
  for (const name of ['jest', 'vitest']) {
    await mkdir(join(folder, name));
    for (const { text } of blocksOf('packages/client/README.md')) {
      const [, file] = /^\/\/ ([\w.-]+\.ts)\n/.exec(text) ?? [];
      if (file)
        await writeFile(join(folder, name, file), name === 'jest' ? text.replace("'vitest'", "'@jest/globals'") : text);
    }
  }
  return async () => {
    await server.stop();
    project.remove();
  };
}, INSTALL_TIMEOUT_MS);

describe('the test that the README shows', () => {
  test.each(Object.entries(runners))(
    'passes with %s',
    async (_, { config, content, command: [command = '', ...args] }) => {
      if (!isInstalled) return;
      const { folder } = project;
      await writeFile(join(folder, config), JSON.stringify(content));
      await runIn(folder, join(folder, 'node_modules/.bin', command), ...args);
    },
    INSTALL_TIMEOUT_MS,
  );
});

test('a bundle by webpack runs alone', async () => {
  if (!isInstalled) return;
  const { folder, elsewhere } = project;
  const script = `
    require('webpack')({
      mode: 'production', target: 'node', entry: './esm.js', experiments: { topLevelAwait: true },
      module: { parser: { javascript: { dynamicImportMode: 'eager' } } },
      output: { path: ${JSON.stringify(elsewhere)}, filename: 'webpack.cjs' },
    }, (error, stats) => {
      if (error || stats.hasErrors()) { console.error(String(error ?? stats)); process.exit(1); }
    });`;
  await writeFile(join(folder, 'webpack.cjs'), script);
  await runIn(folder, process.execPath, 'webpack.cjs');
  const printed = await runIn(
    folder,
    process.execPath,
    join(elsewhere, 'webpack.cjs'),
    `${server.origin}/v1`,
    server.key,
  );
  expect(JSON.parse(printed)).toMatchObject({ listed: ['Rex', 'Tom', 'Ida'], known: true });
});
