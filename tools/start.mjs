// `npm start`: installs the server's packages, generates if the spec has changed, and runs the server. Plain JavaScript,
// because the first start runs on the machine's own Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { pinnedNode, runInstead, setup } from './setup.mjs';

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const generated = ['types/src/gen/types', 'types/src/gen/operations', 'client/src/gen/calls'];

/** The process under which the first step of `npm start` ran; the second step ends with it. */
const { npm_lifecycle_event: isOfNpm, START_PARENT: parent } = process.env;
const started = process.argv.slice(1);

await setup('serve');
const node = pinnedNode();
if (realpathSync(process.execPath) !== realpathSync(node)) runInstead(node, started);
else if (!isGenerated()) await generate();
else if (isOfNpm && !parent) runInstead(node, started, { START_PARENT: `${process.ppid}` });
else if (!isOfNpm || process.platform === 'win32' || process.ppid === Number(parent)) await serve();

/** Whether the generated files name the spec that there is. */
function isGenerated() {
  const spec = readFileSync(path('spec/openapi.yaml'));
  const hash = createHash('sha256').update(spec).digest('hex').slice(0, 16);
  const files = generated.map((file) => path(`packages/${file}.gen.ts`));
  return files.every(
    (file) => existsSync(file) && readFileSync(file, 'utf8').split('\n')[0].includes(hash),
  );
}

async function generate() {
  await setup('all');
  const { status } = spawnSync(node, [path('tools/generate/main.ts')], { stdio: 'inherit' });
  if (status === 0) runInstead(node, started);
  else process.exitCode = status ?? 1;
}

async function serve() {
  delete process.env.START_PARENT;
  await import(pathToFileURL(path('apps/server/src/main.js')).href);
}
