// `npm start`: installs the server's packages, generates if the spec has changed, and runs the server. Plain JavaScript,
// because the first start runs on the machine's own Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { runInstead, stopWithParent } from './processes.mjs';
import { pinnedNode, setup } from './setup.mjs';

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const generated = ['types/src/gen/types', 'types/src/gen/operations', 'client/src/gen/calls'].map(
  (file) => `packages/${file}.gen.ts`,
);

// The cache is enabled before any TypeScript is loaded: for a file that is not in it, Node loads its compiler.
module.enableCompileCache?.(path('apps/server/node_modules/.cache/compile'));
stopWithParent();
await setup('serve');
const node = pinnedNode();
const isPinned = realpathSync(process.execPath) === realpathSync(node);
if (isPinned && isGenerated()) await import(pathToFileURL(path('apps/server/src/main.js')).href);
else if (isPinned) await generate();
else runInstead(node, process.argv.slice(1));

/** Whether the generated files name the spec that there is. */
function isGenerated() {
  const hash = createHash('sha256')
    .update(readFileSync(path('spec/openapi.yaml')))
    .digest('hex')
    .slice(0, 16);
  return generated.every(
    (file) => existsSync(path(file)) && readFileSync(path(file), 'utf8').split('\n')[0].includes(hash),
  );
}

async function generate() {
  await setup('all');
  const { status } = spawnSync(node, [path('tools/generate/main.ts')], { stdio: 'inherit' });
  if (status !== 0) {
    process.exitCode = status ?? 1;
    return;
  }
  runInstead(node, process.argv.slice(1));
}
