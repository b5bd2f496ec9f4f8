// turbo itself, without the script in front of it, which cannot be stopped while turbo runs, and without its telemetry: it can
// be told so only through the environment, which npm scripts cannot set everywhere.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { runInstead } from './processes.mjs';

/** Runs turbo in the place of this process. */
export function turbo(args, options = {}) {
  const { platform, arch } = process;
  const name = `@turbo/${platform === 'win32' ? 'windows' : platform}-${arch === 'x64' ? '64' : arch}`;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('turbo/package.json'));
  const binary = resolve(`${name}/bin/turbo${platform === 'win32' ? '.exe' : ''}`);
  return runInstead(binary, args, { ...options, env: { TURBO_TELEMETRY_DISABLED: '1', ...options.env } });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) turbo(process.argv.slice(2));
