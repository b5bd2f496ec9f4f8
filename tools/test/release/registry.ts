import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { type Env, run, stop } from '../support/process.ts';

/** An npm registry on this machine. */
export interface Registry {
  readonly url: string;
  /** An environment in which npm, pnpm and changesets use only this registry, and may publish to it. */
  readonly env: Env;
  close(): Promise<void>;
}

export async function startRegistry(folder: string): Promise<Registry> {
  const [storage, npmrc] = [join(folder, 'storage'), join(folder, 'npmrc')];
  await mkdir(storage, { recursive: true });
  const setting = async (name: string) => (await run(folder, process.env, 'npm', 'config', 'get', name)).trim();
  const [upstream, certificates] = await Promise.all([setting('registry'), setting('cafile')]);
  const child = fork(new URL('./registry-process.ts', import.meta.url), [storage, upstream], {
    env: { ...(certificates !== 'null' && { NODE_EXTRA_CA_CERTS: certificates }), ...process.env },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let stderr = '';
  child.stderr?.on('data', (data) => {
    stderr += data;
  });
  const ended = once(child, 'close').then(() => Promise.reject(new Error(`The registry did not start: ${stderr}`)));
  const [url] = await Promise.race([once(child, 'message'), ended]);
  ended.catch(() => {});

  const user = { name: 'releaser', password: 'only-for-this-test' };
  const response = await fetch(`${url}-/user/org.couchdb.user:${user.name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(user),
  });
  const { token } = (await response.json()) as { token: string };
  const settings = { registry: url, [`${url.replace('http:', '')}:_authToken`]: token, cache: join(folder, 'cache') };
  await writeFile(
    npmrc,
    Object.entries({ ...settings, audit: false, fund: false, 'update-notifier': false })
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  return { url, env: { ...cleanEnv(process.env), NPM_CONFIG_USERCONFIG: npmrc }, close: () => stop(child) };
}

/**
 * The environment without the settings that npm passes to its scripts, which override those of a file, and without those
 * of CI, which would request provenance.
 */
function cleanEnv(env: Env): Env {
  const others = Object.entries(env).filter(([name]) => !/^(p?npm_config_|actions_|github_)/i.test(name));
  return { ...Object.fromEntries(others), GIT_CONFIG_GLOBAL: devNull, NO_COLOR: '1', FORCE_COLOR: '0' };
}
