// `npm start`: installs what serving needs, generates if the spec was changed, and runs the server. Plain JavaScript,
// because the first start runs on whatever Node the machine has.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { pinnedNode, setup } from './setup.mjs';

const PARENT_CHECK_MS = 200;
const SHELLS = new Set(['sh', 'dash', 'bash', 'ash', 'busybox', 'zsh']);
const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));

// Before any TypeScript is loaded: Node would load its compiler for the first file.
module.enableCompileCache?.(path('apps/server/node_modules/.cache/compile'));
stopWithParent();
await setup('serve');
const node = pinnedNode();
const isPinned = realpathSync(process.execPath) === realpathSync(node);
if (isPinned && (await isGenerated())) await import(pathToFileURL(path('apps/server/src/main.js')).href);
else if (isPinned) await generate();
else runAgain();

/** Whether the generated code was made from the spec as it is. What was compared once is remembered. */
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
  if (status === 0) runAgain();
  else process.exitCode = status ?? 1;
}

/** Runs this again on the pinned Node, passes signals on, and ends as it ends. */
function runAgain() {
  // The variable has it watch this process, also where npm did not start it.
  const env = { ...process.env, npm_lifecycle_event: 'start' };
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => process.exit(code ?? (signal === 'SIGINT' ? 130 : 143)));
}

/**
 * Stops when npm has gone away: killed with SIGKILL, it cannot pass the signal on, and the server would keep the port and
 * the data folder. Where a shell stands between npm and this process, the shell's parent is watched as well. On Windows the
 * shell is ended by the system together with npm.
 */
function stopWithParent() {
  if (!process.env.npm_lifecycle_event) return;
  const parent = process.ppid;
  const shell = SHELLS.has(processInfo(parent).name) ? processInfo(parent) : undefined;
  const timer = setInterval(() => {
    const isOrphan = process.ppid !== parent || !isRunning(parent);
    if (!isOrphan && (!shell || processInfo(parent).parent === shell.parent)) return;
    clearInterval(timer);
    if (process.listenerCount('SIGTERM') === 0) process.exit(143);
    process.emit('SIGTERM', 'SIGTERM');
  }, PARENT_CHECK_MS);
  timer.unref();
}

/** The name and the parent of a process, where the system shows them as a file. */
function processInfo(pid) {
  try {
    const [, name, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').match(/\((.*)\) \S (\d+)/s) ?? [];
    return { name, parent };
  } catch {
    return {};
  }
}

function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}
