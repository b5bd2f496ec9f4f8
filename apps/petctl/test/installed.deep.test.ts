import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from 'vitest';
import manifest from '../package.json' with { type: 'json' };
import { binary, environment, scratch } from './petctl.ts';
import { startService } from './service.ts';

const root = join(import.meta.dirname, '..');
const prefix = mkdtempSync(join(scratch, 'prefix-'));
// On Windows, npm installs scripts, which only a shell runs.
const shell = process.platform === 'win32';
const bin = shell ? join(prefix, 'petctl.cmd') : join(prefix, 'bin', 'petctl');

/** The Node of the machine itself, beside the pinned one. */
const machineNode = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .map((folder) => join(folder, 'node'))
  .find((file) => existsSync(file));
const nodes = [...new Set([process.execPath, ...(machineNode ? [machineNode] : [])])];

let env: Record<string, string>;
beforeAll(async () => {
  // Other tests may read `dist` at the same time, so it is built only if it is out of date.
  const dist = join(root, 'dist', 'petctl.js');
  if (!existsSync(dist) || readFileSync(dist, 'utf8') !== readFileSync(binary, 'utf8'))
    execFileSync(process.execPath, [join(root, 'build/main.ts')]);
  const packed = mkdtempSync(join(scratch, 'packed-'));
  execFileSync('pnpm', ['pack', '--pack-destination', packed], { cwd: root, stdio: 'pipe', shell });
  const [tarball = ''] = readdirSync(packed);
  const args = [
    'install',
    '--global',
    '--prefix',
    prefix,
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    join(packed, tarball),
  ];
  execFileSync('npm', args, { cwd: packed, stdio: 'pipe', shell });
  ({ env } = await startService());
}, 120_000);

/** The output of the installed command. It must not block, because the service is in this process. */
async function installed(node: string, ...args: string[]): Promise<string> {
  const PATH = [dirname(node), process.env.PATH].join(delimiter);
  return (await promisify(execFile)(bin, args, { env: { ...environment(env), PATH }, shell })).stdout;
}

describe.each(nodes)('installed with npm, under %s', (node) => {
  test('works, or says that it needs a newer Node', async () => {
    const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).slice(1);
    const oldest = manifest.engines.node.slice('>='.length);
    if (version.localeCompare(oldest, 'en', { numeric: true }) < 0)
      return void (await expect(installed(node, 'pets', 'list')).rejects.toThrow('needs Node'));
    expect(await installed(node, '--version')).toBe(`${manifest.version}\n`);
    expect(await installed(node, 'pets', 'create', '--name', 'Rex', '--category-id', '1', '--fields', 'name')).toBe(
      'Rex\n',
    );
    expect(await installed(node, 'pets', 'list', '--jq', '.[0].name')).toBe('Rex\n');
    for (const output of ['table', 'csv', 'json'])
      expect(await installed(node, 'pets', 'list', '-o', output)).toContain('Rex');
    expect(await installed(node, 'help')).toContain('petctl pets import');
  });
});

test('the package has no TypeScript', () => {
  const files = readdirSync(join(prefix, 'lib', 'node_modules', 'petctl'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((file) => /\.ts$/.test(file) && !file.startsWith('node_modules'))).toEqual([]);
});
