// turbo itself, without the script in front of it, which cannot be stopped while turbo runs, and without its telemetry: it can
// be told so only through the environment, which npm scripts cannot set everywhere.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { runInstead } from './processes.mjs';

/** What the drift check depends on beside files, so that no result of another day or of another base is shown again. */
function driftSince() {
  const { stdout } = spawnSync('git', ['rev-parse', 'HEAD', '@{upstream}', 'origin/main'], { encoding: 'utf8' });
  return `${new Date().toISOString().slice(0, 10)} ${(stdout ?? '').split('\n').join(' ')}`;
}

/** Runs turbo in the place of this process. */
export function turbo(args, options = {}) {
  const { platform, arch } = process;
  const name = `@turbo/${platform === 'win32' ? 'windows' : platform}-${arch === 'x64' ? '64' : arch}`;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('turbo/package.json'));
  const binary = resolve(`${name}/bin/turbo${platform === 'win32' ? '.exe' : ''}`);
  return runInstead(binary, args, {
    ...options,
    env: { TURBO_TELEMETRY_DISABLED: '1', DRIFT_SINCE: driftSince(), ...options.env },
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) turbo(process.argv.slice(2));
