// Runs turbo's binary without its launch script, which cannot be stopped while turbo runs, and without telemetry. Only an
// environment variable disables telemetry, and npm scripts cannot set variables on every system.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { runInstead } from './processes.mjs';

export const env = { TURBO_TELEMETRY_DISABLED: '1' };

/** The path of turbo's binary. */
export function turboBinary() {
  const { platform, arch } = process;
  const name = `@turbo/${platform === 'win32' ? 'windows' : platform}-${arch === 'x64' ? '64' : arch}`;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('turbo/package.json'));
  return resolve(`${name}/bin/turbo${platform === 'win32' ? '.exe' : ''}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  runInstead(turboBinary(), process.argv.slice(2), env);
