// `npm start`: installs the server's packages, generates if the spec has changed, and runs the server. Plain JavaScript,
// because the first start runs on the machine's own Node.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { runInstead, stopWithParent } from './processes.mjs';
import { pinnedNode, setup } from './setup.mjs';

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));
const generated = path('packages/types/src/gen/document.gen.ts');
const stamp = path('node_modules/.generated-from');

// The cache is enabled before any TypeScript is loaded: for a file that is not in it, Node loads its compiler.
module.enableCompileCache?.(path('apps/server/node_modules/.cache/compile'));
stopWithParent();
await setup('serve');
const node = pinnedNode();
const isPinned = realpathSync(process.execPath) === realpathSync(node);
if (isPinned && (await isGenerated())) await import(pathToFileURL(path('apps/server/src/main.js')).href);
else if (isPinned) await generate();
else runInstead(node, process.argv.slice(1));

/**
 * Whether the generated code matches the spec. `stamp` remembers the last match, because the generated document equals the spec only
 * if the generator changes nothing in it: one file, in OpenAPI 3.1, without merge keys.
 */
async function isGenerated() {
  if (!existsSync(generated)) return false;
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint()) return true;
  const { parseDocument } = createRequire(path('apps/server/package.json'))('yaml');
  const { openApiDocument } = await import(pathToFileURL(generated).href);
  const spec = parseDocument(readFileSync(path('spec/openapi.yaml'), 'utf8'));
  // The generator reports a spec that cannot be parsed.
  const isSame = spec.errors.length === 0 && isDeepStrictEqual(spec.toJS({ maxAliasCount: -1 }), openApiDocument);
  if (isSame) writeFileSync(stamp, fingerprint());
  return isSame;
}

async function generate() {
  await setup('all');
  const { status } = spawnSync(node, [path('tools/generate/main.ts')], { stdio: 'inherit' });
  if (status !== 0) {
    process.exitCode = status ?? 1;
    return;
  }
  writeFileSync(stamp, fingerprint());
  runInstead(node, process.argv.slice(1));
}

/** A hash of the spec's files and of the document that was generated from them. */
function fingerprint() {
  const files = readdirSync(path('spec'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
  const hash = createHash('sha256');
  for (const file of [...files, generated]) hash.update(readFileSync(file));
  return hash.digest('hex');
}
