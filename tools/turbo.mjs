// Runs turbo's binary without its launch script, which cannot be stopped while turbo runs, and without telemetry. Only an
// environment variable disables telemetry, and npm scripts cannot set variables on every system.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { runInstead } from './processes.mjs';

/** Runs turbo as a replacement of this process. */
export function turbo(args, options = {}) {
  const { platform, arch } = process;
  const name = `@turbo/${platform === 'win32' ? 'windows' : platform}-${arch === 'x64' ? '64' : arch}`;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('turbo/package.json'));
  const binary = resolve(`${name}/bin/turbo${platform === 'win32' ? '.exe' : ''}`);
  return runInstead(binary, args, {
    ...options,
    env: { TURBO_TELEMETRY_DISABLED: '1', ...options.env },
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) turbo(process.argv.slice(2));
