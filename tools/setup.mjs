// Installs the workspace, before `npm start` and `npm test`, and does nothing when nothing changed. Plain JavaScript,
// because it runs on whatever Node the machine has; everything after it runs on the Node that it installs.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const root = new URL('../', import.meta.url);
const read = (path) => {
  try {
    return readFileSync(new URL(path, root), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
};

if (read('pnpm-lock.yaml') !== read('node_modules/.pnpm/lock.yaml')) {
  const { npm_node_execpath: node, npm_execpath: npm } = process.env;
  if (!node || !npm) {
    console.error('Set-up runs by itself before `npm start` and `npm test`; call one of them, or `npm run setup`.');
    process.exit(1);
  }
  const { packageManager } = JSON.parse(read('package.json'));
  const install = ['pnpm', 'install', '--frozen-lockfile', '--trust-lockfile'];
  const { status, error } = spawnSync(node, [npm, 'exec', '--yes', `--package=${packageManager}`, '--', ...install], {
    cwd: root,
    stdio: 'inherit',
  });
  if (error) throw error;
  process.exit(status ?? 1);
}
