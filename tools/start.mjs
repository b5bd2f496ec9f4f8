// `npm start [-- FLAGS]` installs what the server needs, generates code if the spec has changed,
// and runs the server. It is plain JavaScript, because it runs on the machine's own Node.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { clientTypesFile, hashOf, heyApiFiles } from './generated.mjs';
import { installAll, installedNode, installServer } from './setup.mjs';

const path = (file) => fileURLToPath(new URL(`../${file}`, import.meta.url));

await installServer();
if ([...heyApiFiles, clientTypesFile].every(isCurrent) || (await generate())) serve();

/** Whether a generated file is that of the spec. */
function isCurrent(file) {
  if (!existsSync(path(file))) return false;
  const spec = readFileSync(path('spec/openapi.yaml'), 'utf8');
  const [head] = readFileSync(path(file), 'utf8').split('\n');
  return head.includes(hashOf(spec));
}

/** Generates the code. Returns false if that failed: the generator has printed what is wrong. */
async function generate() {
  await installAll();
  const { status } = spawnSync(installedNode(), [path('tools/generate/main.ts')], {
    stdio: 'inherit',
  });
  if (status !== 0) process.exitCode = 1;
  return status === 0;
}

function serve() {
  const args = [path('apps/server/src/main.js'), ...process.argv.slice(2)];
  const server = spawn(installedNode(), args, { stdio: 'inherit' });
  const stop = () => server.kill('SIGTERM');
  process.on('SIGTERM', stop);
  // A terminal sends these to the server, too.
  for (const signal of ['SIGINT', 'SIGHUP']) process.on(signal, () => {});
  // npm sends SIGTERM only to the shell that runs this script. This process sees only its end.
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    stop();
  }, 100);
  server.on('exit', (code, signal) => {
    clearInterval(timer);
    process.exitCode = code ?? 128 + constants.signals[signal];
  });
}
