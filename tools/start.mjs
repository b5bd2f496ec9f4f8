// `npm start`: installs the server's packages, generates if the spec has changed, and runs the server. Plain JavaScript,
// because the first start runs on the machine's own Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { runInstead, stopWithParent } from './processes.mjs';
import { pinnedNode, setup } from './setup.mjs';

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));

// Before any TypeScript is loaded: Node would load its compiler for the first file.
module.enableCompileCache?.(path('apps/server/node_modules/.cache/compile'));
stopWithParent();
await setup('serve');
const node = pinnedNode();
const isPinned = realpathSync(process.execPath) === realpathSync(node);
if (isPinned && (await isGenerated())) await import(pathToFileURL(path('apps/server/src/main.js')).href);
else if (isPinned) await generate();
else runInstead(node, process.argv.slice(1));

/** Whether the generated code matches the spec. A file remembers the last match. */
async function isGenerated() {
  const spec = readFileSync(path('spec/openapi.yaml'), 'utf8');
  const generated = path('packages/types/src/gen/document.gen.ts');
  if (!existsSync(generated)) return false;
  const compared = createHash('sha256').update(spec).update(readFileSync(generated)).digest('hex');
  const stamp = path('node_modules/.generated-from');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === compared) return true;
  const { parse } = createRequire(path('apps/server/package.json'))('yaml');
  const { openApiDocument } = await import(pathToFileURL(generated).href);
  const isSame = isDeepStrictEqual(parse(spec), openApiDocument);
  if (isSame) writeFileSync(stamp, compared);
  return isSame;
}

async function generate() {
  await setup('all');
  const { status } = spawnSync(node, [path('tools/generate/main.ts')], { stdio: 'inherit' });
  if (status === 0) runInstead(node, process.argv.slice(1));
  else process.exitCode = status ?? 1;
}
